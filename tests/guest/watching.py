# SPDX-License-Identifier: GPL-2.0-or-later
"""LIVE=1: the page of a run, in a browser, and that nobody's watching changes
anything.

QEMU is stopped, as a whole, while the browser looks: so what is on the page can
be compared, and however long that takes, the guest does not see it.

Knows nothing of how a run is watched.
"""

import json
import os
import re
import signal
import subprocess
import urllib.error
import urllib.request

from common import RUN, TOP, config, environment, folder, run, wait_for
from runs import qemus_of

from femu.drawing import browser

LIMIT_S = 300
JOB = '''\
step fill fio --name=w --filename="$DRIVE" --direct=1 --zonemode=zbd \\
    --rw=write --bs=16k --size=1z
step look fio --name=r --filename="$DRIVE" --direct=1 --zonemode=zbd \\
    --rw=randread --bs=4k --size=1z --io_size=12m
'''


def ask(url):
    """Return: what the page is told, or None if nobody answers."""
    try:
        with urllib.request.urlopen(url + 'data', timeout=LIMIT_S) as answer:
            return json.load(answer)
    except (urllib.error.URLError, ConnectionError):
        return None


def refused(url):
    """Return: the status for a host of another name that leads here, and for a
    path that there is not."""
    found = []
    for path, host in (('', 'example.org'), ('etc/passwd', '127.0.0.1')):
        try:
            urllib.request.urlopen(urllib.request.Request(
                url + path, headers={'Host': host}), timeout=LIMIT_S).close()
            found.append(200)
        except urllib.error.HTTPError as error:
            found.append(error.code)
    return found


def texts(html):
    """Return: {id: text} of a page's elements that hold text alone."""
    return dict(re.findall(r'<\w+[^>]* id="([\w-]+)"[^>]*>([^<]*)<', html))


def row(html, name):
    """Return: the cells of an operation's row."""
    found = re.search(r'<tr id="op-%s">(.*?)</tr>' % name, html)
    return re.findall(r'<td>([^<]*)</td>', found[1]) if found else []


def look(tap, url, out):
    """Stops QEMU when it reads, and compares the page with the numbers."""
    reading = wait_for(lambda: (ask(url) or {}).get('now', {}).get(
        'ops', {}).get('read', [0])[0] > 100, LIMIT_S)
    for pid in qemus_of(out):
        os.kill(pid, signal.SIGSTOP)
    try:
        # The last answer may still be on its way.
        told = wait_for(lambda: ask(url) if ask(url) == ask(url) else None,
                        LIMIT_S)
        html = browser.dom(url) if browser.is_there() else None
    finally:
        for pid in qemus_of(out):
            os.kill(pid, signal.SIGCONT)
    tap.same([bool(reading), refused(url)], [True, [403, 404]],
             'live: others are refused')
    if html is None:
        tap.skip('live: the page in a browser', 'there is no chromium')
    else:
        compare(tap, told, html)


def compare(tap, told, html):
    """What the page was told, and what it shows."""
    now, shown = told['now'], texts(html)
    tap.same([shown.get('state'), shown.get('step')],
             ['running', told['step']], 'live: the step under way')
    tap.same([shown.get('now'), shown.get('inside')],
             ['%.6f s' % (now['now_ns'] / 1e9),
              '%d of %d' % (now['inside'], now['slots'])],
             "live: the page has the drive's time, and the commands inside")
    # A run starts the statistics anew with each step.
    tap.same([row(html, op)[:2] for op in now['ops']],
             [[op, '{:,}'.format(made[0])] for op, made in now['ops'].items()],
             'live: how many commands it has done')
    tap.same(html.count('class="k-f"'), now['namespaces'][0]['zones'].count(
        'f'), 'live: a cell for each full zone')


def taken(url):
    """Return: (status, last line) of a run at a port that is in use."""
    port = url.rsplit(':', 1)[1].strip('/')
    done = subprocess.run(
        [RUN], env=environment({'LIVE': port, 'OUT': folder('live-taken')}),
        cwd=TOP, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False, timeout=LIMIT_S)
    return done.returncode, done.stdout.splitlines()[-1].replace(port, 'PORT')


def test_live(tap):
    """The page of a run; and with it the trace is the same."""
    job = os.path.join(folder('live-job'), 'live.sh')
    os.makedirs(os.path.dirname(job))
    with open(job, 'w', encoding='ascii') as file:
        file.write(JOB)
    asked = {'JOB': job, 'CONFIG': config('tiny.cfg')}
    alone, status, text = run('live-alone', **asked)
    tap.result(status == 0, 'live: the run that nobody watches', text)
    out = folder('live')
    with subprocess.Popen(
            [RUN], env=environment({**asked, 'LIVE': '1', 'OUT': out}),
            cwd=TOP, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True) as process:
        url = next((line.split('live: ')[1].strip() for line in process.stderr
                    if 'live: ' in line), None)
        look(tap, url, out)
        tap.same(taken(url), (1, 'run: error: LIVE=PORT: the port is in use: '
                              'choose another one, or LIVE=1 for any that is '
                              'free'), 'live: a port that is in use')
        ended = None
        while process.poll() is None and not ended:
            ended = (ask(url) or {}).get('ended')
        process.stderr.read()
    tap.same([process.returncode, ended], [0, 'the run is done'],
             'live: the page is told that the run has ended')
    traces = []
    for path in (alone, out):
        with open(os.path.join(path, 'trace.csv'), 'rb') as file:
            traces.append(file.read())
    tap.result(traces[0] == traces[1] and len(traces[0]) > 100000,
               'live: the trace is the same, byte for byte',
               '%d and %d bytes' % tuple(map(len, traces)))


GROUPS = {'live': test_live}
