# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU's command line for a guest with a drive, in virtual or in real time.

Virtual time is the same in every run only if nothing enters the guest at a time
that the host decides. So the root image and the results are memory (NVDIMMs),
the job comes with the initramfs, and messages leave by an I/O port.

Knows nothing of jobs and results, and of the drive only its QEMU id.
"""

import hashlib
import os
import re
import subprocess

from femu.guest import drives
from femu.guest.settings import drive_properties
from femu.image import cpio

MIB = 1 << 20
DRIVE_ID = 'zns0'
PORT_ID = 'plug'
# How long the drive's thread looks on when there is nothing to do.
THREAD_POLL_NS = 1000000
# Virtual time: an instruction is 2^shift ns, idle time passes at once.
ICOUNT = 'shift=%d,sleep=off'
# For a login, idle time passes in real time: else hours would pass while the
# guest waits for a key.
ICOUNT_LOGIN = 'shift=%d,sleep=on'
START_DATE = '2026-01-01'
# No random numbers from the host. And no fast string instructions: icount has
# QEMU execute and count each byte of "rep movsb" by itself, which makes copying
# slow in both times; without them Linux copies by loops of wide moves.
CPU = 'max,-rdrand,-rdseed,-erms,-fsrm'
# QEMU 10.0 ends with an assertion ("failed to set MSR 0x10a") where KVM, on a
# processor of AMD's, offers a register of Intel's and then refuses it.
CPU_KVM = 'host,-arch-capabilities'
DEBUGCON_PORT = 0xe9
INSNS_PORT = 0xe0
PROBE_S = 20

APPEND = [
    'console=ttyS0', 'loglevel=3', 'panic=-1',
    # A watchdog would take a long wait in virtual time for a hang.
    'nowatchdog', 'rcupdate.rcu_cpu_stall_suppress=1',
    'audit=0', 'apparmor=0', 'mitigations=off',
]
APPEND_VIRTUAL = [
    # The same addresses and random numbers in every run.
    'nokaslr', 'norandmaps', 'random.trust_cpu=off',
    'random.trust_bootloader=off',
    # The frequencies of the emulated clocks are known, so the kernel need not
    # measure them: it would do so in busy loops, which are slow in an emulator.
    'tsc_early_khz=1000000', 'no_timer_check', 'nolapic_timer',
    'cryptomgr.notests', 'initcall_blacklist=jent_mod_init',
]
# Whether timer interrupts come, Linux finds out in a loop of 10 ms, and panics if
# a loaded host had the emulated processor run, and the main loop not. (KVM's
# guests do not look.)
APPEND_REAL = ['no_timer_check']
# Of several processors in virtual time. Their clocks are one, which the kernel
# need not find out in loops. MWAIT is none that idles in QEMU if there are
# several. Each has a timer of its own: one of the HPET's, as the local APIC's
# would be measured in loops (and Linux does not look at the HPET's if it is told
# that the APIC's never stop: ARAT). The HPET keeps three for itself.
APPEND_SEVERAL = ['tsc=reliable', 'lpj=4000000']
CPU_SEVERAL = ',-monitor,-arat'
HPET_SEVERAL = ['-global', 'hpet.msi=on', '-global', 'hpet.timers=%d']
HPET_OWN = 3


class MachineError(Exception):
    """A machine that cannot be made on this host."""


class Guest:
    """The files that the guest starts from: ours, or the user's own."""

    def __init__(self, settings):
        folder = settings.guest()
        self.kernel = settings.kernel or os.path.join(folder, 'vmlinux')
        self.initrd = settings.initrd or os.path.join(folder, 'initrd.cpio')
        self.root = os.path.join(folder, 'root.erofs')
        self.disk = settings.disk

    def write_initrd(self, path, job, extra):
        """Writes the initramfs of a run to PATH: the guest's, and an archive
        with the files JOB (name -> bytes) as /job and the folder EXTRA.
        Return: the SHA-256 of EXTRA: of its files' names, their bytes and
        whether they are executable; None without EXTRA."""
        archive = cpio.Archive()
        for name, data in sorted(job.items()):
            archive.add_file('job/' + name, data)
        digest = None
        if extra:
            archive.add_tree('extra', extra)
            alone = cpio.Archive()
            alone.add_tree('extra', extra)
            digest = hashlib.sha256(alone.to_bytes()).hexdigest()
        with open(self.initrd, 'rb') as file:
            data = file.read()
        data += b'\0' * (-len(data) % cpio.BLOCK_BYTES)
        with open(path, 'wb') as file:
            file.write(data + archive.to_bytes())
        return digest


