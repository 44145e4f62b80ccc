# SPDX-License-Identifier: GPL-2.0-or-later
"""What the page shows of a trace: each step over time, and the zones.

Knows nothing of how a trace is read.
"""

import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import fixture
from fixture import (MS_NS, SINCE_NS, command, device, device_op, fio, fio_job,
                     fio_side, step, trace, write_run, write_text)
from case import ReportCase
from femu.report import history
from femu.results import folder

SVG = re.compile(r'<svg.*?</svg>', re.DOTALL)
ZONE = 64
CAPACITY = 48
BEGIN_NS = SINCE_NS + 1000
END_NS = SINCE_NS + 200 * MS_NS
# Each ends in another ms from the first submission on.
READS_NS = [100000, 200000, 300000, 400000]


def reads(slba):
    """Return: reads of a block, each submitted when the last has ended."""
    at_ns, commands = BEGIN_NS, []
    for latency_ns in READS_NS:
        commands.append(command(at_ns, latency_ns, 'read', slba))
        at_ns += latency_ns
    return commands


def corners_of(picture):
    """Return: [(x, y)] of the last line in the device's colour."""
    path = [node for node in picture.iter() if node.tag.endswith('path')
            and 'fill: none; stroke: var(--device)' in node.get('style', '')][-1]
    return [(float(x), float(y)) for x, y in
            re.findall(r'[ML] (\S+) (\S+)', path.get('d'))]


