{{%AUTOESCAPE context="HTML"}}
<h1>Coordinated tables</h1>
{{#IF_CLOSED}}<div class="scroll"><div class="empty">{{CLOSED}}</div></div>{{/IF_CLOSED}}
{{#NO_CLOSED}}<div class="pager"><a href="/coord/conflicts">conflicts</a></div>
{{#IF_TABLES}}<div class="scroll"><table><thead><tr><th>table</th><th>state</th><th>type</th>
<th class="n">version</th><th>time version</th><th class="n">open txns</th>
<th class="n">oldest (s)</th><th class="n">pending plans</th><th class="n">oldest (s)</th>
<th class="n">files</th><th>services</th><th>warnings</th></tr></thead><tbody>
{{#TABLES}}<tr><td class="long"><a href="/coord/table?name={{TABLE_ID:u}}">{{NAME}}</a></td>
<td><span class="tag {{STATE}}">{{STATE}}</span> {{STATE_REASON}}</td>
<td>{{TYPE}}, {{POLICY}}</td><td class="n">{{ID_VERSION}}</td><td>{{TIME_VERSION}}</td>
<td class="n">{{OPEN_TXNS}}</td><td class="n">{{OLDEST_TXN_SECONDS}}</td>
<td class="n">{{PENDING_PLANS}}</td><td class="n">{{OLDEST_PLAN_SECONDS}}</td>
<td class="n">{{LIVE_FILES}}</td><td>{{SERVICE_STATE}}</td>
<td class="long">{{#WARNINGS}}<div>{{ITEM}}</div>{{/WARNINGS}}</td></tr>{{/TABLES}}
</tbody></table></div>{{/IF_TABLES}}
{{#NO_TABLES}}<div class="scroll"><div class="empty">No table is coordinated.</div></div>
{{/NO_TABLES}}{{/NO_CLOSED}}
