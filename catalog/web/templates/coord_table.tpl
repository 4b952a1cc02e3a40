{{%AUTOESCAPE context="HTML"}}
{{#IF_CLOSED}}<h1>Coordinated table</h1>
<div class="scroll"><div class="empty">{{CLOSED}}</div></div>{{/IF_CLOSED}}
{{#NO_CLOSED}}<h1>{{NAME}}</h1>
<style>
.timeline { width: 100%; display: block; }
.timeline rect { fill: var(--line); }
.timeline rect.COMMITTED { fill: var(--good-bg); stroke: var(--good); }
.timeline rect.OPEN, .timeline rect.PREPARED { fill: var(--warn-bg); stroke: var(--warn); }
.timeline rect.ABORTED, .timeline rect.UNKNOWN { fill: var(--bad-bg); stroke: var(--bad); }
.timeline text { fill: var(--ink); font-size: 11px; }
</style>
{{#IF_WARNINGS}}<ul class="warnings">{{#WARNINGS}}<li>{{ITEM}}</li>{{/WARNINGS}}</ul>
{{/IF_WARNINGS}}
<div class="tiles">
<div class="tile"><div class="label">State</div><div class="value">{{STATE}}</div>
<div class="note">{{STATE_REASON}}</div><div class="note">{{TYPE}}, {{POLICY}}</div></div>
<div class="tile"><div class="label">Version</div><div class="value">{{ID_VERSION}}</div>
<div class="note">time version {{TIME_VERSION}}</div></div>
<div class="tile"><div class="label">Open transactions</div><div class="value">{{OPEN_TXNS}}</div>
<div class="note">oldest {{OLDEST_TXN_SECONDS}} s</div></div>
<div class="tile"><div class="label">Pending plans</div><div class="value">{{PENDING_PLANS}}</div>
<div class="note">oldest {{OLDEST_PLAN_SECONDS}} s, services {{SERVICE_STATE}}</div></div>
<div class="tile"><div class="label">Live files</div><div class="value">{{LIVE_FILES}}</div>
<div class="note">{{PARTITION_COUNT}} partitions</div></div>
<div class="tile"><div class="label">Published</div>
{{#IF_PUBLISHED}}{{#PUBLISHED}}<div class="value">{{PUBLICATION_VERSION}}</div>
<div class="note">event {{PUBLICATION_EVENT_ID}}, {{PUBLICATION_TRIES}} tries</div>
{{/PUBLISHED}}{{/IF_PUBLISHED}}{{#NO_PUBLISHED}}<div class="value">-</div>{{/NO_PUBLISHED}}
{{#IF_PUBLISHING}}{{#PUBLISHING}}<div class="note">{{PUBLICATION_VERSION}} is
{{PUBLICATION_STATE}} {{PUBLICATION_ERROR}}</div>{{/PUBLISHING}}{{/IF_PUBLISHING}}
<div class="note">{{PUBLISH}}</div></div></div>
<h2>Timeline: from request to completion</h2>
{{#IF_BARS}}<div class="scroll"><svg class="timeline" viewBox="0 0 1000 {{DRAWING_HEIGHT}}"
 role="img" aria-label="Transactions in time">
{{#BARS}}<rect class="{{BAR_STATE}}" x="{{BAR_X}}" y="{{BAR_Y}}" width="{{BAR_WIDTH}}"
 height="{{BAR_HEIGHT}}" rx="3"></rect>
<text x="{{TEXT_X}}" y="{{TEXT_Y}}" text-anchor="{{TEXT_ANCHOR}}">{{BAR_TEXT}}</text>
{{/BARS}}</svg></div>{{/IF_BARS}}
{{#NO_BARS}}<div class="scroll"><div class="empty">Nothing was begun yet.</div></div>{{/NO_BARS}}
{{#IF_PLANS}}<h2>Plans and claims</h2>
<div class="scroll"><table><thead><tr><th class="n">plan</th><th>type</th><th>state</th>
<th>instant</th><th>owner</th><th class="n">fence</th><th class="n">lease (ms)</th>
<th class="n">attempts</th><th>why</th><th>last error</th></tr></thead><tbody>
{{#PLANS}}<tr><td class="n">{{PLAN_ID}}</td><td>{{TYPE}}</td><td>{{STATE}}</td>
<td>{{REQUESTED}}</td><td class="long">{{OWNER}}</td><td class="n">{{FENCE}}</td>
<td class="n">{{REMAINING_MS}}</td><td class="n">{{ATTEMPTS}}</td><td class="long">{{TRIGGER}}</td>
<td class="long">{{LAST_ERROR}}</td></tr>{{/PLANS}}</tbody></table></div>{{/IF_PLANS}}
<h2>File slices {{PARTITION}}</h2>
{{#IF_TOO_MANY_SLICES}}<div class="scroll"><div class="empty">More than one page:
catalogctl coord slices shows them all.</div></div>{{/IF_TOO_MANY_SLICES}}
{{#IF_SLICES}}<div class="scroll"><table><thead><tr><th>file group</th><th>anchor</th>
<th>base</th><th>logs</th><th>pending plan</th></tr></thead><tbody>
{{#SLICES}}<tr><td class="long">{{FILE_ID}}</td><td>{{ANCHOR}}</td><td class="long">{{BASE}}</td>
<td class="long">{{#LOGS}}<div>{{NAME}}{{#IF_SUPERSEDED}} (superseded){{/IF_SUPERSEDED}}</div>
{{/LOGS}}</td><td>{{PENDING_PLAN}}</td></tr>{{/SLICES}}</tbody></table></div>{{/IF_SLICES}}
{{#NO_SLICES}}{{#IF_PARTITIONS}}<div class="scroll"><table><thead><tr><th>partition</th></tr>
</thead><tbody>{{#PARTITIONS}}<tr><td class="long">
<a href="/coord/table?name={{TABLE_ID:u}}&amp;partition={{PARTITION_NAME:u}}">{{PARTITION_TEXT}}</a>
</td></tr>{{/PARTITIONS}}</tbody></table></div>{{/IF_PARTITIONS}}{{/NO_SLICES}}
{{#IF_OPTION_ROWS}}<h2>Options</h2><div class="scroll"><table><tbody>
{{#OPTION_ROWS}}<tr><th>{{OPTION_NAME}}</th><td class="long">{{OPTION_VALUE}}</td></tr>
{{/OPTION_ROWS}}</tbody></table></div>{{/IF_OPTION_ROWS}}{{/NO_CLOSED}}
