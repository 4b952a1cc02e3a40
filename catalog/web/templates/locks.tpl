{{%AUTOESCAPE context="HTML"}}
<h1>Locks</h1>
{{#IF_LOCKS}}<div class="scroll"><table><thead><tr><th class="n">ticket</th><th>state</th>
<th>owner</th><th>names</th><th class="n">for (s)</th><th>waits for</th></tr></thead><tbody>
{{#LOCKS}}<tr><td class="n">{{TICKET}}</td>
<td>{{#IF_GRANTED}}<span class="tag ok">holds</span>{{/IF_GRANTED}}
{{#NO_GRANTED}}<span class="tag waiting">waits</span>{{/NO_GRANTED}}</td>
<td class="long">{{OWNER}}</td><td class="long">{{#NAMES}}<div>{{ITEM}}</div>{{/NAMES}}</td>
<td class="n">{{SINCE_SECONDS}}</td><td>{{#BEHIND}}#{{ITEM}} {{/BEHIND}}</td></tr>{{/LOCKS}}
</tbody></table></div>{{/IF_LOCKS}}
{{#NO_LOCKS}}<div class="scroll"><div class="empty">No name is locked.</div></div>{{/NO_LOCKS}}
