# SPDX-License-Identifier: GPL-2.0-or-later
"""The style of all pages: what is around their bodies, and its colours. These
are variables, of which the pictures use the same; device is blue and guest
orange throughout, curves have the colours of Okabe and Ito, which the
colour-blind can tell apart. No two of the light ones are the same: in a picture
the colour tells the variable.

Knows nothing of what is on the page.
"""

from html import escape

CSS = '''\
:root {
  --paper: #ffffff; --page: #f6f7f9; --ink: #171b22; --muted: #5b6472;
  --grid: #dde1e7; --device: #1f6fd6; --guest: #d9660b; --busy: #1f70d6;
  --ok: #00735a; --warn: #8a5a00; --bad: #b3260f;
  --blue: #0072b2; --vermilion: #d55e00; --green: #009e73; --purple: #cc79a7;
  --orange: #e69f00; --sky: #56b4e9; --grey: #4d4d4d;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #171a20; --page: #0f1115; --ink: #e8eaee; --muted: #9aa4b2;
    --grid: #2e343e; --device: #6aa9ff; --guest: #ff9d4d; --busy: #6aa9ff;
    --ok: #4cc3a0; --warn: #f1b44c; --bad: #ff7a6e;
    --blue: #3a9bdc; --vermilion: #f07f2e; --green: #1fc49a;
    --purple: #e08fbd; --orange: #f2b632; --sky: #9ad7f7; --grey: #b8b8b8;
  }
}
* { box-sizing: border-box; }
a { color: var(--device); }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans",
    sans-serif;
}
main { max-width: 1160px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 12px; font-weight: 650; }
h1 span { color: var(--muted); font-weight: 400; }
h2 { font-size: 18px; margin: 0 0 10px; font-weight: 650; }
.product {
  margin: 0 0 4px; color: var(--device); font-weight: 650;
  letter-spacing: .04em;
}
section {
  background: var(--paper); border: 1px solid var(--grid);
  border-radius: 12px; padding: 20px 22px; margin-top: 18px;
}
.badges { margin: 0 0 20px; display: flex; flex-wrap: wrap; gap: 8px; }
.badge {
  border: 1px solid var(--grid); border-radius: 99px; padding: 2px 12px;
  font-size: 13px; color: var(--muted); background: var(--paper);
}
.badge.ok { color: var(--ok); border-color: currentColor; }
.badge.warn { color: var(--warn); border-color: currentColor; }
.badge.bad { color: var(--bad); border-color: currentColor; }
.badge.ok::before { content: "\\2713\\00a0"; }
.badge.warn::before { content: "!\\00a0"; font-weight: 650; }
.badge.bad::before { content: "\\2717\\00a0"; }
.facts {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr));
  gap: 14px 24px; margin: 0;
}
dt { font-size: 12.5px; color: var(--muted); }
dd { margin: 0; font-weight: 550; overflow-wrap: anywhere; }
.box ul { margin: 0; padding-left: 20px; overflow-wrap: anywhere; }
.box.problem { border-color: var(--bad); }
.box.problem h2 { color: var(--bad); }
.box.remark { border-color: var(--warn); }
.box.remark h2 { color: var(--warn); }
.scroll { overflow-x: auto; }
table {
  border-collapse: collapse; width: 100%; font-size: 13px;
  font-variant-numeric: tabular-nums;
}
th, td {
  padding: 5px 8px; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--grid);
}
thead th {
  color: var(--muted); font-weight: 500; font-size: 12.5px;
  border-bottom-color: var(--muted);
}
thead tr:not(:last-child) th.group {
  text-align: center; border-bottom: 1px solid var(--grid);
}
thead th.group.device { color: var(--device); }
thead th.group.guest { color: var(--guest); }
thead tr:not(:last-child) th { border-bottom: 0; padding-bottom: 0; }
tr > :first-child { text-align: left; padding-left: 0; }
tr.further th { padding-left: 20px; font-weight: 400; }
tr > :last-child { padding-right: 0; }
tbody th { font-weight: 550; }
tbody tr:last-child > * { border-bottom: 0; }
table.pairs { width: auto; }
table.pairs td { text-align: left; color: var(--muted); }
table.pairs td:nth-child(2) { color: var(--ink); }
.note { color: var(--muted); font-size: 13px; margin: 10px 0 0; }
.command { margin: -4px 0 10px; }
code, pre {
  font: 12.5px/1.5 ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", monospace;
  color: var(--muted); overflow-wrap: anywhere;
}
pre { white-space: pre-wrap; margin: 10px 0 0; }
.chips {
  margin: 0 0 12px; font-size: 13px; color: var(--muted);
  display: flex; flex-wrap: wrap; gap: 4px 20px;
}
.chips b { color: var(--ink); font-weight: 550; }
.legend { margin: 0 0 6px; font-size: 13px; }
.key { display: inline-block; margin-right: 18px; font-size: 13px;
  color: var(--muted); }
.key::before {
  content: ""; display: inline-block; width: 10px; height: 10px;
  border-radius: 50%; margin-right: 6px; background: currentColor;
}
.key.device::before { background: var(--device); }
.key.busy::before { background: var(--busy); border-radius: 2px; }
.key.guest::before { background: var(--guest); }
.figures { display: grid; gap: 14px 28px; grid-template-columns: 3fr 4fr; }
.figures > div:empty { display: none; }
.panels {
  display: grid; gap: 14px 24px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 250px), 1fr));
}
.panels.large {
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr));
}
.panels > * { max-width: 400px; }
.panels.large > *, .curves { max-width: 560px; }
.figures + .figures { margin-top: 14px; }
figure { margin: 0 0 14px; }
figure:last-child { margin-bottom: 0; }
figcaption { font-size: 13.5px; margin-bottom: 8px; color: var(--muted); }
figcaption .key { display: block; }
figcaption b { color: var(--ink); }
details { margin-top: 14px; }
summary { cursor: pointer; color: var(--muted); }
svg { display: block; width: 100%; height: auto; }
svg * { stroke-linejoin: round; stroke-linecap: butt; }
svg text { font-family: inherit !important; }
@media (max-width: 860px) {
  .figures { grid-template-columns: minmax(0, 1fr); }
}
@media (max-width: 600px) {
  main { padding: 16px 10px 40px; }
  h1 { font-size: 24px; }
  section { padding: 14px 12px; border-radius: 8px; }
  .facts { grid-template-columns: 1fr 1fr; }
  .scroll tr > :first-child {
    position: sticky; left: 0; background: var(--paper);
    min-width: 104px; max-width: 38vw; white-space: normal;
    overflow-wrap: anywhere;
  }
  .scroll > svg { min-width: 660px; }
  figure.scroll > svg { min-width: 500px; }
}
@media print {
  body { background: none; } section { break-inside: avoid; }
}
'''


def page(title, body):
    """Return: the HTML of a page of its own, which needs no other file. TITLE
    is text, BODY is HTML."""
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n'
            '<meta charset="utf-8">\n<meta name="viewport" '
            'content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n'
            '<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n'
            '<main>\n%s\n</main>\n</body>\n</html>\n'
            % (escape(title), CSS, body))
