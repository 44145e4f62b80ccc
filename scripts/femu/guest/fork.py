# SPDX-License-Identifier: GPL-2.0-or-later
"""A run that goes on from the end of a preparation: from a state that is there;
or it prepares, leaves a state to others, and goes on.

Both are the same to the guest: it is stopped behind its preparation, and what
it has to do next is at the end of the results' memory.

Knows nothing of where FROM= leads, and of QEMU only its arguments and monitor.
"""

import os
import shutil
import time

from femu.common import digest, os_errors, qmp, states
from femu.guest import snapshot, two_parts

JOB_FILE = 'job.sh'


class Fork:
    """A run from ORIGIN, with the states in CACHE. SAY prints. Raises
    StatesError if STATES= names a folder that takes none."""

    def __init__(self, origin, cache, say):
        cache.can_keep()
        self.origin = origin
        self._cache = cache
        self._say = say
        self._rest = origin.rest()
        self._place = qmp.Place()
        self._monitor = None
        self._started_s = None
        self._name = None
        self._state = None
        self._config = None

    def job_files(self):
        """Return: {name: bytes} of what the guest begins with."""
        text = two_parts.first_part(self.origin.preparation)
        return {JOB_FILE: text.encode(errors='surrogateescape')}

    def leave_rest(self, results):
        """Puts what the guest does behind the preparation into the file
        RESULTS."""
        with open(results, 'r+b') as file:
            file.seek(-two_parts.REST_BYTES, os.SEEK_END)
            file.write(self._rest)

    def argv(self, argv, files, out_dir, config):
        """ARGV: the machine's, which maps and writes files in OUT_DIR; FILES:
        those of its words that stand for a file that it reads. CONFIG: the
        drive's. Return: the whole command line."""
        argv = argv + two_parts.STOP
        hashes = {path: digest.sha256(path) for path in files}
        self._name = states.name_of([
            hashes.get(word) or _without(word, hashes, out_dir)
            for word in argv])
        self._config = config
        self._state = self._cache.find(self._name)
        if self._state:
            self._state.check()
            self._state.use()
            argv = argv + ['-incoming', 'defer']
        return argv + self._place.argv()

    def begin(self, is_alive):
        """QEMU has been started; IS_ALIVE tells whether it still is there."""
        self._started_s = time.monotonic()
        self._monitor = snapshot.Monitor(self._place.path, is_alive)
        if not self._state:
            self._say('no state of this preparation is there: it is done now, '
                      'and kept')
            return
        self._monitor.load(self._state.machine)
        self._monitor.go_on()
        took_s = time.monotonic() - self._started_s
        self._say('from the state %s in %.1f s: boot and preparation, %.1f s, '
                  'are not done again' % (self._name, took_s,
                                          self._state.meta['prepared_s']))

    def at_mark(self, has_failed):
        """The guest has prepared. HAS_FAILED: it said so."""
        self._monitor.wait_until_it_stands()
        if not self._state and not has_failed:
            self._keep()
        self._monitor.go_on()

    def end(self):
        """QEMU has ended."""
        if self._monitor:
            self._monitor.close()
        self._place.remove()

    def meta(self):
        """Return: what meta.json says of it."""
        return {'asked': self.origin.asked, 'state': self._name,
                'was_there': self._state is not None,
                'prepared_s': self._state.meta['prepared_s'] if self._state
                              else None,
                'preparation': self.origin.preparation,
                'args': self.origin.machine_args}

    def _keep(self):
        prepared_s = time.monotonic() - self._started_s
        room = None
        try:
            room = self._cache.room()
            self._monitor.save(os.path.join(room, states.MACHINE))
            self._describe(room)
            gone = self._cache.keep(room, self._name, {
                'variables': self.origin.variables,
                'args': self.origin.machine_args,
                'preparation': self.origin.preparation,
                'prepared_s': round(prepared_s, 3)})
        except (OSError, snapshot.SnapshotError) as error:
            if room:
                shutil.rmtree(room, ignore_errors=True)
            self._say('the state is not kept: %s' % os_errors.text(error))
            return
        self._say(self._told(prepared_s, gone))

    def _describe(self, room):
        shutil.copyfile(self._config, os.path.join(room, 'config.cfg'))
        with open(os.path.join(room, 'prepare.sh'), 'w', encoding='utf-8',
                  errors='surrogateescape') as file:
            file.write(self.origin.preparation)

    def _told(self, prepared_s, gone):
        if gone is None:
            return ('the state is not kept: it is larger than all that '
                    'STATES_MIB= allows')
        text = 'the state %s is kept: boot and preparation took %.1f s' % (
            self._name, prepared_s)
        return text + ''.join('; %s had to go for it' % name for name in gone)


def _without(word, hashes, out_dir):
    """Return: WORD, whatever the names of files and folders in it."""
    for path, value in hashes.items():
        word = word.replace(path.replace(',', ',,'), value)
    return word.replace(out_dir.replace(',', ',,'), 'OUT')
