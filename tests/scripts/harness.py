# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the scripts have in common: a list of tests, TAP.

Knows nothing of what they test.
"""

import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import traceback

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
SCRIPTS = os.path.join(TOP, 'scripts')
TESTS = []


def test(function):
    """Lists a test, which is named as its function is."""
    TESTS.append(function)
    return function


def equal(have, want):
    if have != want:
        raise AssertionError(f'{have!r} is not {want!r}')


def contains(text, part):
    if part not in text:
        raise AssertionError(f'{part!r} is not in {text!r}')


def run(*argv, **env):
    """Return: (exit status, what was printed)."""
    done = subprocess.run(argv, env=dict(os.environ, **env), check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as file:
        return file.read()


def load(path):
    """Return: the script at PATH as a module, loaded anew."""
    loader = importlib.machinery.SourceFileLoader(
        os.path.basename(path).replace('-', '_'), path)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def main():
    """Runs all tests; exits with 1 if one failed."""
    print(f'1..{len(TESTS)}', flush=True)
    failed = 0
    for number, function in enumerate(TESTS, 1):
        name = function.__name__.replace('_', '-')
        try:
            function()
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print(f'not ok {number} - {name}')
            print('# ' + traceback.format_exc().replace('\n', '\n# '))
        else:
            print(f'ok {number} - {name}')
        sys.stdout.flush()
    sys.exit(1 if failed else 0)
