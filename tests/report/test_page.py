# SPDX-License-Identifier: GPL-2.0-or-later
"""The page: its pictures, its facts, that it stands alone, and that its bytes
are the same every time.

Knows nothing of damaged files.
"""

import math
import os
import re
import subprocess
from xml.etree import ElementTree

from femu.common.numbers import page_us

import fixture
from fixture import MS_NS, ZN540_SUM, device, device_op, zone_op
from case import HERE, ReportCase, read_step

SVG = re.compile(r'<svg.*?</svg>', re.DOTALL)


def finish_step():
    """Return: a step in which zone-op finished a zone."""
    return fixture.step('finish', 'zone-op', 'zone-op ... finish 4', {
        'zone': zone_op('finish', [49152001500]),
        'device': device({'finish': device_op([49152000000]),
                          'read': device_op([0, 0], 8192)},
                         [0], [0], 50000 * MS_NS)})


def late(clock, p50_ns, p99_ns, max_ns):
    """Return: the drive's statistics of lateness."""
    return {'lateness': {'clock': clock, 'count': 1100, 'p50_ns': p50_ns,
                         'p99_ns': p99_ns, 'max_ns': max_ns}}


def corners_of(picture, colour):
    """Return: [(x, y)] of the line in COLOUR, the first of PICTURE."""
    path = next(node for node in picture.iter() if node.tag.endswith('path')
                and 'fill: none; stroke: var(%s)' % colour
                in node.get('style', ''))
    return [(float(x), float(y)) for x, y in
            re.findall(r'[ML] (\S+) (\S+)', path.get('d'))]


