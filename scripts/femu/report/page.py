# SPDX-License-Identifier: GPL-2.0-or-later
"""The report's page: one HTML file that needs no other, no script and no
network, for light and dark screens and for paper.

Knows nothing of files, and of how pictures are drawn: it is given the module
that draws them, or None for a page without pictures.
"""

from html import escape

from femu.common.numbers import (NONE, grouped, iops, mib, page_us, plural,
                                 share, short_time)
from femu.drawing.page_style import page
from femu.report import facts, history, table, tails, work
from femu.results import doubts, operations

# A figure for each operation up to here; the table has all of them.
MAX_LATENCY_FIGURES = 12
TABLE_CELLS = 9


class Page:
    """Collects the page's parts. `plots` draws; names of figures are counted,
    for each goes before the ids in its SVG."""

    def __init__(self, run, plots):
        self._run = run
        self._plots = plots
        self._figures = 0
        self._parts = []

    def html(self):
        """Return: the whole page."""
        self._header()
        self._messages()
        self._table()
        self._overview()
        self._add(tails.section(self._run))
        if not self._run.drives:
            self._add(work.section(self._run))
        for step in self._run.steps:
            self._step(step)
        for run in self._run.drives:
            self._drive(run)
        self._add(history.zone_map(self._run, self._plots, self._name))
        self._lateness(self._run)
        self._details()
        return page(table.title(self._run), '\n'.join(self._parts))

    def _add(self, text):
        self._parts.append(text)

    def _name(self):
        self._figures += 1
        return 'f%d' % self._figures

    # --- Top -----------------------------------------------------------------

    def _header(self):
        run = self._run
        badges = [_badge(text, kind)
                  for text, kind in facts.badges(run)]
        shown = ''.join('<div><dt>%s</dt><dd>%s</dd></div>'
                        % (escape(name), escape(value))
                        for name, value in facts.headline(run))
        self._add('<header>\n<p class="product">femu-zns</p>\n'
                  '<h1>%s <span>on</span> %s</h1>\n<p class="badges">%s</p>\n'
                  '<dl class="facts">%s</dl>\n</header>'
                  % (escape(run.job_name or 'unknown job'),
                     escape(run.config_name or 'unknown drive'),
                     ' '.join(badges), shown))

    def _messages(self):
        if self._run.problems:
            self._add(_box('problem', 'Files that could not be read',
                           self._run.problems))
        remarks = facts.remarks(self._run)
        if remarks and self._run.fact('status') == 'passed':
            self._add(_box('remark', 'Worth knowing', remarks))
        elif remarks:
            self._add(_box('problem', 'What went wrong in the run', remarks))

    # --- The table -----------------------------------------------------------

    def _table(self):
        self._add('<section>\n<h2>Results</h2>\n<div class="scroll">'
                  '<table>\n<thead>\n%s</thead>\n<tbody>' % _table_head())
        self._rows(self._run.steps)
        texts = [facts.LATENCY_NOTE] + table.notes(self._run) + [
            'doubt: ' + text for text in doubts.of_run(self._run)]
        self._add('<p class="note">%s</p>\n</section>' % ' '.join(
            escape(text[0].upper() + text[1:].rstrip('.') + '.')
            for text in texts))

    def _rows(self, steps):
        for step in steps:
            for label, row in table.labelled(step):
                self._add(_table_row(label, row))
        self._add('</tbody>\n</table></div>')

    # --- Several drives ------------------------------------------------------

    def _drive(self, run):
        """What one of several drives did: RUN is of that drive."""
        steps = [step for step in run.steps if operations.of_step(step)]
        self._add('<section>\n<h2>%s <span>%s</span></h2>\n'
                  '<div class="scroll"><table>\n<thead>\n%s</thead>\n<tbody>'
                  % (escape(run.drive_name), escape(run.config_name),
                     _table_head()))
        self._rows(steps)
        texts = [text for step in steps for text in operations.notes(step)]
        self._add('<p class="note">%s</p>\n</section>' % escape(
            '. '.join(texts + ['Its files are in %s/' %
                               run.drive['folder'].text()])))
        self._add(work.section(run))
        for step in steps:
            self._add('<section class="step">\n<h2>%s <span>%s</span></h2>'
                      % (escape(step.name), escape(run.drive_name)))
            self._add(history.over_time(step, self._plots, self._name))
            self._add('</section>')
        self._add(history.zone_map(run, self._plots, self._name))
        self._lateness(run)

    def _overview(self):
        rows = []
        for step in self._run.steps:
            mine = operations.of_step(step)
            rows += [(label, curves) for label, curves in zip(
                table.labels(mine), map(_curves, mine)) if curves]
        if not self._plots or not rows:
            return
        self._add('<section>\n<h2>Latency at a glance</h2>\n%s\n'
                  '<div class="scroll">%s</div>\n<p class="note">Dot: median. '
                  'Bar: 5th to 95th percentile.</p>\n</section>' % (
                      _legend(rows), self._plots.overview(self._name(), rows)))

    # --- Steps ---------------------------------------------------------------

    def _step(self, step):
        self._add('<section class="step">\n<h2>%s</h2>\n%s' % (
            escape(step.name), _command(step)))
        self._add(_chips(facts.of_step(step)))
        self._add('<div class="figures">\n<div>')
        if self._plots:
            for row in _drawn_rows(step):
                self._add(self._latency_figure(step, row))
        self._add('</div>\n<div>')
        busy = operations.busy(step)
        if self._plots and busy:
            self._add(self._busy_figure(step, busy))
        self._add('</div>\n</div>')
        self._add(history.over_time(step, self._plots, self._name))
        self._add('</section>')

    def _busy_figure(self, step, busy):
        units, channels = busy.units, busy.channels
        return ('<figure class="scroll">\n<figcaption><b>busy</b> share %s'
                '<span class="key busy">flash units: mean %s, busiest %s'
                '</span><span class="key busy">channels: mean %s, busiest %s'
                '</span></figcaption>\n%s\n</figure>' % (
                    escape(busy.of),
                    share(sum(units) / len(units)), share(max(units)),
                    share(sum(channels) / len(channels)), share(max(channels)),
                    self._plots.utilisation(self._name(), 'step ' + step.name,
                                            busy)))

    def _latency_figure(self, step, row):
        curves = _curves(row)
        what = '%s in step %s' % (row.label, step.name)
        legend = ''.join(_key(role, '%s: p50 %s, p95 %s' % (
            _source(role, step), *(short_time(curve.percentile_ns(percent))
                                   for percent in (50, 95))))
                         for role, curve in curves)
        return ('<figure>\n<figcaption><b>%s</b> %s%s'
                '</figcaption>\n%s\n</figure>' % (
                    escape(row.label), plural(row.commands, 'command'), legend,
                    self._plots.latency(self._name(), what, curves)))

    # --- Lateness and details ------------------------------------------------

    def _lateness(self, run):
        late = [(step.name, step.device.lateness) for step in run.steps
                if step.device and step.device.lateness]
        if not late:
            return
        text, drawn = facts.lateness(late)
        self._add('<section>\n<h2>Lateness</h2>\n<p>%s</p>' % escape(text))
        if drawn:
            rows = [(name, format(part.count, ','), page_us(part.p50_ns),
                     page_us(part.p99_ns), page_us(part.max_ns))
                    for name, part in drawn]
            self._add(_plain_table(('step', 'completions', 'p50 µs', 'p99 µs',
                                    'max µs'), rows))
            if self._plots:
                self._add('<div class="scroll">%s</div>\n<p class="note">'
                          'Dot: median. Thick: up to the 99th percentile. '
                          'Mark: maximum.</p>'
                          % self._plots.lateness(self._name(), drawn))
        self._add('</section>')

    def _details(self):
        self._add('<section>\n<h2>What exactly was run</h2>')
        self._add(_plain_table(None, facts.provenance(self._run)))
        for run in self._run.drives or [self._run]:
            config = facts.properties(run)
            if config:
                self._add('<details>\n<summary>%s: all %d properties'
                          '</summary>\n%s</details>' % (
                              escape(run.drive_name or 'The drive'),
                              len(config), _plain_table(None, config)))
        command = facts.qemu_command(self._run)
        if command:
            self._add('<details>\n<summary>QEMU\'s command line</summary>\n'
                      '<pre>%s</pre></details>' % escape(command))
        self._add('</section>')


