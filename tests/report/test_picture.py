# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture of a run in the documents: of which table it is.

Knows nothing of what a picture looks like.
"""

import os
import re

from fixture import device, device_op, step, write_run, zone_op
from case import ReportCase, read_step

from femu.common import made_by
from femu.drawing import png
from femu.report import picture
from femu.report.table import make as table_of
from femu.results import folder

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
PICTURE = os.path.join(TOP, 'docs/img/report.png')


def readme_table():
    """Return: the run's table that README.md shows."""
    with open(os.path.join(TOP, 'README.md'), encoding='utf-8') as file:
        return re.findall(r'^```\n([^`]*? fio latency, us [^`]*?)^```$',
                          file.read(), re.M)[0]


class PictureTest(ReportCase):
    """Hashes only; a reader has to look at the rest."""

    def test_documents_have_a_picture_of_their_table(self):
        self.assertEqual(
            picture.hash_in(PICTURE),
            picture.hash_of(readme_table()),
            'docs/img/report.png is not of the table in README.md: "make '
            'pictures" makes both')

    def test_documents_have_pictures_of_their_pages(self):
        for name, sources in made_by.PAGES.items():
            path = os.path.join(TOP, 'docs', 'img', name + '.png')
            self.assertEqual(
                png.text_in(path, made_by.KEY), sources.digest(),
                'docs/img/%s.png is older than the page that it shows: '
                '"scripts/pictures --pages RUN RUN" makes it anew' % name)

    def test_texts_of_a_png(self):
        path = self.out_dir + '.png'
        with open(path, 'wb') as file:
            file.write(b'\x89PNG\r\n\x1a\n' + b'\0\0\0\0IEND\xaeB`\x82')
        self.assertIsNone(png.text_in(path, 'key'))
        png.put_text(path, 'key', 'text')
        png.put_text(path, 'other', 'words')
        self.assertEqual([png.text_in(path, key) for key in (
            'key', 'other', 'ke')], ['text', 'words', None])

    def test_another_table_has_another_hash(self):
        table = readme_table()
        number = re.findall(r'\d+\.\d', table)[0]
        self.assertNotEqual(
            picture.hash_of(table),
            picture.hash_of(table.replace(number, number + '1', 1)))
        self.assertEqual(picture.hash_of(table),
                         picture.hash_of('\n' + table + '  \n'))

    def test_a_picture_says_its_table(self):
        path = self.out_dir + '.png'
        hashes = []
        for latency_ns in (5000000, 6000000):
            out_dir = '%s-%d' % (self.out_dir, latency_ns)
            finish = step('finish-half', 'zone-op', 'zone-op', {
                'zone': zone_op('finish', [latency_ns]),
                'device': device({'finish': device_op([latency_ns])}, [0],
                                 [0], 50000000)})
            write_run(out_dir, [read_step(), finish])
            run = folder.load(out_dir)
            table = picture.draw(path, run)
            self.assertEqual(table, '\n'.join(table_of(run)))
            hashes.append(picture.hash_in(path))
            self.assertEqual(hashes[-1], picture.hash_of(table))
        self.assertNotEqual(*hashes)

    def test_a_picture_of_no_table(self):
        path = self.out_dir + '.png'
        with open(path, 'wb') as file:
            file.write(b'\x89PNG\r\n\x1a\n' + b'\0\0\0\0IEND\xaeB`\x82')
        self.assertIsNone(picture.hash_in(path))
