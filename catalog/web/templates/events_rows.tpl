{{%AUTOESCAPE context="HTML"}}
<div class="scroll"><table><thead><tr><th class="n">event id</th><th>type</th><th>name</th>
<th>what became of it</th><th>reason</th><th>by</th><th>logged</th><th>applied</th></tr></thead>
<tbody>{{#EVENTS}}<tr><td class="n">{{EVENT_ID}}</td><td>{{TYPE}}</td>
<td class="long"><a href="/object?name={{NAME:u}}">{{NAME}}</a></td><td>{{ACTION}}</td>
<td class="long">{{REASON}}</td><td>{{BY}}</td><td class="time">{{EVENT_TIME}}</td>
<td class="time">{{APPLIED_AT}}</td></tr>{{/EVENTS}}</tbody></table></div>
