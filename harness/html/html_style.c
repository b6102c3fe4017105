/* How the page looks, its pictures aside (picture/style.c), and what its buttons do. Without the script all steps are shown, one below the other. */
#include "harness/html/html.h"

const char html_style[] =
    "body{margin:0;background:var(--ground);color:var(--text);font:16px/1.5 system-ui,sans-serif}"
    "main{max-width:70rem;margin:0 auto;padding:1rem}h1{margin:0;font-size:1.5rem}h2{margin:2rem 0 .5rem;"
    "font-size:1.2rem}h3{margin:1.5rem 0 .25rem;font-size:1rem}p{margin:.25rem 0 .5rem}"
    "header{border-left:.5rem solid var(--warm);padding:.5rem 1rem;background:var(--panel)}"
    "header.passed{border-color:var(--pass)}header.failed{border-color:var(--bad)}header p{overflow-wrap:anywhere}"
    ".verdict{font-size:1.25rem;font-weight:600}.passed .verdict{color:var(--pass)}.failed .verdict{color:var(--bad)}"
    ".tasks{list-style:none;padding:0}.tasks li{display:flow-root;padding:.25rem .5rem;border-left:.3rem solid var(--bad);"
    "margin:.25rem 0;background:var(--panel)}.tasks li.passed{border-color:var(--pass)}.tasks li.slow{border-color:var(--warm)}.tasks span{float:right;"
    "color:var(--soft)}.next{padding:.5rem 1rem;background:var(--panel);font-weight:600}"
    "pre{overflow-x:auto;background:var(--panel);padding:1rem;font:clamp(12px,1.85vw,13px)/1.45 ui-monospace,monospace}"
    "figure{margin:.5rem 0 1rem;overflow-x:auto}figcaption{color:var(--soft);font-size:.95rem}"
    "svg{max-width:100%;height:auto;display:block}.controls{display:flex;gap:.5rem;align-items:center;flex-wrap:wrap}"
    "button,input{font:inherit;color:inherit}button{background:var(--panel);border:1px solid var(--soft);"
    "border-radius:.3rem;padding:.2rem .7rem;cursor:pointer}:focus-visible{outline:3px solid var(--warm)}"
    "input[type=range]{flex:1;min-width:8rem}.hidden{display:none}"
    "table{border-collapse:collapse;font:13px/1.4 ui-monospace,monospace;width:100%}"
    "th,td{padding:0 .5rem;text-align:right;vertical-align:top}td.code,th.code{text-align:left;width:100%}"
    "td.code{white-space:pre}th:not(.code){writing-mode:vertical-rl}"
    "th{vertical-align:bottom;padding-top:.5rem;color:var(--soft);font-weight:400;border-bottom:1px solid var(--line)}"
    "tr.hot td{background:color-mix(in srgb,var(--bad) 16%,transparent)}tr:target td{outline:2px solid var(--warm)}"
    "a{color:var(--good)}"
    "@media(max-width:40rem){svg{max-width:none}.race svg{min-width:34rem}.tasks span{float:none;display:block}"
    ".report{white-space:pre-wrap}}"
    "@media print{td.code{white-space:pre-wrap}.controls{display:none}.hidden{display:block}section{break-inside:auto}figure{break-inside:avoid}"
    ".source{break-inside:auto}}"
    "@media(scripting:enabled){.steps:not(.on) figure:not(:first-of-type){display:none}}"
    "section{content-visibility:auto;contain-intrinsic-size:auto 900px}";

/*
 * What is wider than the window can be scrolled with the keyboard. Only in narrow windows are pictures wider; to ask each
 * for its width would lay out the whole page, of which the browser otherwise leaves out what is below the window.
 */
const char html_script[] =
    "function reach(){document.querySelectorAll('figure,pre').forEach(function(box){var svg=box.querySelector('svg');"
    "if(svg?innerWidth<640&&svg.viewBox.baseVal.width>innerWidth-60:box.scrollWidth>box.clientWidth)box.tabIndex=0})}"
    "addEventListener('resize',reach);"
    "document.querySelectorAll('.steps').forEach(function(box){"
    "var steps=box.querySelectorAll('figure'),at=0;if(steps.length<2)return;"
    "var bar=document.createElement('div');bar.className='controls';"
    "function button(text,by){var b=document.createElement('button');b.type='button';b.textContent=text;"
    "b.onclick=function(){show(at+by)};bar.appendChild(b)}"
    "button('Previous',-1);var range=document.createElement('input');range.type='range';range.min=1;"
    "range.max=steps.length;range.setAttribute('aria-label','Step');range.oninput=function(){show(range.value-1)};"
    "bar.appendChild(range);button('Next',1);var count=document.createElement('span');"
    "count.setAttribute('role','status');bar.appendChild(count);box.insertBefore(bar,box.firstChild);"
    "function show(i){at=Math.max(0,Math.min(steps.length-1,i));steps.forEach(function(s,k){"
    "s.classList.toggle('hidden',k!==at)});range.value=at+1;count.textContent=(at+1)+' of '+steps.length}"
    "box.classList.add('on');show(+box.dataset.first||0)});reach();";
