# SPDX-License-Identifier: GPL-2.0-or-later
"""The slowest commands, and the file with all numbers.

Knows nothing of traces.
"""

from fixture import (MS_NS, bucket_low, device, device_op, fio, fio_job,
                     fio_side, step, zone_op)
from case import ReportCase, read_step

# 2000 reads: the one of rank 1980 is the last at 90000, of rank 1998 at 1 ms.
MANY_NS = [80000] * 1000 + [90000] * 980 + [1000000] * 18 + [5000000] * 2
HEAD = ('step,job,operation,by,commands,iops,mib_per_s,mean_ns,p50_ns,p95_ns,'
        'p99_ns,p99.9_ns,max_ns')


def many(**more):
    """Return: a step of 2000 reads; of the guest's, each took 10 us more."""
    return step('many', 'fio', 'fio', {
        'fio': fio(fio_job(read=fio_side([one + 10000 for one in MANY_NS],
                                         4096, 1000))),
        'device': device({'read': device_op(MANY_NS)}, [0], [0], 2000 * MS_NS,
                         **more)})


class TailsTest(ReportCase):
    """Numbers chosen by hand."""

    def csv(self):
        """Return: the lines of the file of numbers."""
        with open(self.path('latencies.csv'), encoding='utf-8') as file:
            return file.read().splitlines()

    def test_every_number(self):
        self.make_well(many())
        self.assertEqual(self.csv(), [
            HEAD, 'many,,read,fio,2000,2000,7.8125,108100,90000,99840,99840,'
            '1011712,5010000',
            'many,,read,device,2000,,,98100,80000,89088,89088,%d,5000000'
            % bucket_low(1000000)])
        self.assert_shown(
            '<h2>The slowest</h2>',
            '<tr><th scope="row">many read</th><td>99.84</td>'
            '<td>1,012</td><td>5,010</td><td>89.09</td>'
            '<td>999.4</td><td>5,000</td></tr>')

    def test_what_has_not_been_measured(self):
        self.make_well(
            step('reset', 'zone-op', 'zone-op', {
                'zone': zone_op('reset', [2000, 3000]),
                'device': device({}, [0], [0], MS_NS)}),
            step('mkfs', 'command', 'mkfs', {'device': device(
                {'write': device_op([5000] * 4, 16384)}, [0], [0],
                8 * MS_NS)}))
        self.assertEqual(self.csv()[1:], [
            'reset,,reset,zone-op,2,,,2500,2000,3000,3000,3000,3000',
            'mkfs,,write,device,4,333.3333333,1.302083333,5000,5000,5000,5000,5000,5000'])
        self.assert_shown(
            '<td>3.000</td><td>3.000</td><td>3.000</td><td>–</td><td>–</td>'
            '<td>–</td></tr>')

    def test_nothing(self):
        self.make_well(step('true', 'command', 'true', {
            'device': device({}, [0], [0], MS_NS)}))
        self.assertEqual(self.csv(), [HEAD])
        self.assertEqual(self.html().count('The slowest'), 0)

    def test_jobs_have_their_name(self):
        jobs = [fio_job(name, write=fio_side([1000], 4096, 1))
                for name in ('a', 'b')]
        self.make_well(step('two', 'fio', 'fio', {
            'fio': fio(*jobs), 'device': device({}, [0], [0], MS_NS)}))
        self.assertEqual([line.split(',')[:4] for line in self.csv()[1:]], [
            ['two', '', 'write', 'fio'], ['two', 'a', 'write', 'fio'],
            ['two', 'b', 'write', 'fio']])

    def test_time_dilation(self):
        """Times are the drive's."""
        self.make_well(many(time_dilation=10))
        self.assertEqual(self.csv()[1], 'many,,read,fio,2000,20000,78.125,10810,'
                         '9000,9984,9984,101171.2,501000')

    def test_user_text_is_text(self):
        jobs = [fio_job(name, write=fio_side([1000], 4096, 1))
                for name in ('<b>,"x"', 'b')]
        self.make_well(read_step(), step('two', 'fio', 'fio', {
            'fio': fio(*jobs), 'device': device({}, [0], [0], MS_NS)}))
        self.assertIn('two,"<b>,""x""",write,fio,1,1000,3.90625', self.csv()[4])
        self.assertEqual(self.html().count('<b>,'), 0)