# --- Pieces -------------------------------------------------------------------

def _curves(row):
    """Return: [(role, Distribution)] of ROW, without what took no time at all,
    for which a logarithmic axis has no place."""
    pairs = [('device', row.device), ('guest', row.guest)]
    pairs = [(role, curve) for role, curve in pairs if curve]
    return pairs if any(curve.max_ns > 0 for _, curve in pairs) else []


def _drawn_rows(step):
    """Return: the rows that get a figure: those that the guest measured; all
    of the drive's if it measured none."""
    rows = [row for row in operations.of_step(step) if _curves(row)]
    return ([row for row in rows if row.guest] or rows)[:MAX_LATENCY_FIGURES]


def _source(role, step):
    if role == 'device':
        return 'device'
    return step.kind if step.kind in ('zone-op', 'zns-load') else 'fio'


def _badge(text, kind):
    return '<span class="badge %s">%s</span>' % (kind, escape(text))


def _box(kind, title, texts):
    return '<section class="box %s">\n<h2>%s</h2>\n<ul>%s</ul>\n</section>' % (
        kind, escape(title),
        ''.join('<li>%s</li>' % escape(text) for text in texts))


def _key(role, text):
    return '<span class="key %s">%s</span>' % (role, escape(text))


def _legend(rows):
    roles = [role for _, curves in rows for role, _ in curves]
    texts = (('device', 'device: submission to completion'),
             ('guest', 'fio, zns-load or zone-op, in the guest'))
    return '<p class="legend">%s</p>' % ''.join(
        _key(role, text) for role, text in texts if role in roles)


