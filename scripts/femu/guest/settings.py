# SPDX-License-Identifier: GPL-2.0-or-later
"""The user's settings from environment variables, checked before anything is
started: every error names the variable, its value and what would be right.

Knows nothing of QEMU's command line, nor of what happens in the guest.
"""

import hashlib
import os
import re
import shlex
import stat

from femu.common.asked import SettingsError, properties as properties_of
from femu.common.paths import TOP
from femu.guest import drives

JOB_NAME = re.compile(r'[A-Za-z0-9][A-Za-z0-9._-]*\.(fio|sh)')
SIZE = re.compile(r'([1-9][0-9]*)([MG])')
MIB = 1 << 20
MIN_MEM_MIB = 256
# EXTRA is in the guest's memory twice while its kernel unpacks it, beside the
# kernel and our own initramfs; the job's own programs need some, too.
EXTRA_BESIDE_MIB = 128
EXTRA_COMFORT_MIB = 256
GUEST_FILES = ('vmlinux', 'initrd.cpio', 'root.erofs', 'manifest')
# The device's (DILATION_MAX in pci/femu_pci.c).
MAX_DILATION = 1000000
# In virtual time each processor has a timer of the HPET's, of which that keeps
# three; QEMU gives it 32.
MAX_CPUS_VIRTUAL = 29
MAX_CPUS_REAL = 64
# On the root bus.
MAX_DRIVES = 16
# QEMU's icount has shifts up to 10.
INSN_NS = [str(1 << shift) for shift in range(11)]
# Longest name of a guest's folder; a longer one is cut and ends in a hash.
LONGEST_NAME = 100
# Variables that a job's own line "#: NAME=VALUE ..." may set.
ASKED_BY_JOB = ('PACKAGES', 'MEM')
JOB_ASKS = re.compile(r'^#:[ \t]+(.*)$', re.MULTILINE)
PACKAGE = re.compile(r'[a-z0-9][a-z0-9+.-]+')
# Variables that make the machine, and the drive in it; those that are paths.
MACHINE = ('CONFIG', 'DRIVES', 'SET', 'TIME', 'DILATION', 'INSN_NS',
           'PACKAGES', 'EXTRA', 'KERNEL', 'INITRD', 'APPEND', 'MEM', 'CPUS',
           'RESULTS_MIB', 'TRACE', 'STATE', 'DISK', 'IOTHREAD', 'ACCEL',
           'INSNS')
PATHS = ('EXTRA', 'KERNEL', 'INITRD', 'STATE', 'DISK')
ARGUMENT = re.compile(r'([a-z][a-z0-9_]*)=(.*)')


def given(env):
    """Return: {NAME: value} of the variables in ENV that make the machine;
    paths are absolute."""
    found = {name: os.path.abspath(env[name]) if name in PATHS else env[name]
             for name in MACHINE if env.get(name)}
    if 'CONFIG' in found:
        found['CONFIG'] = ','.join(map(os.path.abspath,
                                       config_paths(found['CONFIG'])))
    return found


def config_paths(text):
    """Return: the paths that CONFIG=TEXT names: one, or "a.cfg,b.cfg"."""
    return [text] if os.path.isfile(text) else text.split(',')


def guest_build(env):
    """Return: the folder in which guests are built."""
    return env.get('GUEST_BUILD', os.path.join(TOP, 'build-guest'))


def guest_folder(build, asked):
    """Return: the folder of the guest that has the packages ASKED, in BUILD."""
    name = 'with-' + '+'.join(asked)
    if len(name) > LONGEST_NAME:
        name = '%s-%s' % (name[:LONGEST_NAME],
                          hashlib.sha256(name.encode()).hexdigest()[:8])
    return os.path.join(build, name) if asked else build


def packages_in(folder):
    """Return: the packages that the guest in FOLDER was asked to have."""
    with open(os.path.join(folder, 'manifest'), encoding='utf-8') as file:
        return [line.split()[1] for line in file if line.startswith('asked ')]


