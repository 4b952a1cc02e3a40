{{%AUTOESCAPE context="HTML"}}
<h1>Configuration</h1>
<div class="scroll"><table><thead><tr><th>option</th><th>value</th><th>origin</th><th>default</th>
<th>meaning</th></tr></thead><tbody>
{{#OPTIONS}}<tr><td class="short"><code>{{NAME}}</code></td><td class="long"><code>{{VALUE}}</code></td>
<td>{{#IF_CHANGED}}<span class="tag ok">{{ORIGIN}}</span>{{/IF_CHANGED}}
{{#NO_CHANGED}}{{ORIGIN}}{{/NO_CHANGED}}</td><td class="short"><code>{{DEFAULT_VALUE}}</code></td>
<td class="long">{{MEANING}}</td></tr>{{/OPTIONS}}</tbody></table></div>
