{{%AUTOESCAPE context="HTML"}}
<h1>Events</h1>
<div class="tiles">
<div class="tile"><div class="label">Watermark</div><div class="value">{{WATERMARK}}</div></div>
<div class="tile"><div class="label">Latest event id</div>
<div class="value">{{LATEST_EVENT_ID}}</div></div>
<div class="tile"><div class="label">Lag</div><div class="value">{{LAG_EVENTS}} events</div>
<div class="note">oldest is {{LAG_SECONDS}} s old</div></div>
<div class="tile"><div class="label">Received</div><div class="value">{{RECEIVED}}</div>
<div class="note">{{MALFORMED}} could not be understood</div></div>
<div class="tile"><div class="label">Contradictions</div><div class="value">{{CONTRADICTIONS}}</div>
</div></div>
<h2>What became of them</h2>
<div class="scroll"><table><thead><tr>{{#ACTIONS}}<th class="n">{{ACTION}}</th>{{/ACTIONS}}</tr>
</thead><tbody><tr>{{#ACTIONS}}<td class="n">{{COUNT}}</td>{{/ACTIONS}}</tr></tbody></table></div>
<h2>Newest first</h2>
<form action="/events" method="get"><input name="name" value="{{FILTER}}"
 placeholder="only of this name, e.g. sales.orders" aria-label="Name">
<button>Show</button></form>
{{#IF_EVENTS}}{{>EVENTS_ROWS}}{{/IF_EVENTS}}
{{#NO_EVENTS}}<div class="scroll"><div class="empty">Nothing has happened yet.</div></div>
{{/NO_EVENTS}}
<div class="pager"><a href="/events?name={{FILTER:u}}&amp;limit=1000">up to 1000</a></div>
