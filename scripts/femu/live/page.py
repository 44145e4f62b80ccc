# SPDX-License-Identifier: GPL-2.0-or-later
"""The page on which a drive is watched: it asks for /data and draws what comes.
It needs no other file, and when nobody answers any more it keeps what it has
and says so.

Knows nothing of where the numbers come from.
"""

from femu.drawing import page_style

CSS = '''
.cells { display: flex; flex-wrap: wrap; gap: 2px; }
.cells i { width: 9px; height: 9px; border-radius: 2px; background:
  var(--grid); overflow: hidden; display: block; }
.cells.big i { width: 16px; height: 16px; }
.cells i b { display: block; height: 100%; background: var(--device); }
i.k-o, i.k-O { outline: 1px solid var(--device); }
i.k-c { outline: 1px solid var(--muted); } i.k-c b { background: var(--muted); }
i.k-f { background: var(--blue) !important; }
i.k-r { background: var(--orange) !important; }
i.k-x { background: var(--bad) !important; }
i.u-r { background: var(--green) !important; }
i.u-p { background: var(--vermilion) !important; }
i.u-e { background: var(--purple) !important; }
i.u-s { background: var(--orange) !important; }
i.u-t { background: var(--blue) !important; }
.key::before { border-radius: 2px; background: var(--c) !important; }
.row { display: flex; gap: 10px; align-items: center; margin-bottom: 4px;
  font-size: 12.5px; color: var(--muted); }
.row > span { min-width: 76px; }
.bar { height: 14px; background: var(--grid); border-radius: 3px;
  overflow: hidden; margin: 4px 0 10px; }
.bar b { display: block; height: 100%; background: var(--device); }
canvas { width: 100%; height: 190px; display: block; }
'''

BODY = '''
<style>%s</style>
<header>
<p class="product">femu-zns</p>
<h1 id="title">A drive at work</h1>
<p class="badges"><span class="badge" id="state">waiting for the drive</span>
<span class="badge" id="step"></span></p>
</header>
<section><dl class="facts">
<div><dt>time of the drive</dt><dd id="now">-</dd></div>
<div><dt>commands inside</dt><dd id="inside">-</dd></div>
<div><dt>in the front end</dt><dd id="front">-</dd></div>
<div><dt>reads with a slot</dt><dd id="slots">-</dd></div>
<div><dt>waiting for the buffer</dt><dd id="waiting">-</dd></div>
<div><dt>host link</dt><dd id="link">-</dd></div>
<div><dt>flash: senses, programs, erases</dt><dd id="flash">-</dd></div>
<div><dt>open, active zones</dt><dd id="open">-</dd></div>
</dl></section>
<section><h2>Operations</h2><div class="scroll"><table>
<thead><tr><th>operation</th><th>commands</th><th>per s</th><th>MiB/s</th>
<th>mean latency, \u00b5s</th><th>mean of all, \u00b5s</th></tr></thead>
<tbody id="ops"></tbody></table></div>
<p class="note">Per second of the drive's own time, and since the last look at
it; since the statistics were last reset.</p></section>
<section><h2>Over the drive's time</h2>
<p class="legend" id="keys"></p>
<div class="panels large"><figure><figcaption>throughput, MiB/s</figcaption>
<canvas id="mib"></canvas></figure>
<figure><figcaption>mean latency, \u00b5s</figcaption>
<canvas id="latency"></canvas></figure></div></section>
<section><h2>Units, channel by channel</h2>
<p class="legend"><span class="key" style="--c:var(--green)">read</span>
<span class="key" style="--c:var(--vermilion)">program</span>
<span class="key" style="--c:var(--purple)">erase</span>
<span class="key" style="--c:var(--orange)">a reset's step</span>
<span class="key" style="--c:var(--blue)">channel transfers</span></p>
<div id="units"></div></section>
<section><h2>Write buffer</h2><div class="bar"><b id="bufferbar"
style="width:0"></b></div><p class="note" id="buffer">-</p></section>
<section><h2>Zones</h2>
<p class="legend"><span class="key" style="--c:var(--grid)">empty</span>
<span class="key" style="--c:var(--device)">open, as far as written</span>
<span class="key" style="--c:var(--muted)">closed</span>
<span class="key" style="--c:var(--blue)">full</span>
<span class="key" style="--c:var(--orange)">read-only</span>
<span class="key" style="--c:var(--bad)">offline</span></p>
<div id="zones"></div></section>
<script>
'use strict';
%s
</script>
'''

