{{%AUTOESCAPE context="HTML"}}
<h1>{{#IF_DATABASE}}<a href="/catalog">Catalog</a> / {{DATABASE}}{{/IF_DATABASE}}
{{#NO_DATABASE}}Catalog{{/NO_DATABASE}}</h1>
{{#NO_EXACT}}<div class="banner mild">This list may be incomplete: some names are in doubt and
will be read again. Clients asking for it are answered by the metastore.</div>{{/NO_EXACT}}
<form action="/catalog" method="get">{{#IF_DATABASE}}<input type="hidden" name="db"
 value="{{DATABASE}}">{{/IF_DATABASE}}<input name="filter" value="{{FILTER}}"
 placeholder="name contains" aria-label="Filter"><button>Filter</button></form>
{{#IF_OBJECTS}}<div class="scroll"><table><thead><tr><th>name</th><th>state</th>
<th class="n">synced event id</th><th class="n">effective event id</th>
<th class="n">catalog version</th><th class="n">{{#IF_DATABASE}}partitions{{/IF_DATABASE}}
{{#NO_DATABASE}}tables{{/NO_DATABASE}}</th>{{#NO_DATABASE}}<th></th>{{/NO_DATABASE}}</tr></thead>
<tbody>{{#OBJECTS}}<tr><td class="long">{{#IF_IS_DATABASE}}<a href="/catalog?db={{NAME:u}}">{{NAME}}</a>{{/IF_IS_DATABASE}}{{#NO_IS_DATABASE}}<a href="/object?name={{NAME:u}}">{{NAME}}</a>{{/NO_IS_DATABASE}}</td>
<td><span class="tag {{STATE}}">{{STATE}}</span></td><td class="n">{{SYNCED_EVENT_ID}}</td>
<td class="n">{{EFFECTIVE_EVENT_ID}}</td><td class="n">{{CATALOG_VERSION}}</td>
<td class="n">{{CHILDREN}}</td>{{#IF_IS_DATABASE}}<td><a href="/object?name={{NAME:u}}">details</a></td>
{{/IF_IS_DATABASE}}</tr>{{/OBJECTS}}</tbody></table></div>{{/IF_OBJECTS}}
{{#NO_OBJECTS}}<div class="scroll"><div class="empty">No names to show.</div></div>{{/NO_OBJECTS}}
<div class="pager"><span>{{FIRST}} to {{LAST}} of {{TOTAL}}</span>
{{#IF_PREVIOUS}}<a href="/catalog?db={{DATABASE:u}}&amp;filter={{FILTER:u}}&amp;offset={{PREVIOUS_OFFSET}}&amp;limit={{LIMIT}}">previous</a>{{/IF_PREVIOUS}}
{{#IF_NEXT}}<a href="/catalog?db={{DATABASE:u}}&amp;filter={{FILTER:u}}&amp;offset={{NEXT_OFFSET}}&amp;limit={{LIMIT}}">next</a>{{/IF_NEXT}}</div>
