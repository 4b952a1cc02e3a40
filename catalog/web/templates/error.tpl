{{%AUTOESCAPE context="HTML"}}{{#ERROR}}
<h1>{{CODE}}</h1>
<div class="banner serious">{{MESSAGE}}</div>
<p><a href="/">Overview</a></p>
{{/ERROR}}
