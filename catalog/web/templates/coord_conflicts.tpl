{{%AUTOESCAPE context="HTML"}}
<h1>Conflicts</h1>
{{#IF_CLOSED}}<div class="scroll"><div class="empty">{{CLOSED}}</div></div>{{/IF_CLOSED}}
{{#NO_CLOSED}}
<h2>Who commits first, and what becomes of the later one</h2>
<div class="scroll"><table><thead><tr><th>first \ later</th>
{{#HEADING}}<th>{{ITEM}}</th>{{/HEADING}}</tr></thead><tbody>
{{#ROWS}}<tr><th>{{ROW}}</th>{{#CELLS}}<td title="{{WHY}}">
{{#IF_HIT}}<span class="tag fatal">{{LETTER}}</span>{{/IF_HIT}}{{#NO_HIT}}{{LETTER}}{{/NO_HIT}}
{{#IF_COUNT}}({{COUNT}}){{/IF_COUNT}}</td>{{/CELLS}}</tr>{{/ROWS}}</tbody></table></div>
<p>F fails, W replaces what is there, A adds, C compacts beside it. In brackets: how often since the
start of the daemon.</p>
<h2>Newest first</h2>
{{#IF_CONFLICTS}}<div class="scroll"><table><thead><tr><th>time</th><th>table</th><th>cell</th>
<th>kind</th><th class="n">txn</th><th class="n">plan</th><th>why</th></tr></thead><tbody>
{{#CONFLICTS}}<tr><td class="time">{{AT}}</td><td class="long">{{TABLE}}</td>
<td><a href="/coord/conflicts?mark={{MARK_TEXT:u}}">{{EARLIER}}, {{LATER}}: {{OUTCOME}}</a></td>
<td>{{KIND}}</td><td class="n">{{TXN_ID}}</td><td class="n">{{PLAN_ID}}</td>
<td class="long">{{TEXT}}</td></tr>{{/CONFLICTS}}</tbody></table></div>{{/IF_CONFLICTS}}
{{#NO_CONFLICTS}}<div class="scroll"><div class="empty">No commit was refused.</div></div>
{{/NO_CONFLICTS}}{{/NO_CLOSED}}
