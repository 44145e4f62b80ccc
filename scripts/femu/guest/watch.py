# SPDX-License-Identifier: GPL-2.0-or-later
"""Starts QEMU, shows how the guest gets on, and leaves no process behind:
whatever ends this, QEMU ends with it.

The guest's messages are lines; those that start with @ are for us:
  @ready UPTIME          the job starts
  @step NAME COMMAND     a step starts        @done NAME STATUS  it has ended
  @phase NAME PHASE      a part of it has    @prepare TEXT      between steps
  @note TEXT             worth telling        @fail WHAT: WHY    an error
  @mark                  the guest asks to be stopped
  @end FAILURES          the results are there

Knows nothing of what the steps measure, nor of where results go.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time

from femu.common import progress
from femu.guest import snapshot

PR_SET_PDEATHSIG = 1
POLL_S = 0.1
LOG_S = 15
TAIL_LINES = 25
TERMINATE_S = 3
SHORT_CHARS = 100


class WatchError(Exception):
    """The guest did not reach the end of its job; the message says how far it
    came. has_begun: whether the run has left more than that message."""

    def __init__(self, message, has_begun=True):
        super().__init__(message)
        self.has_begun = has_begun


class Interrupted(Exception):
    """A signal asked us to stop."""


def on_signals(numbers=(signal.SIGINT, signal.SIGTERM, signal.SIGHUP)):
    """From now on these signals raise Interrupted."""
    def raise_it(number, _frame):
        for other in numbers:
            signal.signal(other, signal.SIG_IGN)
        raise Interrupted(signal.Signals(number).name)
    for number in numbers:
        signal.signal(number, raise_it)


def die_with_parent():
    """In a child: be killed when the parent ends, however it ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == 1:
        os._exit(1)


class Tail:
    """Reads the lines that are appended to a growing file."""

    def __init__(self, path):
        self._path = path
        self._offset = 0
        self._rest = b''

    def lines(self):
        """Return: the whole lines since the last call."""
        try:
            with open(self._path, 'rb') as file:
                file.seek(self._offset)
                data = file.read()
        except FileNotFoundError:
            return []
        self._offset += len(data)
        *lines, self._rest = (self._rest + data).split(b'\n')
        return [line.decode(errors='replace') for line in lines]


class LineCounter:
    """Counts the lines of a file that may grow by gigabytes."""

    def __init__(self, path):
        self._path = path
        self._offset = 0
        self.count = 0

    def update(self):
        """Return: the number of lines so far."""
        try:
            with open(self._path, 'rb') as file:
                file.seek(self._offset)
                for block in iter(lambda: file.read(1 << 20), b''):
                    self._offset += len(block)
                    self.count += block.count(b'\n')
        except FileNotFoundError:
            pass
        return self.count


class Display:
    """One line that changes on a terminal; whole lines in a log."""

    def __init__(self, label):
        self._label = label
        self._start = time.monotonic()
        self._line = progress.Line()
        self._due = 0.0
        self._last = None

    def elapsed_s(self):
        """Return: seconds since this was made."""
        return time.monotonic() - self._start

    def _head(self):
        self._due = self.elapsed_s() + (
            progress.TERMINAL_S if self._line.terminal else LOG_S)
        return '%s: %6.1f s  ' % (self._label, self.elapsed_s())

    def say(self, text):
        """Prints a line that is not overwritten."""
        self._line.clear()
        print(self._head() + text, file=sys.stderr, flush=True)

    def show(self, text, counter=''):
        """Shows the state, but not more often than is of use: TEXT, which is
        cut on a narrow terminal, and COUNTER."""
        if self.elapsed_s() < self._due:
            return
        head = self._head()
        if self._line.terminal or (text, counter) != self._last:
            self._line.put(head + text, counter)
        self._last = text, counter

    def end(self):
        """Leaves the terminal's line empty."""
        self._line.clear()