class HistoryTest(ReportCase):
    """A run of one step in which fio read at one zone, or two jobs at two."""

    def write(self, commands, jobs=('a',), end_ns=END_NS, events=(),
              params=None, counted=None):
        """Writes a run with a trace of COMMANDS, of which the drive has
        counted the reads, or COUNTED."""
        side = fio_side(READS_NS, 4096, 10)
        places = [{'filename': '/dev/nvme0n1', 'offset': '%dz' % idx,
                   'size': '1z'} for idx in range(len(jobs))]
        write_run(self.out_dir, [step('look', 'fio', 'fio', {
            'fio': fio(*[fio_job(name, options=options, read=side)
                         for name, options in zip(jobs, places)]),
            'device': device({'read': device_op(
                counted or READS_NS * len(jobs))}, [0], [0], 100 * MS_NS)})])
        write_text(self.out_dir, 'trace.csv',
                   trace(commands, end_ns, params, events))

    def lines(self):
        """Return: the labels of what is shown over time."""
        run = folder.load(self.out_dir)
        return [label for label, _ in history.lines_of(run.steps[0])]

    def pictures(self):
        """Return: {label: picture} of the page."""
        found = [ElementTree.fromstring(svg)
                 for svg in SVG.findall(self.html())]
        return {svg.get('aria-label'): svg for svg in found}

    def test_pictures(self):
        self.write(reads(0) + [command(1, 1, 'write', 0, 5)])
        self.assertEqual(self.make()[1], [])
        self.assertEqual(list(self.pictures())[3:], [
            'Latency over time of read in step look',
            'Throughput over time of read in step look',
            'State of the zones at the end',
            'What was written to the zones, resets and finishes'])
        # 256 stretches of 1 us are 256 us, of 4 us more than a ms.
        self.assert_shown('mean; shade: least to most, of 4 µs each',
                          '4 commands, since the step\'s first')

    def test_jobs_have_lines_of_their_own(self):
        self.write(reads(0) + reads(ZONE), ('a', 'b'))
        self.assertEqual(self.lines(), ['a read', 'b read'])

    def test_jobs_that_share_have_one_line(self):
        self.write(reads(0) + reads(0), ('a', 'b'))
        self.assertEqual(self.lines(), ['read'])

    def test_jobs_that_cannot_be_told_apart_have_one_line(self):
        """fio counted more than a's zone had."""
        self.write(reads(ZONE) + reads(ZONE), ('a', 'b'))
        self.assertEqual(self.lines(), ['read'])

    def test_few_points_have_no_line(self):
        self.write(reads(0)[:3], counted=READS_NS[:3])
        self.assertEqual(self.lines(), [])

    def test_trace_that_is_not_believed(self):
        self.write(reads(0)[:3])
        self.assertEqual(self.lines(), [])
        self.make()
        self.assert_shown('Not shown over time: trace.csv: it has 3 read '
                          'commands, the drive counted 4.')

    def test_throughput(self):
        """The first three stretches of 4 us in which a read ended have 4 KiB
        in 4 us; the last, of which a part has passed, is not drawn."""
        self.write(reads(0))
        self.make()
        corners = corners_of(self.pictures()[
            'Throughput over time of read in step look'])
        ys = [y for _, y in corners]
        top, bottom = min(ys), max(ys)
        # A line of steps: of each read, two corners at the top.
        self.assertEqual(sum(y == top for y in ys), 2 * 3)
        self.assertEqual(sum(top < y < bottom for y in ys), 0)
        width = (max(x for x, _ in corners) - corners[0][0]) / 250
        self.assertEqual(
            [round((x - corners[0][0]) / width) for x, y in corners
             if y == top][::2], [25, 75, 150])

    def test_mean_over_time(self):
        """Its points are where the reads are."""
        self.write(reads(0))
        self.make()
        points = corners_of(self.pictures()[
            'Latency over time of read in step look'])
        begin_x = points[0][0] - (points[1][0] - points[0][0]) / 50 * 25.5
        width = (points[1][0] - points[0][0]) / 50
        self.assertEqual([round((x - begin_x) / width - 0.5, 3)
                          for x, _ in points], [25, 75, 150, 250])
        ys = [y for _, y in points]
        self.assertEqual(sorted(ys, reverse=True), ys)
        # Logarithmic: from 100 to 200 us as far as from 200 to 400.
        self.assertAlmostEqual(ys[0] - ys[1], ys[1] - ys[3], 3)

    def test_zones(self):
        self.write(reads(0) + [
            command(1, 1, 'write', 0, CAPACITY), command(2, 1, 'reset', 0, 0),
            command(3, 1, 'write', 2 * ZONE, 12),
            command(4, 1, 'finish', 2 * ZONE, 0),
            command(5, 1, 'write', 3 * ZONE, 12)], events=[(6, 'F,6,1,4,15')])
        self.make()
        for cells in ('0</th><td>0.2</td><td>0.0</td><td>1</td><td>0</td>'
                      '<td>empty', '2</th><td>0.0</td><td>0.0</td><td>0</td>'
                      '<td>1</td><td>full', '3</th><td>0.0</td><td>0.0</td>'
                      '<td>0</td><td>0</td><td>open or closed',
                      '4</th><td>0.0</td><td>0.0</td><td>0</td><td>0</td>'
                      '<td>offline'):
            self.assert_shown('<th scope="row">' + cells)
        self.assert_shown(
            'Of 8 zones, 4 had no write, reset, finish or failure',
            'full colour is 0.2 MiB')
        texts = {label: [text.text.strip() for text in svg.iter()
                         if text.tag.endswith('text') and text.text]
                 for label, svg in self.pictures().items()}
        self.assertIn('off', texts['State of the zones at the end'])
        self.assertEqual(
            texts['What was written to the zones, resets and finishes'][-2:],
            ['r1', 'f1'])

    def test_a_zone_is_filled_as_far_as_its_write_pointer(self):
        self.write(reads(0) + [command(5, 1, 'write', 3 * ZONE, 12),
                               command(5, 1, 'write', 4 * ZONE, 36)])
        self.make()
        svg = self.pictures()['State of the zones at the end']
        heights = []
        for path in svg.iter():
            if 'fill: var(--busy)' in path.get('style', ''):
                ys = [float(y) for y in
                      re.findall(r'[ML] \S+ (\S+)', path.get('d'))]
                heights.append(max(ys) - min(ys))
        self.assertEqual(len(heights), 2)
        self.assertAlmostEqual(heights[1] / heights[0], 3, 4)

    def test_namespaces(self):
        self.write(reads(0) + [command(1, 1, 'write', 0, 9, nsid=2)],
                   params={'namespaces': 2})
        self.make()
        self.assert_shown('<th scope="row">0 of namespace 2</th>',
                          '>ns 2 zone 0</text>')

    def test_very_many_zones(self):
        """A bitmap, not 100,000 shapes; and not all of them in a table."""
        zones = 100000
        self.write(reads(0) + [command(number, 1, 'write', number * 61 * ZONE)
                               for number in range(zones // 61)],
                   params={'zones': zones})
        self.make()
        self.assertEqual(self.html().count('data:image/png;base64'), 2)
        self.assertLess(len(self.html()), 400000)
        self.assert_shown('%s more are not listed' % format(
            zones // 61 - history.MAX_ZONES, ','))

    def test_no_zone_was_touched(self):
        self.write(reads(0))
        self.make()
        self.assertEqual(self.html().count('<h2>Zones</h2>'), 0)

    def test_cut_trace(self):
        self.write(reads(0) + [command(1, 1, 'write', 0, 9)], end_ns=None)
        self.assertEqual(self.make()[1], [
            'trace.csv: cut short, it has no end record'])
        self.assert_shown('of the run, or where the trace was cut short')
        self.assertEqual(self.lines(), ['read'])

    def test_damaged_trace(self):
        self.write(reads(0))
        write_text(self.out_dir, 'trace.csv', '# femu-zns trace 2\nS,x\n')
        self.assertEqual(self.make()[1], [
            'trace.csv: line 2: "S,x" is no record of a trace'])

    def test_page_stands_alone_and_has_its_colours(self):
        self.write(reads(0) + reads(ZONE) + [command(1, 1, 'write', 0, 9)],
                   ('a', 'b'))
        self.make()
        html = self.html()
        ids = re.findall(r'\bid="([^"]*)"', html)
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(re.findall(r'href="(?!#)[^"]*', html), [])
        for svg in SVG.findall(html):
            self.assertEqual(re.findall('#[0-9a-f]{6}', svg), [])

    def test_virtual_duration(self):
        """It is the end of the trace."""
        self.write(reads(0))
        self.assertEqual(folder.load(self.out_dir).virtual_ns, END_NS)

    def test_without_numpy(self):
        """The rest is shown."""
        self.write(reads(0))
        code = ('import sys; sys.modules["numpy"] = None; '
                'sys.modules["matplotlib"] = None; '
                'sys.path.insert(0, %r); sys.dont_write_bytecode = True; '
                'from femu.report import output; '
                'print(len(output.make(%r)))')
        scripts = os.path.join(os.path.dirname(fixture.__file__), '..', '..',
                               'scripts')
        self.assertRegex(self.run_python(code % (scripts, self.out_dir)),
                         r'(?s)look read +4 .*\n2\n$')

    def run_python(self, code):
        """Return: what CODE prints."""
        return subprocess.run([sys.executable, '-c', code], check=True,
                              stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL).stdout
