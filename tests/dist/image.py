# SPDX-License-Identifier: GPL-2.0-or-later
"""The image of "make oci" in Debian's buildah: a root without a C library.

Knows nothing of how the image is made.
"""

import shutil
import subprocess
import tempfile


def run(tap, image, table_of, table):
    """The image's commands; the main job has the TABLE of a run here."""
    if not shutil.which('buildah'):
        tap.result(True, 'oci # SKIP no buildah here')
        return
    with tempfile.TemporaryDirectory(prefix='femu-oci-') as folder:
        buildah = ['buildah', '--storage-driver', 'vfs', '--root',
                   folder + '/store', '--runroot', folder + '/run']

        def ask(*words, before=()):
            done = subprocess.run([*before, *buildah, *words], text=True,
                                  check=False,
                                  stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            return done.returncode, done.stdout

        status, said = ask('from', '--quiet', '--name', 'it',
                           'oci-archive:' + image)
        tap.equal(status, 0, 'oci: buildah loads the image')

        def inside(*words):
            return ask('run', '--isolation', 'chroot', 'it', '--', *words,
                       before=('unshare', '--net'))

        status, said = ask('inspect', '--format',
                           '{{.OCIv1.Config.Entrypoint}}', 'it')
        tap.equal(said.strip(), '[/femu-zns/femu-zns]', 'oci: its command')
        status, said = inside('/bin/ls', '/lib', '/usr')
        tap.result(status == 1 and said.count('No such file') == 2,
                   'oci: there is no C library', said)
        status, said = inside('/femu-zns/femu-zns', 'run')
        tap.equal((status, table_of(said)), (0, table),
                  'oci: and the table of "make run"')
