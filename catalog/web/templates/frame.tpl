{{%AUTOESCAPE context="HTML"}}<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{{#REFRESHING}}<meta http-equiv="refresh" content="{{REFRESH}}">{{/REFRESHING}}
<title>{{TITLE}} - catalogd</title>
<style>
:root { --bg: #f6f7f9; --card: #fff; --ink: #1c2430; --soft: #667085; --line: #e1e5eb;
  --accent: #1f5fbf; --good: #1a7f45; --warn: #9a6700; --bad: #b42318;
  --good-bg: #e3f5ea; --warn-bg: #fff3d6; --bad-bg: #fde7e5; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #14181f; --card: #1c222b; --ink: #e4e8ee; --soft: #97a1b0; --line: #2e3642;
    --accent: #7fb0ff; --good: #5fd38d; --warn: #f0c25c; --bad: #ff8a80;
    --good-bg: #17341f; --warn-bg: #3a2f10; --bad-bg: #431b18; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--ink);
  font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
header { background: var(--card); border-bottom: 1px solid var(--line); }
header > div, main, footer { max-width: 1180px; margin: 0 auto; padding: 0 20px; }
header > div { display: flex; align-items: center; gap: 6px; flex-wrap: wrap; min-height: 48px; }
header .name { font-weight: 700; margin-right: 14px; color: var(--ink); }
nav { display: flex; flex-wrap: wrap; gap: 2px; flex: 1; }
nav a { padding: 5px 10px; border-radius: 6px; color: var(--soft); }
nav a.here { background: var(--bg); color: var(--ink); font-weight: 600; }
.tools { color: var(--soft); font-size: 12px; }
main { padding-top: 18px; padding-bottom: 30px; }
footer { color: var(--soft); font-size: 12px; padding-bottom: 20px; }
h1 { font-size: 20px; margin: 0 0 14px; overflow-wrap: anywhere; }
h2 { font-size: 15px; margin: 26px 0 8px; }
.banner { padding: 9px 14px; border-radius: 8px; margin-bottom: 16px; overflow-wrap: anywhere; }
.banner.mild { background: var(--warn-bg); color: var(--warn); }
.banner.serious { background: var(--bad-bg); color: var(--bad); }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(180px, 1fr)); gap: 12px; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: 11px 14px; overflow-wrap: anywhere; }
.tile .label { color: var(--soft); font-size: 12px; }
.tile .value { font-size: 19px; font-weight: 600; font-variant-numeric: tabular-nums; }
.tile .value.wide { font-size: 15px; line-height: 28px; }
.tile .note { color: var(--soft); font-size: 12px; }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line);
  border-radius: 8px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 6px 12px; border-bottom: 1px solid var(--line);
  vertical-align: top; }
tbody tr:last-child > td, tbody tr:last-child > th { border-bottom: 0; }
td.short { white-space: nowrap; }
thead th { color: var(--soft); font-weight: 600; font-size: 12px; white-space: nowrap; }
tbody th { font-weight: 500; color: var(--soft); white-space: nowrap; width: 1%; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
td.time { white-space: nowrap; font-variant-numeric: tabular-nums; color: var(--soft); }
td.long { overflow-wrap: anywhere; }
code, pre { font: 12.5px/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, monospace; }
pre { margin: 0; padding: 12px 14px; white-space: pre-wrap; overflow-wrap: anywhere; }
.tag { display: inline-block; padding: 0 8px; border-radius: 9px; font-size: 12px;
  background: var(--bg); border: 1px solid var(--line); white-space: nowrap; }
.tag.present, .tag.active, .tag.ok, .tag.ready { background: var(--good-bg); color: var(--good);
  border-color: transparent; }
.tag.stub, .tag.paused, .tag.starting, .tag.resyncing, .tag.warning, .tag.waiting {
  background: var(--warn-bg); color: var(--warn); border-color: transparent; }
.tag.unknown, .tag.degraded, .tag.disabled, .tag.fatal { background: var(--bad-bg);
  color: var(--bad); border-color: transparent; }
.empty { color: var(--soft); padding: 16px; }
form { margin: 0 0 12px; display: flex; gap: 8px; flex-wrap: wrap; }
input { font: inherit; padding: 5px 9px; border: 1px solid var(--line); border-radius: 6px;
  background: var(--card); color: var(--ink); min-width: 230px; }
button { font: inherit; padding: 5px 13px; border: 0; border-radius: 6px; cursor: pointer;
  background: var(--accent); color: var(--card); }
.pager { margin: 10px 0; color: var(--soft); display: flex; gap: 14px; }
ul.warnings { margin: 0; padding: 0; list-style: none; }
ul.warnings li { background: var(--warn-bg); color: var(--warn); border-radius: 8px;
  padding: 8px 14px; margin-bottom: 8px; overflow-wrap: anywhere; }
</style>
</head>
<body>
<header><div>
<a class="name" href="/">catalogd</a>
<nav aria-label="Pages">{{#NAVIGATION}}
<a href="{{PATH}}"{{#CURRENT}} class="here" aria-current="page"{{/CURRENT}}>{{NAME}}</a>
{{/NAVIGATION}}<a href="/metrics">Metrics</a></nav>
<span class="tools">
{{#STILL}}<a href="{{SELF}}refresh=5">refresh every 5 s</a>{{/STILL}}
{{#REFRESHING}}<a href="{{SELF}}">stop refreshing</a>{{/REFRESHING}}
&middot; <a href="{{SELF}}json">JSON</a></span>
</div></header>
<main>
{{#SERIOUS_BANNER}}<div class="banner serious" role="alert">{{BANNER}}</div>{{/SERIOUS_BANNER}}
{{#MILD_BANNER}}<div class="banner mild" role="status">{{BANNER}}</div>{{/MILD_BANNER}}
{{>CONTENT}}
</main>
<footer>{{PRODUCT}}</footer>
</body>
</html>
