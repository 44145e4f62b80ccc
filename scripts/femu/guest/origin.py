# SPDX-License-Identifier: GPL-2.0-or-later
"""FROM=: what a run goes on from, the end of a preparation.

  FROM=out/a-run       that run's machine, and the preparation of its job
  FROM=NAME            a state, as "make states" lists them
  FROM=job.sh          the preparation of that job, on the machine that the
                       other variables say
  FROM=boot            nothing but a guest that has started, on that machine

Knows nothing of QEMU, nor of how a machine is saved.
"""

import json
import os
import shlex

from femu.common import os_errors, states
from femu.common.asked import SettingsError
from femu.guest import settings as settings_module, two_parts

# What cannot be saved with a machine, and why.
UNSAVED = {
    'STATE': 'a drive with a folder of its own goes on from there',
    'DISK': 'what is written to it is not saved with the machine'}


class Origin:
    """FROM= of ENV.

    env: the variables of the machine that is prepared, its JOB= included
    preparation: the text that prepares it
    variables, machine_args: what of the machine's is not its default
    job: the job that is done behind it
    args: {name: value} of ARGS= that it is done with
    """

    def __init__(self, env, cache):
        self.asked = env['FROM']
        self._args = settings_module.read_args(env.get('ARGS'))
        if self.asked == 'boot' or os.path.isfile(self.asked):
            variables, config = settings_module.given(env), None
            base, self.preparation = _read_job(self.asked, env)
            base_args = {name: value for name, value in self._args.items()
                         if two_parts.names(self.preparation, name)}
        else:
            variables, base, config, self.preparation, base_args, more = \
                _read_run(self.asked) if os.path.isdir(self.asked) else \
                _read_state(self.asked, cache)
            self._refuse_others(env, variables, config)
            self._args = {**more, **self._args}
        self.variables, self.machine_args = variables, base_args
        self.job = os.path.abspath(env.get('JOB') or base)
        self.args = {name: value for name, value in
                     {**base_args, **self._args}.items()
                     if base_args.get(name) != value}
        self._check(variables)
        self.env = {**{name: value for name, value in env.items()
                       if name not in settings_module.MACHINE and
                        name != 'FROM'},
                    **variables, 'JOB': base, 'ARGS': ' '.join(
                        shlex.quote('%s=%s' % one)
                        for one in base_args.items())}
        if config and not _same_file(variables.get('CONFIG'), config):
            self.env['CONFIG'] = config

    def rest(self):
        """Return: the bytes of what is done behind the preparation."""
        return two_parts.second_part(self.job, self.preparation, self.args)

    def _refuse_others(self, env, variables, config):
        for name, value in settings_module.given(env).items():
            had = variables.get(name)
            if value == had or name == 'CONFIG' and _same_file(value, config):
                continue
            raise SettingsError(
                '%s=%s: FROM=%s goes on with the machine and the drive that '
                'were prepared, which had %s; FROM=job.sh prepares another '
                'one' % (name, env[name], self.asked, '%s=%s' % (
                    name, had) if had else 'no %s=' % name))

    def _check(self, variables):
        for name, why in UNSAVED.items():
            if name in variables:
                raise SettingsError('FROM=%s with %s=%s: %s' % (
                    self.asked, name, variables[name], why))
        if variables.get('TIME') == 'real':
            raise SettingsError('FROM=%s: only in virtual time does a machine '
                                'that was saved go on as it was' % self.asked)


def _read_job(asked, env):
    if asked == 'boot':
        return settings_module.job_path(env), ''
    return asked, two_parts.preparation_of(asked)


def _same_file(path, other):
    if not path or not os.path.isfile(path):
        return False
    with open(path, 'rb') as one, open(other, 'rb') as two:
        return one.read() == two.read()


def _read_run(folder):
    """Return: (the machine's variables, its job, the drive's configuration, the
    preparation, its arguments, those of the whole job)."""
    path = os.path.join(folder, 'meta.json')
    try:
        with open(path, encoding='utf-8') as file:
            meta = json.load(file)
        variables, args = meta['variables'], meta['args']
        base = os.path.join(folder, os.path.basename(meta['job']['file']))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(
            'FROM=%s: no run that can be gone on from: %s; a run of this '
            'version has its meta.json once it has ended' % (
                folder, '%s has no %s' % (path, error)
                if isinstance(error, KeyError) else
                os_errors.text(error) if isinstance(error, OSError) else
                '%s is damaged: %s' % (path, error))) from error
    if meta.get('from'):                # its job is only what came behind
        preparation, prepared = meta['from']['preparation'], \
            meta['from']['args']
    else:
        preparation, prepared = two_parts.preparation_of(base), args
    return (variables, os.path.abspath(base),
            os.path.join(os.path.abspath(folder), 'config.cfg'), preparation,
            prepared, args)


def _read_state(name, cache):
    if not states.NAME.fullmatch(name):
        raise SettingsError(
            'FROM=%s: a folder of a run is expected, a job (NAME.sh), the name '
            'of a state ("make states" lists them), or "boot"' % name)
    state = cache.named(name)
    if state.is_simulated:
        raise SettingsError('FROM=%s: it is the state of a simulated drive; '
                            'no guest was there' % name)
    state.use()
    return (state.meta['variables'], os.path.join(state.path, 'prepare.sh'),
            os.path.join(state.path, 'config.cfg'), state.meta['preparation'],
            state.meta['args'], {})