def _command(step):
    if not step.command:
        return ''
    return '<p class="command"><code>%s</code></p>' % escape(step.command)


def _chips(pairs):
    return '<p class="chips">%s</p>' % ' '.join(
        '<span>%s <b>%s</b></span>' % (escape(name), escape(value))
        for name, value in pairs)


def _table_head():
    names = ['mean'] + ['p%d' % percent for percent in table.PERCENTS]
    group = '<th colspan="%d" class="group %s">%s</th>'
    over = '<tr><th colspan="2"></th>%s%s%s</tr>' % (
        group % (len(names), 'guest', 'fio latency, µs'),
        group % (len(names), 'device', 'device latency, µs'),
        group % (2, '', 'throughput'))
    under = ['operation', 'commands'] + names * 2 + ['IOPS', 'MiB/s']
    return '%s\n<tr>%s</tr>\n' % (over, ''.join(
        '<th scope="col">%s</th>' % name for name in under))


def _table_row(label, row):
    cells = []
    if row:
        cells = [format(row.commands, ',')]
        for latency in (row.guest, row.device):
            cells += table.times_of(latency, page_us)
        cells += [grouped(iops(row.iops)),
                  grouped(mib(row.mib_per_s))]
    further = label.startswith(table.INDENT)
    return '<tr%s><th scope="row">%s</th>%s</tr>' % (
        ' class="further"' if further else '', escape(label.strip()),
        ''.join('<td>%s</td>' % cell.replace(NONE, '–')
                for cell in cells or [''] * TABLE_CELLS))


def _plain_table(head, rows):
    top = ''
    if head:
        top = '<thead><tr>%s</tr></thead>' % ''.join(
            '<th scope="col">%s</th>' % escape(name) for name in head)
    body = '\n'.join(
        '<tr><th scope="row">%s</th>%s</tr>' % (
            escape(str(row[0])), ''.join('<td>%s</td>' % escape(str(cell))
                                         for cell in row[1:])) for row in rows)
    return '<div class="scroll"><table class="%s">%s<tbody>%s</tbody></table>'\
        '</div>' % ('plain' if head else 'pairs', top, body)
