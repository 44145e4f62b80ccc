# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of a drive at work, as a picture for the documents: of a simulation
whose samples were all written down, at a moment in its midst, so that it need
not be caught while it runs.

Knows nothing of documents.
"""

import json
import os
import subprocess
import tempfile

from femu.drawing import browser
from femu.live import server, watched

JOB = ('fio', '--runtime=60', '--time_based', '--name=log', '--rw=write',
       '--bs=64k', '--size=20z', '--numjobs=3', '--offset_increment=20z',
       '--name=db', '--rw=randread', '--bs=4k', '--offset=70z', '--size=4z',
       '--prefill=50%', '--iodepth=8')
WIDTH, HEIGHT = 1160, 1640
LIMIT_S = 600


def samples(sim, config):
    """Return: what the simulator SIM writes down of JOB on a drive."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'live')
        subprocess.run([sim, *JOB, '--config=' + config, '--live=' + path],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=True, timeout=LIMIT_S)
        with open(path, encoding='ascii') as file:
            return [json.loads(line) for line in file]


def draw(path, sim, config):
    """Writes the picture."""
    made = samples(sim, config)
    told = watched.Watched('three logs and a database on zn540')
    told.step('femu-sim ' + ' '.join(JOB[:3]) + ' ...')
    for sample in made[:2 * len(made) // 3]:
        told.add(sample)
    served = server.Server(0, told)
    try:
        browser.screenshot(served.url, path, WIDTH, HEIGHT)
    finally:
        served.end('')