def job_path(env):
    """Return: the path of the job, whether it is there or not."""
    return env.get('JOB') or os.path.join(TOP, 'jobs', 'default.sh')


def asked_by_job(env):
    """Return: {NAME: value} that the job itself asks for."""
    path, found = job_path(env), {}
    if not os.path.isfile(path):
        return found                    # reported where the job is read
    with open(path, encoding='utf-8', errors='replace') as file:
        for line in JOB_ASKS.findall(file.read()):
            for word in _words('JOB=%s: "#: %s"' % (path, line), line):
                name, equals, value = word.partition('=')
                if name not in ASKED_BY_JOB or not equals:
                    raise SettingsError(
                        'JOB=%s: "#: %s": "%s" is none of %s' % (
                            path, line, word, ', '.join(
                                one + '=' for one in ASKED_BY_JOB)))
                found[name] = value
    return found


def packages(env):
    """Return: the Debian packages that PACKAGES= and the job ask for."""
    names = set()
    for text in (env.get('PACKAGES'), asked_by_job(env).get('PACKAGES')):
        names.update((text or '').split())
    for name in sorted(names):
        if not PACKAGE.fullmatch(name):
            raise SettingsError('PACKAGES=%s: "%s" is no name of a Debian '
                                'package' % (env.get('PACKAGES', ''), name))
    return sorted(names)


def read_args(text):
    """ARGS="n=4 size=1G". Return: name -> value."""
    args = {}
    for word in _words('ARGS=%s' % text, text or ''):
        match = ARGUMENT.fullmatch(word)
        if not match:
            raise SettingsError(
                'ARGS=%s: "%s" is not name=value, with a name of small letters,'
                ' digits and _, as in ARGS="n=4 size=1G"' % (text, word))
        args[match[1]] = match[2]
    return args


def _words(where, text):
    try:
        return shlex.split(text)
    except ValueError as error:
        raise SettingsError('%s: %s' % (where, error)) from error


def own_guest(env):
    """Return: GUEST, the folder of a guest that was built elsewhere, or None.
    (scripts/observations has another meaning for 0 and 1.)"""
    folder = env.get('GUEST') or None
    if folder in (None, '0', '1'):
        return None
    for name in GUEST_FILES:
        if not os.path.isfile(os.path.join(folder, name)):
            raise SettingsError(
                'GUEST=%s: no file %s in it; a folder build-guest that "make '
                'guest" made has %s' % (folder, name, ', '.join(GUEST_FILES)))
    return os.path.abspath(folder)


