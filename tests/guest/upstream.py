# SPDX-License-Identifier: GPL-2.0-or-later
"""What docs/upstream has for QEMU: the patch applies to the sources that QEMU
was built of, and the test in it passes on our QEMU, where a drive does what the
patch does; the page on the device names what the device has, and its example is
a drive.

Knows nothing of Linux: the test is a program without an operating system.
"""

import os
import re
import shutil
import subprocess

from common import TOP, folder

PATCH = os.path.join(TOP, 'docs', 'upstream', 'icount-idle.patch')
PAGE = os.path.join(TOP, 'docs', 'upstream', 'femu-zns.rst')
QEMU = os.path.join(TOP, 'build-qemu', 'build', 'qemu-system-x86_64')
SOURCES = os.path.join(TOP, 'build-qemu', 'src')
TCG = os.path.join('tests', 'tcg')
# Files that the test is built with.
BESIDE = [os.path.join(TCG, 'x86_64', 'system', 'boot.S'),
          os.path.join(TCG, 'x86_64', 'system', 'kernel.ld'),
          os.path.join(TCG, 'minilib', 'printf.c'),
          os.path.join(TCG, 'minilib', 'minilib.h')]
FLAGS = ['-nostdlib', '-ffreestanding', '-O0', '-fno-pic', '-no-pie',
         '-fno-stack-protector', '-mno-red-zone', '-mno-sse', '-static',
         '-Wa,--noexecstack', '-Wl,-melf_x86_64', '-Wl,--build-id=none']
# -O0: the number of instructions around the sleep is the same of any compiler
# that is likely here, but not by any law.
PASSED = re.compile(r'PASS: 100000 sleeps took 10000\d\d ns each\n')
LIMIT_S = 600


def patched_sources():
    """Return: (a folder with what the patch is of, patched; what patch said)."""
    top = folder('upstream')
    with open(PATCH, encoding='utf-8') as file:
        names = re.findall(r'^--- a/(.*)$', file.read(), re.M)
    for name in names + BESIDE:
        path = os.path.join(top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copyfile(os.path.join(SOURCES, name), path)
    done = subprocess.run(['patch', '-p1', '-d', top, '-i', PATCH],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    return top, done


def built(top):
    """Return: the test, compiled."""
    system = os.path.join(top, TCG, 'x86_64', 'system')
    program = os.path.join(top, 'icount-idle')
    subprocess.run(
        ['cc', *FLAGS, '-I', os.path.join(top, TCG, 'minilib'), '-Wl,-T,' +
         os.path.join(system, 'kernel.ld'), '-o', program,
         os.path.join(system, 'boot.S'), os.path.join(system, 'icount-idle.c'),
         os.path.join(top, TCG, 'minilib', 'printf.c')], check=True)
    return program


def said(top, program, *drive):
    """Return: what the test says on our QEMU."""
    out = os.path.join(top, 'said')
    subprocess.run(
        [QEMU, '-M', 'pc', '-accel', 'tcg', '-icount', 'shift=0,sleep=off',
         '-nodefaults', '-display', 'none', '-no-reboot', *drive,
         '-chardev', 'file,id=output,path=' + out,
         '-device', 'isa-debugcon,chardev=output',
         '-device', 'isa-debug-exit,iobase=0xf4,iosize=4',
         '-kernel', program], check=False, timeout=LIMIT_S,
        stdin=subprocess.DEVNULL)
    with open(out, encoding='ascii') as file:
        return file.read()


def test_page(tap):
    """The page for QEMU's manual."""
    with open(PAGE, encoding='utf-8') as file:
        text = file.read()
    helped = subprocess.run([QEMU, '-device', 'femu-zns,help'],
                            stdout=subprocess.PIPE, text=True, check=True)
    options = set(re.findall(r'^  ([a-z-]+)=<', helped.stdout, re.M))
    named = set(re.findall(r'``([a-z][a-z-]+)(?:=[A-Z]+)?``', text)) - \
        {'femu-zns', 'nvme', 'qom-get', 'qom-set', 'off'}
    tap.result('trace' in named and named <= options,
               'upstream: the page names properties that there are',
               ' '.join(sorted(named - options)))
    config = os.path.join(folder('upstream-page'), 'drive.cfg')
    os.makedirs(os.path.dirname(config), exist_ok=True)
    with open(config, 'w', encoding='utf-8') as file:
        file.write('\n'.join(line.strip() for line in re.search(
            r'^    \[device.*?\n\n', text, re.M | re.S)[0].splitlines()))
    done = subprocess.run(
        [QEMU, '-M', 'q35', '-nodefaults', '-display', 'none', '-S',
         '-readconfig', config, '-monitor', 'stdio'],
        input='info qtree\nquit\n', stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S, check=False)
    tap.result(done.returncode == 0 and 'dev: femu-zns, id "zns0"' in done.stdout
               and 'zone-capacity = 3145728' in done.stdout,
               "upstream: the page's example is a drive", done.stdout)


def test_upstream(tap):
    """The patch of docs/upstream, its test beside a drive, and the page."""
    test_page(tap)
    top, done = patched_sources()
    tap.result(done.returncode == 0,
               "upstream: the patch applies to QEMU's sources", done.stdout)
    text = said(top, built(top), '-device', 'femu-zns')
    tap.result(bool(PASSED.fullmatch(text)),
               'upstream: beside a drive, processors sleep as long as they ask',
               text)


GROUPS = {'upstream': test_upstream}