class PageTest(ReportCase):
    """Most tests look for pieces of the page's text."""

    def pictures(self):
        """Return: the <svg> elements of the page, parsed."""
        return [ElementTree.fromstring(svg) for svg in SVG.findall(self.html())]

    def test_one_svg_for_each_plot(self):
        self.make_well(read_step(), finish_step())
        self.assertEqual([svg.get('aria-label') for svg in self.pictures()], [
            'Latency of every operation',
            'Cumulative latency distribution of read in step read-qd1',
            'Busy share of flash units and channels during step read-qd1',
            'Cumulative latency distribution of finish in step finish',
            'Busy share of flash units and channels during step finish'])

    def test_drive_in_words(self):
        """What the run knew of the drive; else the device's numbers, of which
        planes that work as one are but one unit."""
        numbers = {'config': {'planes': 2, 'multi-plane': 1, 'erase-at': 2}}
        for drive in ({}, {'planes': '2', 'multi-plane': 'on',
                           'erase-at': 'background'}):
            with self.subTest(drive):
                self.make_well(read_step(**numbers), drive=drive)
                self.assert_shown(
                    '2 planes, which work as one</dd>', 'all 3 properties',
                    '<th scope="row">erase-at</th><td>%s</td>' % (
                        drive.get('erase-at', '2')),
                    '<th scope="row">femu-zns</th>'
                    '<td>0123456789ab-dirty</td>')
                self.setUp()

    def test_table(self):
        self.make_well(read_step())
        self.assert_shown(
            '<tr><th scope="row">read-qd1</th><td>100</td><td>132.2</td>'
            '<td>95.00</td><td>99.84</td><td>122.2</td><td>85.00</td>'
            '<td>89.09</td><td>5,000</td><td>19.5</td></tr>')
        self.assert_shown('software adds <b>10.0 µs</b>')

    def test_pictures_show_these_numbers(self):
        self.make_well(read_step())
        # Busy 2 of fio's 20 ms; 5 and 10 ms.
        self.assert_shown('<b>busy</b> share of fio&#x27;s run time')
        self.assert_shown('flash units: mean 19 %, busiest 50 %')
        self.assert_shown('channels: mean 5.0 %, busiest 10 %')
        self.assert_shown('device: p50 85 µs, p95 89.09 µs')
        texts = [text.text for text in self.pictures()[2].iter()
                 if text.tag.endswith('text')]
        for share in ('25 %', '50 %', '10 %'):
            self.assertIn(share, texts)

    def test_curve_has_its_corners_where_the_numbers_are(self):
        self.make_well(read_step())
        picture = self.pictures()[1]
        area = next(node for node in picture.iter()
                    if node.tag.endswith('rect'))
        bottom = float(area.get('y')) + float(area.get('height'))
        # 2 % above 100 % are free.
        whole = float(area.get('height')) / 1.02
        corners = corners_of(picture, '--device')
        xs = [x for x, _ in corners[1:-2:2]]
        shares = [(bottom - y) / whole for _, y in corners[2:-2:2]]
        for share, expected in zip(shares, (0.5, 0.95, 1), strict=True):
            self.assertAlmostEqual(share, expected, 4)
        self.assertAlmostEqual(corners[0][1], bottom, 4)
        # Logarithmic: 85000, the bucket of 90000, that of 785000.
        self.assertAlmostEqual(
            (xs[1] - xs[0]) / (xs[2] - xs[0]),
            math.log(89088 / 85000) / math.log(778240 / 85000), 5)

    def test_busy_units_have_more_colour(self):
        self.make_well(read_step())
        # 5 and 10 of 20 ms on a scale to 50 %, from 6 % of the colour on.
        self.assertEqual(
            re.findall(r'fill-opacity: ([0-9.]+)', SVG.findall(
                self.html())[2]), ['0.53'])
        # The share 1 has no opacity: full colour.
        self.assertEqual(SVG.findall(self.html())[2].count(
            'style="fill: var(--busy); stroke'), 1)

    def test_stands_alone(self):
        self.make_well(read_step(), finish_step())
        html = self.html()
        for part in ('<script', '<link', '<img', '@import', 'http:', 'https:',
                     '<!ENTITY', ' src='):
            self.assertEqual(html.count(part), 0, part)
        self.assertEqual(re.findall(r'url\((?!#)[^)]*', html), [])
        self.assertEqual(re.findall(r'href="(?!#)[^"]*', html), [])

    def test_ids_are_unique_and_references_lead_somewhere(self):
        self.make_well(read_step(), read_step('read-again'), finish_step())
        html = self.html()
        ids = re.findall(r'\bid="([^"]*)"', html)
        self.assertGreater(len(ids), 50)
        self.assertEqual(len(ids), len(set(ids)))
        used = set(re.findall(r'href="#([^"]*)"', html)
                   + re.findall(r'url\(#([^)]*)\)', html))
        self.assertGreater(len(used), 5)
        self.assertEqual(used - set(ids), set())

    def test_pictures_have_the_colours_of_the_page(self):
        self.make_well(read_step())
        defined = set(re.findall(r'(--[a-z]+):', self.html()))
        for svg in SVG.findall(self.html()):
            self.assertEqual(re.findall('#[0-9a-f]{6}', svg), [])
            used = set(re.findall(r'var\((--[a-z]+)\)', svg))
            self.assertLessEqual({'--muted', '--grid'}, used)
            self.assertLessEqual(used, defined)
        self.assert_shown('prefers-color-scheme: dark')

    def test_same_bytes_every_time(self):
        fixture.write_run(self.out_dir, [read_step(), finish_step()],
                          config='zn540', virtual_ns=3)
        pages = []
        for seed in ('1', '2'):
            subprocess.run(
                [os.path.join(HERE, '..', '..', 'scripts', 'report'),
                 self.out_dir], check=True, stdout=subprocess.DEVNULL,
                env={**os.environ, 'PYTHONHASHSEED': seed})
            pages.append(self.html())
            os.unlink(self.path('report.html'))
        self.assertEqual(pages[0], pages[1])

    def test_facts(self):
        self.make_well(
            read_step(config={'channels': 2, 'zone-size': 1 << 31}),
            virtual_ns=12345 * MS_NS, notes=['this drive <is> slow'],
            config='zn540', config_sum=ZN540_SUM,
            properties={'channels': '2', 'ways': '2'})
        self.assert_shown(
            '<h1>default <span>on</span> zn540</h1>',
            'zn540: fitted, then changed with SET',
            'virtual time: every run gives these numbers',
            '<dt>Virtual duration</dt><dd>12.3 s</dd>',
            '<dt>Real duration</dt><dd>65.2 s</dd>',
            '<dt>QEMU</dt><dd>10.0.13</dd>',
            '<dd>tcg, icount shift=0,sleep=off</dd>',
            '<dd>channels=2 ways=2</dd>',
            '<dd>2 channels × 2 ways × 1 die × 1 plane</dd>',
            'sha256 ' + ZN540_SUM, 'sha256 ' + 'cc' * 32,
            'sha256 ' + 'dd' * 32, 'fio-3.39',
            'all 2 properties', '<td>2147483648</td>',
            '<li>this drive &lt;is&gt; slow</li>')

    def test_not_of_the_lock(self):
        lines = self.make_well(read_step(), lock={
            'sha256': 'ab' * 32, 'differs': ['guest: fio 3.39-1 -> 3.40-1']})
        self.assertIn('note: not of packages.lock, which the numbers of '
                      'README.md belong to: guest: fio 3.39-1 -> 3.40-1',
                      lines)
        self.assert_shown('guest: fio 3.39-1 -&gt; 3.40-1',
                          'sha256 ' + 'ab' * 32)

    def test_of_the_lock(self):
        lines = self.make_well(read_step(), lock={
            'sha256': 'ab' * 32, 'differs': []})
        self.assertEqual([line for line in lines if 'lock' in line], [])
        self.assert_shown('as it has them')

    def test_calibrated_config_has_no_caveat(self):
        self.make_well(read_step())
        self.assertEqual(self.html().count('make validate'), 0)

    def test_passed_is_green(self):
        self.make_well(read_step())
        self.assert_shown('<span class="badge ok">passed</span>')

    def test_passed_is_not_green_if_something_is_to_be_said(self):
        self.make_well(read_step(), notes=['a remark'])
        self.assert_shown('<span class="badge warn">passed, with remarks'
                          '</span>', '<h2>Worth knowing</h2>')
        os.unlink(self.path('results/read-qd1.device.json'))
        self.make()
        self.assert_shown('<span class="badge bad">passed, but files of it '
                          'could not be read</span>')
        self.assertEqual(self.html().count('badge ok'), 0)

    def test_what_failed_is_red(self):
        self.make_well(read_step(), status='failed', failures=['read: why'])
        self.assert_shown('<span class="badge bad">failed</span>',
                          '<section class="box problem">\n<h2>What went '
                          'wrong in the run</h2>')

    def test_digits_that_mean_something(self):
        self.assertEqual([page_us(time_ns) for time_ns in (
            0, 17, 9999, 11263, 132250, 999949, 1000000, 455598501)], [
                '0.000', '0.017', '9.999', '11.26', '132.2', '999.9',
                '1,000', '455,599'])

    def test_wide_pictures_scroll_on_a_phone(self):
        self.make_well(read_step(**late('host', 2300, 41000, 912345)))
        self.assertEqual(len(re.findall('<div class="scroll"><svg',
                                        self.html())), 2)
        self.assert_shown('name="viewport" content="width=device-width',
                          '@media (max-width: 600px)')

    def test_user_text_is_text(self):
        name = 'read'
        entry, files = read_step(name)
        entry['command'] = 'fio --name="<script>alert(1)</script>"'
        self.make_well((entry, files))
        self.assert_shown('&lt;script&gt;alert(1)')
        self.assertEqual(self.html().count('<script'), 0)

    def test_lateness_in_virtual_time(self):
        self.make_well(read_step(**late('virtual', 0, 0, 0)))
        self.assert_shown('Virtual time: 1,100 completions posted in the very '
                          'nanosecond in which they were due.')
        self.assertEqual(len(self.pictures()), 3)

    def test_lateness_that_virtual_time_should_not_have(self):
        self.make_well(read_step(**late('virtual', 0, 0, 17)))
        self.assert_shown('up to 17 ns after they were due: this should not '
                          'be')
        self.assertEqual(len(self.pictures()), 4)

    def test_lateness_in_real_time(self):
        self.make_well(read_step(**late('host', 2300, 41000, 912345)),
                       time='real', accel='kvm')
        self.assert_shown('<td>1,100</td><td>2.300</td><td>41.00</td>'
                          '<td>912.3</td>')
        self.assert_shown('real time: numbers depend on the host')
        self.assertEqual(self.pictures()[-1].get('aria-label'),
                         'Lateness of completions: median, 99th percentile '
                         'and maximum of every step')

    def test_operations_that_take_no_time(self):
        # A logarithmic axis has no place for them: in no picture, but there.
        self.make_well(fixture.step('open', 'command', 'x', {
            'device': device({'open': device_op([0, 0])}, [0], [0], MS_NS)}))
        self.assertEqual([svg.get('aria-label') for svg in self.pictures()], [
            'Busy share of flash units and channels during step open'])
        self.assert_shown('<td>0.000</td>')

    def test_no_time_at_all(self):
        self.make_well(fixture.step('true', 'command', 'true', {
            'device': device({}, [0], [0], 0)}))
        self.assertEqual(self.pictures(), [])
        self.assert_shown('<h2>true</h2>')

    def test_a_drive_with_very_many_units(self):
        units = [idx % 100 for idx in range(64 * 128)]
        stats = device({'read': device_op([70000], 4096)}, [5] * 64, units,
                       100)
        self.make_well(fixture.step('read', 'command', 'x',
                                    {'device': stats}))
        self.assertEqual(len(self.pictures()), 3)
        # A bitmap, not 8192 shapes.
        self.assertEqual(self.html().count('data:image/png;base64'), 1)
        self.assertLess(len(self.html()), 300000)
