# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers as a reader wants them.

Knows nothing of what they count.
"""

NONE = '-'
UNITS = ((1e9, 's'), (1e6, 'ms'), (1e3, 'µs'), (1, 'ns'))
NS_PER_US = 1000
# From here on a table's column of us has no room for a decimal,
LONG_US = 1000000
# and from here on it shows seconds instead.
LONGEST_US = 100000000


def table_us(time_ns):
    """Return: a time in us of at most eight characters, or in s, with an "s",
    from 100 s on."""
    time_us = time_ns / NS_PER_US
    if time_us >= LONGEST_US:
        return '%.1fs' % (time_us / 1e6)
    return '%.0f' % time_us if time_us >= LONG_US else '%.1f' % time_us


def page_us(time_ns):
    """Return: a time in us with four significant digits, but with whole us from
    1 ms on and at most three decimals (1 ns)."""
    time_us = time_ns / NS_PER_US
    places = sum(time_us < limit for limit in (10, 100, 1000))
    return format(time_us, ',.%df' % places)


def short_time(time_ns):
    """Return: a time with about four digits and a unit: 725 µs, 49.15 s."""
    for size_ns, unit in UNITS:
        if time_ns >= size_ns:
            amount = time_ns / size_ns
            return ('%.0f %s' if amount >= 1000 else '%.4g %s') % (amount,
                                                                   unit)
    return '%.4g ns' % time_ns


def seconds(time_s):
    """Return: a duration of a run: 0.123 s, 12.3 s, 3 min 20 s."""
    if time_s < 1:
        return '%.3f s' % time_s
    if time_s < 100:
        return '%.1f s' % time_s
    if time_s < 3600:
        return '%d min %d s' % divmod(round(time_s), 60)
    return '%d h %d min' % divmod(round(time_s / 60), 60)


def iops(rate):
    """Return: a rate of commands; a dash for None."""
    if rate is None:
        return NONE
    return '%.0f' % rate if rate >= 100 else '%.2f' % rate


def mib(rate):
    """Return: a rate in MiB/s; a dash for None."""
    if rate is None:
        return NONE
    return '%.0f' % rate if rate >= 10000 else '%.1f' % rate


def share(part):
    """Return: a part of 1 as per cent: 0, 0.4 %, 37 %."""
    percent = part * 100
    if percent == 0:
        return '0'
    if percent < 0.1:
        return '<0.1 %'
    return '%.1f %%' % percent if percent < 9.95 else '%.0f %%' % percent


def grouped(text):
    """Return: the number TEXT with its thousands marked."""
    whole, point, rest = text.partition('.')
    if whole.isdecimal():
        whole = format(int(whole), ',')
    return whole + point + rest


def plural(count, noun):
    """Return: COUNT of NOUN: 1 command, 2,048 commands."""
    return '%s %s%s' % (format(count, ','), noun, '' if count == 1 else 's')