SCRIPT = r'''
const ASK_MS = 500;
const COLOURS = ['--vermilion', '--green', '--purple', '--blue', '--orange',
                 '--sky', '--grey'];
const byId = id => document.getElementById(id);
const put = (id, text) => { byId(id).textContent = text; };
const count = n => n.toLocaleString('en');
let last = null, missed = 0, ended = false;

function seconds(ns) {
  return (ns / 1e9).toFixed(6) + ' s';
}

/* What an operation did between two instants: null if nothing, or if the
   statistics were reset. */
function between(from, to, op) {
  const a = (from && from[1][op]) || [0, 0, 0], b = to[1][op];
  const ns = to[0] - (from ? from[0] : 0);
  if (!b || b[0] <= a[0] || ns <= 0 || b[2] < a[2]) return null;
  return { perS: (b[0] - a[0]) / ns * 1e9,
           mib: (b[1] - a[1]) / ns * 1e9 / 1048576,
           us: (b[2] - a[2]) / (b[0] - a[0]) / 1000 };
}

function showOps(history) {
  const to = history[history.length - 1];
  const from = history[history.length - 2] || null;
  const rows = Object.keys(to[1]).map(op => {
    const all = to[1][op], step = between(from, to, op);
    const cells = [op, count(all[0]), step ? count(Math.round(step.perS)) : '-',
                   step ? step.mib.toFixed(1) : '-',
                   step ? step.us.toFixed(1) : '-',
                   (all[2] / all[0] / 1000).toFixed(1)];
    const row = document.createElement('tr');
    row.id = 'op-' + op;
    cells.forEach(text => row.appendChild(
      document.createElement('td')).textContent = text);
    return row;
  });
  byId('ops').replaceChildren(...rows);
}

function curves(id, history, ops, value) {
  const canvas = byId(id), ratio = window.devicePixelRatio || 1;
  const wide = canvas.clientWidth, high = canvas.clientHeight;
  const style = getComputedStyle(document.documentElement);
  const ctx = canvas.getContext('2d');
  canvas.width = wide * ratio; canvas.height = high * ratio;
  ctx.scale(ratio, ratio);
  const from = history[0][0], to = history[history.length - 1][0];
  const lines = ops.map(op => history.slice(1).map((point, i) => {
    const step = between(history[i], point, op);
    return step && [point[0], value(step)];
  }));
  const most = Math.max(1e-9, ...lines.flat().filter(Boolean).map(p => p[1]));
  const left = 52, bottom = high - 20;
  const x = ns => left + (ns - from) / Math.max(to - from, 1) * (wide - left);
  const y = v => bottom - v / most * (bottom - 8);
  ctx.font = '11px sans-serif';
  ctx.fillStyle = style.getPropertyValue('--muted');
  ctx.strokeStyle = style.getPropertyValue('--grid');
  [0, most / 2, most].forEach(v => {
    ctx.beginPath(); ctx.moveTo(left, y(v)); ctx.lineTo(wide, y(v));
    ctx.stroke();
    ctx.textAlign = 'right'; ctx.fillText(v.toPrecision(3), left - 6, y(v) + 4);
  });
  ctx.textAlign = 'left'; ctx.fillText(seconds(from), left, high - 5);
  ctx.textAlign = 'right'; ctx.fillText(seconds(to), wide, high - 5);
  lines.forEach((line, i) => {
    const colour = style.getPropertyValue(COLOURS[i % COLOURS.length]);
    ctx.strokeStyle = colour; ctx.fillStyle = colour; ctx.lineWidth = 1.5;
    let pen = false;
    ctx.beginPath();
    line.forEach(point => {
      if (!point) { pen = false; return; }
      if (pen) ctx.lineTo(x(point[0]), y(point[1]));
      else ctx.moveTo(x(point[0]), y(point[1]));
      pen = true;
      ctx.fillRect(x(point[0]) - 1.5, y(point[1]) - 1.5, 3, 3);
    });
    ctx.stroke();
  });
}

function showHistory(history) {
  const ops = [...new Set(history.flatMap(point => Object.keys(point[1])))];
  byId('keys').replaceChildren(...ops.map((op, i) => {
    const key = document.createElement('span');
    key.className = 'key'; key.textContent = op;
    key.style.setProperty('--c', 'var(' + COLOURS[i % COLOURS.length] + ')');
    return key;
  }));
  if (history.length > 1) {
    curves('mib', history, ops, step => step.mib);
    curves('latency', history, ops, step => step.us);
  }
}

/* As many cells as letters, kept from one look to the next. */
function cells(box, letters, prefix) {
  while (box.childElementCount < letters.length)
    box.appendChild(document.createElement('i'));
  while (box.childElementCount > letters.length) box.lastChild.remove();
  for (let i = 0; i < letters.length; i++) {
    const name = letters[i] === '.' ? '' : prefix + letters[i];
    if (box.children[i].className !== name) box.children[i].className = name;
  }
}

function rowsOf(box, number, make) {
  while (box.childElementCount < number) box.appendChild(make());
}

function showUnits(now) {
  const box = byId('units'), per = now.units_per_channel;
  rowsOf(box, now.channels.length, () => {
    const row = document.createElement('div');
    row.className = 'row';
    row.innerHTML = '<span></span><div class="cells big"></div>' +
                    '<div class="cells big"></div>';
    return row;
  });
  for (let i = 0; i < now.channels.length; i++) {
    const [name, channel, units] = box.children[i].children;
    name.textContent = 'channel ' + i;
    cells(channel, now.channels[i], 'u-');
    cells(units, now.units.slice(i * per, (i + 1) * per), 'u-');
  }
}

const STATES = { '.': 'empty', o: 'open', O: 'open', c: 'closed', f: 'full',
                 r: 'read-only', x: 'offline' };

function showZones(now) {
  const box = byId('zones');
  rowsOf(box, now.namespaces.length, () => {
    const part = document.createElement('div');
    part.innerHTML = '<p class="note"></p><div class="cells"></div>';
    return part;
  });
  now.namespaces.forEach((ns, i) => {
    const [note, zones] = box.children[i].children, sums = {};
    [...ns.zones].forEach(letter => {
      sums[STATES[letter]] = (sums[STATES[letter]] || 0) + 1;
    });
    const open = ns.wp.slice(0, 12).map(([zone, nlb]) => 'zone ' + zone + ': ' +
      count(nlb) + ' of ' + count(ns.capacity_nlb)).join('; ');
    note.id = 'ns-' + ns.nsid;
    note.textContent = 'namespace ' + ns.nsid + ': ' +
      Object.entries(sums).map(([name, n]) => n + ' ' + name).join(', ') +
      (open ? '. Write pointers, blocks: ' + open : '') +
      (ns.wp.length > 12 ? '; and ' + (ns.wp.length - 12) + ' more' : '');
    cells(zones, ns.zones, 'k-');
    zones.querySelectorAll('b').forEach(bar => bar.remove());
    ns.wp.forEach(([zone, nlb]) => {
      const bar = zones.children[zone].appendChild(
        document.createElement('b'));
      bar.style.width = 100 * nlb / ns.capacity_nlb + '%';
    });
  });
}

function showNow(now) {
  put('now', seconds(now.now_ns));
  put('inside', now.inside + ' of ' + now.slots);
  put('front', now.front + (now.front_held ? ', held up' : ''));
  put('slots', now.reads_inside + (now.read_slots ? ' of ' + now.read_slots
                                                  : ''));
  put('waiting', now.buffer_waiting);
  put('link', (now.link_in ? 'in ' : '') + (now.link_out ? 'out' : '') ||
              'idle');
  put('flash', [now.senses, now.programs, now.erases].map(count).join(', '));
  put('open', now.namespaces.map(ns => ns.open + ', ' + ns.active).join('; '));
  put('buffer', now.buffer_bytes
      ? (now.buffer_used_bytes / 1024).toFixed(0) + ' of ' +
        (now.buffer_bytes / 1024).toFixed(0) + ' KiB' : 'none');
  byId('bufferbar').style.width = now.buffer_bytes
    ? 100 * now.buffer_used_bytes / now.buffer_bytes + '%' : '0';
}

function say(text, kind) {
  put('state', text);
  byId('state').className = 'badge ' + kind;
}

function show(data) {
  document.title = data.title;
  put('title', data.title);
  put('step', data.step);
  if (data.now.now_ns !== undefined) {
    showNow(data.now); showUnits(data.now); showZones(data.now);
    showOps(data.history); showHistory(data.history);
  }
  ended = data.ended !== null;
  if (ended) say('ended: ' + data.ended, 'warn');
  else if (data.now.now_ns === undefined) say('waiting for the drive', '');
  else say('running', 'ok');
}

async function ask() {
  try {
    const answer = await fetch('/data');
    last = await answer.json();
    missed = 0;
    show(last);
  } catch (error) {
    if (++missed > 3) {
      say('ended: nobody answers any more', 'warn');
      ended = true;
    }
  }
  if (!ended) setTimeout(ask, ASK_MS);
}

window.addEventListener('resize', () => { if (last) show(last); });
ask();
'''

HTML = page_style.page('femu-zns', BODY % (CSS, SCRIPT))