class Machine:
    """Collects QEMU's arguments."""

    def __init__(self, settings, guest):
        self._settings = settings
        self._guest = guest
        self.qemu, self._firmware = settings.qemu()
        self.accel = ''
        self.extra_sha256 = None        # of the folder EXTRA in the run's
                                        # initramfs
        self._time_args = []
        self._append = list(APPEND)
        self._args = ['-nodefaults', '-display', 'none', '-no-reboot']
        self._dimm_count = 0
        self._memory = []

    def use_virtual_time(self, icount=ICOUNT):
        """The guest's count of instructions is its clock."""
        icount %= self._settings.insn_ns.bit_length() - 1
        cpus = self._settings.cpus
        several = cpus > 1
        self.accel = 'tcg, icount ' + icount
        self._time_args = [
            '-icount', icount, '-rtc', 'base=%s,clock=vm' % START_DATE,
            '-seed', '1', '-cpu', CPU + several * CPU_SEVERAL,
            '-smp', str(cpus)]
        self._append += APPEND_VIRTUAL
        if several:
            self._time_args += [word.replace('%d', str(cpus + HPET_OWN))
                                for word in HPET_SEVERAL]
            self._append += APPEND_SEVERAL

    def use_real_time(self, tell):
        """The guest runs by the host's clock: under KVM if a guest starts under
        it, otherwise under multi-threaded TCG; or under the one that ACCEL=
        names. TELL is called with a text that says which."""
        why = 'ACCEL=tcg'
        if self._settings.accel != 'tcg':
            tell('trying KVM ...')
            why = self._kvm_refusal()
        if why and self._settings.accel == 'kvm':
            raise MachineError('ACCEL=kvm: ' + why)
        if why is None:
            self.accel = 'kvm'
            args = ['-accel', 'kvm', '-cpu', CPU_KVM]
        else:
            self.accel = 'tcg, multi-threaded'
            args = ['-accel', 'tcg,thread=multi', '-cpu', 'max']
            tell('no KVM (%s)' % why)
        tell('real time by ' + self.accel)
        self._time_args = args + ['-smp', str(self._settings.cpus)]
        self._append += APPEND_REAL

    def _kvm_refusal(self):
        """Return: None if our guest starts under KVM, else why it does not.
        A host can have /dev/kvm and yet hang there, so it is tried."""
        if not os.access('/dev/kvm', os.R_OK | os.W_OK):
            return '/dev/kvm is missing or not for this user'
        argv = [self.qemu, *self._firmware_args(), '-M', 'q35',
                '-accel', 'kvm', '-cpu', CPU_KVM, '-m', '512M', '-nodefaults',
                '-display', 'none', '-no-reboot', '-serial', 'stdio',
                '-kernel', self._guest.kernel, '-initrd', self._guest.initrd,
                '-append', 'console=ttyS0 quiet panic=-1 femu.mode=probe']
        try:
            result = subprocess.run(argv, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, check=False,
                                    stderr=subprocess.PIPE, timeout=PROBE_S)
        except subprocess.TimeoutExpired:
            return 'a guest does not start under it within %d s' % PROBE_S
        if b'femu: alive' in result.stdout:
            return None
        lines = result.stderr.decode(errors='replace').strip().splitlines()
        return lines[-1] if lines else 'the guest did not come up'

    def _firmware_args(self):
        return ['-L', self._firmware] if self._firmware else []

    def add_console(self, chardev):
        """The serial line, which is the kernel's console, goes to CHARDEV."""
        self._args += ['-serial', chardev]

    def add_messages(self, path):
        """What the guest's "say" says goes to the file PATH."""
        self._args += ['-chardev', 'file,id=says,path=' + _value(path),
                       '-device', 'isa-debugcon,iobase=%#x,chardev=says'
                       % DEBUGCON_PORT]

    def add_insns(self):
        """The guest can read how many instructions it has executed."""
        self._args += ['-device', 'femu-insns,iobase=%#x' % INSNS_PORT]

    def add_root(self):
        """The root image, read-only: the guest's first NVDIMM."""
        self._add_dimm(self._guest.root, os.stat(self._guest.root).st_size,
                       'readonly=on,share=on', ',unarmed=on')

    def add_results(self, path, size_mib):
        """A new file PATH that the guest sees as an NVDIMM. Its room on the
        disk is taken now: a full one would end QEMU by SIGBUS later."""
        with open(path, 'wb') as file:
            try:
                os.posix_fallocate(file.fileno(), 0, size_mib * MIB)
            except OSError as error:
                raise MachineError('RESULTS_MIB=%d: no room for %s: %s' % (
                    size_mib, path, error.strerror)) from error
        self._add_dimm(path, size_mib * MIB, 'share=on', '')

    def _add_dimm(self, path, size_bytes, memory, device):
        name = 'dimm%d' % self._dimm_count
        self._dimm_count += 1
        self._args += [
            '-object', 'memory-backend-file,id=%s-memory,mem-path=%s,size=%d,'
            '%s' % (name, _value(path), size_bytes, memory),
            '-device', 'nvdimm,id=%s,memdev=%s-memory%s'
            % (name, name, device)]

    def load_modules(self, names):
        """The guest's init loads these of its kernel's modules."""
        self._append.append('femu.modules=' + ','.join(names))

    def add_disk(self):
        """The user's own disk image, which QEMU writes to a copy of."""
        self.load_modules(['virtio_blk'])
        self._args += ['-drive', 'if=none,id=disk,snapshot=on,file=%s'
                       % _value(self._guest.disk),
                       '-device', 'virtio-blk-pci,drive=disk']

    def add_arguments(self, argv):
        """Other arguments."""
        self._args += argv

    def add_host_folder(self, path):
        """The host's folder PATH, which the guest can mount by 9p."""
        self._args += ['-virtfs', 'local,path=%s,mount_tag=host,'
                       'security_model=none' % _value(path)]

    def add_port(self):
        """A port for a drive that is plugged in later, PORT_ID."""
        self._args += ['-device', 'pcie-root-port,id=%s,chassis=1' % PORT_ID]
        self._say_namespaces()

    def use_memory(self, path, is_private):
        """The guest's memory is the file PATH, which it changes, unless it
        IS_PRIVATE."""
        self._memory = [
            '-object', 'memory-backend-file,id=ram,size=%dM,mem-path=%s,'
            'share=%s' % (self._settings.mem_mib, _value(path),
                          'off' if is_private else 'on')]

    def _say_namespaces(self):
        if self._settings.namespaces > 1:
            self._append.append('femu.namespaces=%d'
                                % self._settings.namespaces)

    def add_drives(self, files):
        """The drives: their configs, what the user sets in them, and FILES:
        of each the trace file and the journal, or None."""
        settings = self._settings
        count = len(settings.configs)
        for number, config in enumerate(settings.configs):
            properties = {**self._add_thread(number), **settings.set, **{
                name: path for name, path in zip(('trace', 'journal'),
                                                 files[number]) if path}}
            if settings.dilation != 1:
                properties['time-dilation'] = str(settings.dilation)
            if settings.state:
                properties['state'] = drives.folder_of(settings.state, number,
                                                       count)
            if number == 0:
                self._add_first(config, properties)
            else:
                self._add_another(number, {**drive_properties(config),
                                           **properties})
        if settings.state and count > 1:
            os.makedirs(settings.state, exist_ok=True)

    def _add_thread(self, number):
        """A thread for a drive, if it shall have one. Return: the drive's
        properties for it."""
        if not self._settings.iothread:
            return {}
        name = 'drive-thread%d' % number
        self._args += ['-object', 'iothread,id=%s,poll-max-ns=%d' % (
            name, THREAD_POLL_NS)]
        return {'iothread': name, 'dbbuf': 'on'}

    def _add_first(self, config, properties):
        self._args += ['-readconfig', config]
        self._say_namespaces()
        # -set must come after -readconfig.
        for name, value in properties.items():
            self._args += ['-set', 'device.%s.%s=%s' % (DRIVE_ID, name,
                                                        value)]

    def _add_another(self, number, properties):
        driver = properties.pop('driver')
        self._args += ['-device', ','.join(
            [driver, 'id=' + drives.name_of(number)] + [
                '%s=%s' % (name, _value(value))
                for name, value in properties.items()])]

    def disk_argv(self):
        """Return: the whole command line of a machine that boots the user's
        disk by the disk's own boot loader."""
        return [self.qemu, *self._firmware_args(), '-M', 'q35',
                '-m', '%dM' % self._settings.mem_mib, *self._time_args,
                *self._args]

    def argv(self, initrd, mode):
        """Return: the whole command line; MODE is the guest's femu.mode."""
        settings = self._settings
        append = self._append + ['femu.mode=' + mode]
        if settings.append:
            append.append(settings.append)
        slack_mib = 64 + settings.results_mib + \
            os.stat(self._guest.root).st_size // MIB
        memory = '%dM,slots=%d,maxmem=%dM' % (
            settings.mem_mib, self._dimm_count,
            settings.mem_mib + slack_mib) if self._dimm_count \
            else '%dM' % settings.mem_mib
        board = 'q35,nvdimm=on' + (',memory-backend=ram' if self._memory
                                   else '')
        return [self.qemu, *self._firmware_args(), '-M', board,
                '-m', memory, *self._memory, *self._time_args, '-kernel', self._guest.kernel,
                '-initrd', initrd, '-append', ' '.join(append), *self._args]


def version(qemu):
    """Return: QEMU's version as it prints it."""
    result = subprocess.run([qemu, '--version'], stdout=subprocess.PIPE,
                            check=True, text=True)
    match = re.search(r'version (\S+)', result.stdout)
    return match[1] if match else result.stdout.splitlines()[0]


def _value(path):
    """Return: PATH as the value of an option: QEMU doubles commas."""
    return path.replace(',', ',,')
