{{%AUTOESCAPE context="HTML"}}
<h1>Overview</h1>
<div class="tiles">
<div class="tile"><div class="label">Answers from the cache</div>
<div class="value">{{#IF_READY}}<span class="tag ready">ready</span>{{/IF_READY}}{{#NO_READY}}
{{#IF_PURE_PROXY}}<span class="tag fatal">proxy only</span>{{/IF_PURE_PROXY}}
{{#NO_PURE_PROXY}}<span class="tag warning">not yet</span>{{/NO_PURE_PROXY}}{{/NO_READY}}</div>
<div class="note">read mode {{READ_MODE}}</div></div>
<div class="tile"><div class="label">Following</div>
<div class="value"><span class="tag {{STATE}}">{{STATE}}</span></div>
<div class="note">{{#IF_STATE_SINCE}}since {{STATE_SINCE}}{{/IF_STATE_SINCE}}</div></div>
<div class="tile"><div class="label">Watermark</div><div class="value">{{WATERMARK}}</div>
<div class="note">log epoch {{EPOCH}}</div></div>
<div class="tile"><div class="label">Latest event id</div>
<div class="value">{{LATEST_EVENT_ID}}</div>
<div class="note">{{PENDING_EVENTS}} being applied</div></div>
<div class="tile"><div class="label">Lag</div><div class="value">{{LAG_EVENTS}} events</div>
<div class="note">oldest is {{LAG_SECONDS}} s old</div></div>
<div class="tile"><div class="label">Lock waiters</div><div class="value">{{LOCK_WAITERS}}</div>
<div class="note"><a href="/locks">who waits for whom</a></div></div>
<div class="tile"><div class="label">Writes running</div><div class="value">{{DDLS_IN_FLIGHT}}</div>
<div class="note">{{LOADS_IN_FLIGHT}} loads, {{WAITING}} waits</div></div>
<div class="tile"><div class="label">Catalog version</div>
<div class="value wide">{{CATALOG_VERSION}}</div><div class="note">our own commit counter</div></div>
</div>
{{#IF_WARNINGS}}<h2>Look at</h2>
<ul class="warnings">{{#WARNINGS}}<li>{{ITEM}}</li>{{/WARNINGS}}</ul>{{/IF_WARNINGS}}
<h2>Known objects</h2>
<div class="scroll"><table><thead><tr><th class="n">databases</th><th class="n">tables</th>
<th class="n">loaded</th><th class="n">stubs</th><th class="n">unknown</th>
<th class="n">tombstones</th><th class="n">partitions</th></tr></thead><tbody>
{{#COUNTS}}<tr><td class="n">{{DATABASES}}</td><td class="n">{{TABLES}}</td>
<td class="n">{{PRESENT}}</td><td class="n">{{STUBS}}</td><td class="n">{{UNKNOWN}}</td>
<td class="n">{{ABSENT}}</td><td class="n">{{PARTITIONS}}</td></tr>{{/COUNTS}}
</tbody></table></div>
<h2>Metastore</h2>
<div class="scroll"><table><tbody>{{#METASTORE}}
<tr><th>Address</th><td class="long">{{ENDPOINT}}</td></tr>
<tr><th>Version</th><td>{{VERSION}} ({{GENERATION}})</td></tr>
<tr><th>Database id</th><td class="long">{{UUID}}</td></tr>
<tr><th>Last answered</th><td>{{SILENT_SECONDS}} s ago</td></tr>{{/METASTORE}}
</tbody></table></div>
<h2>This daemon</h2>
<div class="scroll"><table><tbody>
<tr><th>Metastore clients</th><td>thrift://{{ENDPOINT}}</td></tr>
<tr><th>Started</th><td>{{STARTED}}</td></tr>
<tr><th>Build</th><td>{{BUILD_VERSION}}</td></tr>
<tr><th>Contradictions in the log</th><td>{{CONTRADICTIONS}}</td></tr>
{{#RECONCILE}}<tr><th>Compared with the metastore</th>
<td class="long">{{COMPARED}} objects, {{DIFFERENCES}} differences, {{REPAIRS}} repaired
{{#IF_RUNNING}}; {{DONE}} of {{TOTAL}} names of this pass{{/IF_RUNNING}}
{{#IF_LAST_DIFFERENCE}}; last: {{LAST_DIFFERENCE}}{{/IF_LAST_DIFFERENCE}}</td></tr>{{/RECONCILE}}
{{#READ_MODES}}<tr><th>Read mode</th><td class="long">{{NAME}}: {{MODE}}</td></tr>{{/READ_MODES}}
</tbody></table></div>
