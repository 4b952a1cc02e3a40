{{%AUTOESCAPE context="HTML"}}
<h1>{{NAME}}</h1>
<div class="tiles">
<div class="tile"><div class="label">State</div>
<div class="value"><span class="tag {{STATE}}">{{STATE}}</span></div>
<div class="note">reads are
{{#IF_SERVED_FROM_CACHE}}answered from the cache{{/IF_SERVED_FROM_CACHE}}
{{#NO_SERVED_FROM_CACHE}}passed through{{/NO_SERVED_FROM_CACHE}}</div>
<div class="note">read mode {{READ_MODE}}</div></div>
<div class="tile"><div class="label">Synced event id</div>
<div class="value">{{SYNCED_EVENT_ID}}</div><div class="note">effective {{EFFECTIVE_EVENT_ID}}</div>
</div>
<div class="tile"><div class="label">Catalog version</div>
<div class="value wide">{{CATALOG_VERSION}}</div></div>
<div class="tile"><div class="label">Incarnation</div><div class="value">{{INCARNATION}}</div>
<div class="note">{{#IF_INCARNATION_KNOWN}}event that made it{{/IF_INCARNATION_KNOWN}}
{{#NO_INCARNATION_KNOWN}}made at or before this event{{/NO_INCARNATION_KNOWN}}</div></div>
<div class="tile"><div class="label">Partitions</div>
<div class="value">{{#IF_PARTITIONS_LOADED}}{{PARTITIONS}}{{/IF_PARTITIONS_LOADED}}
{{#NO_PARTITIONS_LOADED}}not loaded{{/NO_PARTITIONS_LOADED}}</div></div>
<div class="tile"><div class="label">Floor</div><div class="value">{{#IF_FLOOR_KNOWN}}{{FLOOR_EVENT_ID}}{{/IF_FLOOR_KNOWN}}
{{#NO_FLOOR_KNOWN}}open{{/NO_FLOOR_KNOWN}}</div>
<div class="note">{{#IF_FLOOR_KNOWN}}below it reads pass through{{/IF_FLOOR_KNOWN}}
{{#NO_FLOOR_KNOWN}}reads pass through until a write is settled{{/NO_FLOOR_KNOWN}}</div></div>
</div>
{{#IF_COLUMNS}}<h2>Columns</h2>
<div class="scroll"><table><thead><tr><th>name</th><th>type</th><th>comment</th></tr></thead>
<tbody>{{#COLUMNS}}<tr><td class="long">{{NAME}}{{#IF_PARTITION_KEY}} <span class="tag">partition key
</span>{{/IF_PARTITION_KEY}}</td><td class="long"><code>{{TYPE}}</code></td>
<td class="long">{{COMMENT}}</td></tr>{{/COLUMNS}}</tbody></table></div>{{/IF_COLUMNS}}
{{#IF_FACTS}}<h2>Facts</h2>
<div class="scroll"><table><tbody>{{#FACTS}}<tr><th>{{KEY}}</th><td class="long">{{VALUE}}</td></tr>
{{/FACTS}}</tbody></table></div>{{/IF_FACTS}}
{{#IF_PARAMETERS}}<h2>Parameters</h2>
<div class="scroll"><table><tbody>{{#PARAMETERS}}<tr><th>{{KEY}}</th><td class="long">{{VALUE}}</td>
</tr>{{/PARAMETERS}}</tbody></table></div>{{/IF_PARAMETERS}}
<h2>Last events</h2>
{{#IF_EVENTS}}{{>EVENTS_ROWS}}{{/IF_EVENTS}}
{{#NO_EVENTS}}<div class="scroll"><div class="empty">None are remembered.</div></div>{{/NO_EVENTS}}
