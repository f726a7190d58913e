"""The style sheet of the HTML page: light and dark, from 360 pixels on, and on paper."""

from typing import Final

STYLE: Final = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --line: #d5dae0; --page: #fff; --good: 26, 127, 55;
  --bad: 207, 34, 46; --c0: #0969da; --c1: #bc4c00; --c2: #1a7f37; --c3: #8250df; --c4: #bf3989; --c5: #9a6700;
  --c6: #0a7d86; --c7: #57606a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa5b1; --line: #30363d; --page: #0d1117;
  --good: 63, 185, 80; --bad: 248, 81, 73; --c0: #58a6ff; --c1: #f0883e; --c2: #3fb950; --c3: #a371f7; --c4: #f778ba;
  --c5: #d29922; --c6: #39c5cf; --c7: #8b949e; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 1rem; color: var(--ink); background: var(--page);
  font: 15px/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0 0 .5rem; }
h2 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
p, ul, dl { margin: .4rem 0; }
ul { padding-left: 1.2rem; }
.soft, dt, caption { color: var(--soft); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .8rem; font-size: .9rem; }
dd { margin: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .5rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--soft); }
.name { text-align: left; }
th.name, td.name { position: sticky; left: 0; background: var(--page); white-space: normal; min-width: 6rem;
  max-width: 14rem; }
th.text, td.text { text-align: left; }
td.text { white-space: normal; min-width: 8rem; }
.same { color: var(--line); text-align: center; }
pre { overflow-x: auto; font-size: .85rem; }
svg { display: block; }
.bar { width: 108px; height: 12px; }
.range { stroke: var(--c0); stroke-width: 5; }
.dot { fill: var(--ink); }
.zero, .grid { stroke: var(--line); stroke-width: 1; }
.curves { width: 100%; max-width: 44rem; height: auto; }
.curves text { fill: var(--soft); font-size: 9px; }
.curve { fill: none; stroke-width: 1.5; stroke-linejoin: round; vector-effect: non-scaling-stroke; }
.key { display: flex; flex-wrap: wrap; gap: .2rem 1rem; list-style: none; padding: 0; font-size: .9rem; }
.key svg { display: inline-block; width: 24px; height: 8px; margin-right: .3rem; vertical-align: middle; }
.c0 { stroke: var(--c0); } .c1 { stroke: var(--c1); } .c2 { stroke: var(--c2); } .c3 { stroke: var(--c3); }
.c4 { stroke: var(--c4); stroke-dasharray: 6 2; } .c5 { stroke: var(--c5); stroke-dasharray: 6 2; }
.c6 { stroke: var(--c6); stroke-dasharray: 2 2; } .c7 { stroke: var(--c7); stroke-dasharray: 2 2; }
@page { margin: 12mm; }
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #444; --line: #bbb; --page: #fff; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .wide { overflow: visible; }
  table { font-size: 7.5pt; }
  th, td { padding: .1rem .25rem; }
  th { white-space: normal; overflow-wrap: normal; }
  th.name, td.name { position: static; min-width: 4rem; }
  .bar { width: 72px; }
  h2 { break-after: avoid; }
  tr, svg { break-inside: avoid; }
  td { print-color-adjust: exact; }
}
"""