class Watch:
    """A QEMU and the files by which it can be watched."""

    def __init__(self, argv, out_dir, trace, display, tell_state=None,
                 fork=None):
        """TELL_STATE, if given, is called with what is under way. FORK, if
        given, is asked when QEMU has been started and when the guest stops."""
        self._argv = argv
        self._display = display
        self._tell_state = tell_state
        self._fork = fork
        self._stderr = os.path.join(out_dir, 'qemu.txt')
        self._console = os.path.join(out_dir, 'console.txt')
        self._messages = Tail(os.path.join(out_dir, 'guest.txt'))
        self._commands = LineCounter(trace) if trace else None
        self._process = None
        self._activity = None
        self._active_at_s = 0.0
        self.state = 'QEMU starts, the guest boots'
        self.boot_s = None
        self.has_ended = False
        self.failures = []
        self.notes = []
        self._step_from_s = 0.0
        self.cpu_s = {}                 # of QEMU, in each step; see POLL_S

    def run(self, boot_s, stall_s):
        """Runs QEMU to its end. BOOT_S: until the job starts; STALL_S: without
        any sign of life afterwards. Raises WatchError if the guest did not
        reach the end of its job. QEMU is gone when this returns or raises."""
        try:
            self._start()
            while self._process.poll() is None:
                self._look()
                self._check_time(boot_s, stall_s)
                time.sleep(POLL_S)
            self._look()
        except snapshot.SnapshotError as error:
            raise WatchError(self._why(str(error))) from error
        finally:
            self._kill()
            self._display.end()
        if not self.has_ended:
            raise WatchError(self._why('QEMU ended (%s) in: %s' % (
                _status(self._process.returncode), self.state)),
                             _size(self._console) > 0)

    def _start(self):
        with open(self._stderr, 'wb') as stderr:
            self._process = subprocess.Popen(
                self._argv, stdin=subprocess.DEVNULL, stdout=stderr,
                stderr=stderr, start_new_session=True,
                preexec_fn=die_with_parent)
        if self._fork:
            self._fork.begin(lambda: self._process.poll() is None)

    def _kill(self):
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(TERMINATE_S)
            except subprocess.TimeoutExpired:
                pass
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()

    def _look(self):
        for line in self._messages.lines():
            word, _, rest = line.partition(' ')
            handler = self._HANDLERS.get(word)
            if handler:
                handler(self, rest)
            else:
                self._display.say('  | ' + line)
        counter = ''
        if self._commands and self._commands.update():
            counter = '  (%s commands so far)' % format(self._commands.count,
                                                        ',')
        self._display.show(self.state, counter)
        if self._tell_state:
            self._tell_state(self.state)

    def _on_mark(self, _rest):
        if self._fork:
            self._fork.at_mark(bool(self.failures))

    def _on_ready(self, rest):
        if self.boot_s is not None:
            return                      # once more, behind a mark
        self.boot_s = self._display.elapsed_s()
        self.state = 'the job starts'
        self._display.say('the guest is up (%s s of its own time)' % rest)

    def _cpu_s(self):
        """Return: the processor time that QEMU has had."""
        try:
            with open('/proc/%d/stat' % self._process.pid,
                      encoding='ascii', errors='replace') as file:
                words = file.read().rpartition(')')[2].split()
        except OSError:
            return 0.0                  # it has just ended
        return sum(map(int, words[11:13])) / os.sysconf('SC_CLK_TCK')

    def _on_step(self, rest):
        name, _, command = rest.partition(' ')
        self._step_from_s = self._cpu_s()
        self.state = 'step %s: %s' % (name, _short(command))
        self._display.say(self.state)

    def _on_prepare(self, rest):
        self.state = rest
        self._display.say(self.state)

    def _on_done(self, rest):
        name = rest.split(' ')[0]
        self.cpu_s[name] = round(self._cpu_s() - self._step_from_s, 3)
        self.state = 'step %s is done' % name

    def _on_phase(self, rest):
        self._display.say('phase %s is done' % rest.split(' ')[-1])

    def _on_note(self, rest):
        self.notes.append(rest)
        self._display.say('note: ' + rest)

    def _on_fail(self, rest):
        self.failures.append(rest)
        self._display.say('FAILED: ' + rest)

    def _on_end(self, _rest):
        self.has_ended = True
        self.state = 'the guest switches itself off'

    _HANDLERS = {'@ready': _on_ready, '@step': _on_step, '@done': _on_done,
                 '@prepare': _on_prepare, '@note': _on_note,
                 '@phase': _on_phase, '@mark': _on_mark,
                 '@fail': _on_fail, '@end': _on_end}

    def _check_time(self, boot_s, stall_s):
        now_s = self._display.elapsed_s()
        activity = (self.state, self._commands and self._commands.count,
                    _size(self._console))
        if activity != self._activity:
            self._activity, self._active_at_s = activity, now_s
        if self.boot_s is None and now_s > boot_s:
            raise WatchError(self._why(
                'the guest did not reach its job in %d s (BOOT= allows more)'
                % boot_s))
        if now_s - self._active_at_s > stall_s:
            raise WatchError(self._why(
                'no sign of life for %d s (STALL= allows more) in: %s'
                % (stall_s, self.state)))

    def _why(self, text):
        """Return: TEXT with the ends of QEMU's errors and of the console."""
        parts = [text]
        for label, path in (('QEMU says', self._stderr),
                            ("the guest's console ends with", self._console)):
            tail = _tail(path)
            if tail:
                parts.append('%s:\n%s' % (label, tail))
        return '\n'.join(parts)


def _short(text):
    return text if len(text) <= SHORT_CHARS else text[:SHORT_CHARS] + ' ...'


def _status(code):
    if code < 0:
        return 'killed by ' + signal.Signals(-code).name
    return 'exit status %d' % code


def _size(path):
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def _tail(path):
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            lines = [line.rstrip() for line in file]
    except FileNotFoundError:
        return ''
    return '\n'.join('  | ' + line for line in lines[-TAIL_LINES:])