class Settings:
    """All settings of the user for a run or a login.

    A drive is its config's [device "zns0"]; driver is the first's driver
    property, configs has all of them, config the first.
    Paths are absolute; those the user did not give are None. For a LOGIN,
    TRACE is the file to record to; for a run, whether to record.
    """

    def __init__(self, env, login=False):
        self._env = env
        self.variables = given(env)
        self.configs = self._configs()
        self.config = self.configs[0]
        properties = drive_properties(self.config)
        self.driver = properties['driver']
        self.set = properties_of(env.get('SET'))
        self.namespaces = namespace_count(dict(properties, **self.set))
        self.real_time = self._choice('TIME', ['virtual', 'real']) == 'real'
        self.iothread = self._choice('IOTHREAD', ['0', '1']) == '1'
        self.accel = self._choice('ACCEL', ['any', 'kvm', 'tcg'])
        self.insns = self._choice('INSNS', ['0', '1']) == '1'
        self.trace = login or self._choice('TRACE', ['1', '0']) == '1'
        self.journal = self._choice('JOURNAL', ['0', '1']) == '1'
        self.trace_file = os.path.abspath(env['TRACE']) \
            if login and env.get('TRACE') else None
        self.dilation = self._number(
            'SPEED' if env.get('SPEED') else 'DILATION', 1, 1, MAX_DILATION)
        self.insn_ns = int(self._choice('INSN_NS', INSN_NS))
        asked = {} if login else asked_by_job(env)
        # A login has no job.
        self.packages = packages(dict(env, JOB=os.devnull) if login else env)
        self.args = read_args(env.get('ARGS'))
        self.mem_mib = self._size_mib('MEM', asked.get('MEM') or '1024M')
        self.results_mib = self._number('RESULTS_MIB', 128, 2, 65536)
        self.cpus = self._cpus()
        self.stall_s = self._number('STALL', 600, 1, 1 << 20)
        self.extra = self._folder('EXTRA')
        self._extra_mib = -(-tree_bytes(self.extra) // MIB)
        # Unpacking EXTRA makes the boot longer.
        self.boot_s = self._number('BOOT', 180 + self._extra_mib // 2, 1,
                                   1 << 20)
        self.kernel = self._file('KERNEL')
        self.initrd = self._file('INITRD')
        self.disk = self._file('DISK')
        self.state = os.path.abspath(env['STATE']) if env.get('STATE') \
            else None
        self.append = env.get('APPEND', '')
        self.out = env.get('OUT') or None
        self.live = env.get('LIVE') or None
        self._check_together()
        if self.journal and login and not self.trace_file:
            raise SettingsError('JOURNAL=1: goes with TRACE=file, which says '
                                'where both are')
        if self.state:
            drives.check_state(self.state, len(self.configs))
        self._check_drives()

    def _configs(self):
        """Return: the path of each drive's configuration."""
        text = self._env.get('CONFIG') or os.path.join(TOP, 'configs',
                                                       'zn540.cfg')
        paths = config_paths(text)
        for path in paths:
            if not os.path.isfile(path) or not os.access(path, os.R_OK):
                raise SettingsError('CONFIG=%s: no such file, or not readable'
                                    % path)
        count = self._number('DRIVES', len(paths), 1, MAX_DRIVES)
        if len(paths) not in (1, count):
            raise SettingsError(
                'DRIVES=%d: CONFIG=%s names %d; one for all of them, or one '
                'for each, is expected' % (count, text, len(paths)))
        return [os.path.abspath(path) for path in
                (paths * count if len(paths) == 1 else paths)]

    def _check_drives(self):
        if len(self.configs) == 1:
            return
        for config in self.configs:
            properties = drive_properties(config)
            if properties['driver'] != 'femu-zns':
                raise SettingsError(
                    'CONFIG=%s: of several drives, each must be a femu-zns, '
                    'not %s' % (config, properties['driver']))
            count = namespace_count(dict(properties, **self.set))
            if count > 1:
                raise SettingsError(
                    'DRIVES=%d: a drive of %s has %d namespaces; of several '
                    'drives each must have one' % (
                        len(self.configs), config, count))
        if self.live:
            raise SettingsError('LIVE=%s: the page shows one drive, of %d it '
                                'cannot' % (self.live, len(self.configs)))

    def job(self, other=None):
        """Return: the path of the job: OTHER, JOB or the one that comes with
        us. What it asks for is there."""
        path = self._file('JOB', job_path({}), other)
        missing = set(packages(dict(self._env, JOB=path))) - set(self.packages)
        if missing:
            raise SettingsError(
                'JOB=%s: it asks for the packages %s, which the machine that '
                'was prepared does not have' % (path,
                                                ' '.join(sorted(missing))))
        if not JOB_NAME.fullmatch(os.path.basename(path)):
            raise SettingsError(
                'JOB=%s: a job is a fio job, NAME.fio, or a shell script, '
                'NAME.sh; letters, digits, . _ - are allowed' % path)
        return path

    @property
    def has_own_qemu(self):
        """Whether QEMU= names another one than ours."""
        return bool(self._env.get('QEMU'))

    def qemu(self):
        """Return: (QEMU's program, the folder with its firmware or None)."""
        own = self._env.get('QEMU')
        if own:
            found = own if os.access(own, os.X_OK) else _in_path(own)
            if not found:
                raise SettingsError('QEMU=%s: no such program' % own)
            return found, None
        work = self._env.get('QEMU_WORK', os.path.join(TOP, 'build-qemu'))
        program = os.path.join(work, 'build', 'qemu-system-x86_64')
        if not os.access(program, os.X_OK):
            raise SettingsError('no QEMU at %s: "make qemu" builds it'
                                % program)
        return program, os.path.join(work, 'firmware')

    def qemu_source(self):
        """Return: the file that says which sources QEMU is of, or None."""
        firmware = self.qemu()[1]
        path = firmware and os.path.join(os.path.dirname(firmware), 'src.id')
        return path if path and os.path.exists(path) else None

    def guest(self):
        """Return: the folder of the guest's kernel and images."""
        own = own_guest(self._env)
        if own:
            missing = set(self.packages) - set(packages_in(own))
            if missing:
                raise SettingsError(
                    'GUEST=%s: it was built without the packages %s: '
                    'PACKAGES= of "make guest" asks for them, where there is an '
                    'apt' % (self._env['GUEST'], ', '.join(sorted(missing))))
            return own
        folder = guest_folder(guest_build(self._env), self.packages)
        if not os.path.exists(os.path.join(folder, 'manifest')):
            raise SettingsError(
                'no guest in %s: "make guest%s" builds it' % (
                    folder, self.packages and ' PACKAGES=%s' % shlex.quote(
                        ' '.join(self.packages)) or ''))
        return folder

    def _check_together(self):
        if self.initrd and not self.kernel:
            raise SettingsError('INITRD=%s needs a KERNEL= too' % self.initrd)
        if self.extra and self.mem_mib < \
                2 * self._extra_mib + EXTRA_BESIDE_MIB:
            enough_mib = 2 * self._extra_mib + EXTRA_COMFORT_MIB
            raise SettingsError(
                'EXTRA=%s: its %d MiB do not fit into MEM=%dM, which has to '
                'hold them twice while the guest starts: MEM=%dM would do, or '
                'a DISK=' % (self.extra, self._extra_mib, self.mem_mib,
                             -(-enough_mib // 256) * 256))
        if self.insn_ns != 1 and self.real_time:
            raise SettingsError('INSN_NS=%d: only virtual time counts '
                                'instructions' % self.insn_ns)
        if self.insns and self.real_time:
            raise SettingsError('INSNS=1: only virtual time counts '
                                'instructions')
        if self.journal and (not self.trace or self.state or
                             self._env.get('FROM') or
                             self.driver != 'femu-zns'):
            raise SettingsError('JOURNAL=1: goes with a trace of a new '
                                'femu-zns, so without TRACE=0, STATE= and '
                                'FROM=')
        for name, is_given in (('STATE', self.state),
                               ('JOURNAL', self.journal)):
            if is_given and name.lower() in self.set:
                raise SettingsError('%s=%s and SET=%s=%s: one of them is '
                                    'expected' % (
                                        name, self._env[name], name.lower(),
                                        self.set[name.lower()]))
        if self.iothread and (not self.real_time or
                              self.driver != 'femu-zns'):
            raise SettingsError('IOTHREAD=1: a thread of the host goes with a '
                                'femu-zns in real time: TIME=real')
        if self.accel != 'any' and not self.real_time:
            raise SettingsError('ACCEL=%s: virtual time counts the '
                                'instructions of emulated processors; TIME=real '
                                'is expected' % self.accel)
        if self.driver != 'femu-zns' and self.dilation != 1:
            raise SettingsError('%s=%d: the drive of %s is %s, only '
                                'femu-zns has time dilation' % (
                                    'SPEED' if self._env.get('SPEED')
                                    else 'DILATION',
                                    self.dilation, self.config, self.driver))
        self._check_speed()

    def _check_speed(self):
        if not self._env.get('SPEED'):
            return
        for name in ('DILATION', 'INSN_NS'):
            if self._env.get(name):
                raise SettingsError(
                    'SPEED=%d and %s=%s: both say how fast a processor is; one '
                    'of them is expected' % (self.dilation, name,
                                             self._env[name]))
        if self.real_time:
            raise SettingsError('SPEED=%d: in real time the host says how fast '
                                'a processor is; TIME=virtual is expected'
                                % self.dilation)

    def _file(self, name, default=None, other=None):
        path = other or self._env.get(name) or default
        if path is None:
            return None
        if not os.path.isfile(path) or not os.access(path, os.R_OK):
            raise SettingsError('%s=%s: no such file, or not readable'
                                % (name, path))
        return os.path.abspath(path)

    def _folder(self, name):
        path = self._env.get(name)
        if not path:
            return None
        if not os.path.isdir(path):
            raise SettingsError('%s=%s: no such directory' % (name, path))
        return os.path.abspath(path)

    def _choice(self, name, values):
        value = self._env.get(name) or values[0]
        if value not in values:
            raise SettingsError('%s=%s: %s is expected'
                                % (name, value, ' or '.join(values)))
        return value

    def _number(self, name, default, low, high):
        text = self._env.get(name) or str(default)
        if not re.fullmatch('[0-9]{1,9}', text) or \
                not low <= int(text) <= high:
            raise SettingsError('%s=%s: a whole number from %d to %d is '
                                'expected' % (name, text, low, high))
        return int(text)

    def _cpus(self):
        if self.real_time:
            return self._number('CPUS', 1, 1, MAX_CPUS_REAL)
        try:
            return self._number('CPUS', 1, 1, MAX_CPUS_VIRTUAL)
        except SettingsError as error:
            raise SettingsError('%s in virtual time; TIME=real takes up to %d' %
                                (error, MAX_CPUS_REAL)) from error

    def _size_mib(self, name, default):
        text = self._env.get(name) or default
        match = SIZE.fullmatch(text)
        mib = 0
        if match:
            mib = int(match[1]) * (1024 if match[2] == 'G' else 1)
        if mib < MIN_MEM_MIB:
            raise SettingsError('%s=%s: a size like 1024M or 2G is expected, '
                                'at least %dM' % (name, text, MIN_MEM_MIB))
        return mib


def tree_bytes(top):
    """Return: what the files below the folder TOP hold; of None, 0."""
    total = 0
    for here, _, names in os.walk(top) if top else ():
        for name in names:
            info = os.lstat(os.path.join(here, name))
            total += info.st_size if stat.S_ISREG(info.st_mode) else 0
    return total


def namespace_count(properties):
    """Return: how many namespaces a drive of these properties has. It does not
    check them: QEMU does."""
    zoned = properties.get('namespaces', '1')
    conventional = properties.get('conventional-size', '0')
    return (int(zoned) if zoned.isdecimal() else 1) + \
        (re.match('0[A-Za-z]*$', conventional) is None)


def drive_properties(config):
    """Return: {name: text} of CONFIG's [device "zns0"]."""
    section, found = None, {}
    with open(config, encoding='utf-8', errors='replace') as file:
        for line in file:
            line = line.strip()
            if line.startswith('['):
                section = line
            match = re.fullmatch(r'([a-z][a-z0-9.-]*)\s*=\s*"(.*)"', line)
            if match and section == '[device "zns0"]':
                found[match[1]] = match[2]
    if 'driver' not in found:
        raise SettingsError('CONFIG=%s: the drive is missing: a section '
                            '[device "zns0"] with driver = "femu-zns"'
                            % config)
    return found


def _in_path(name):
    for folder in os.environ.get('PATH', '').split(':'):
        path = os.path.join(folder, name)
        if '/' not in name and os.access(path, os.X_OK):
            return path
    return None
