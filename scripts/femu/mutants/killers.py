# SPDX-License-Identifier: GPL-2.0-or-later
"""The order in which the tests that reach a mutant are run on it: those first
that are most likely to kill it, relative to the processor time that they need.

A test that has killed a mutant before is likely to do so again, and so is one
that has killed others of the same function or file; after these, one that
reaches most of the file's other mutants: where all tests pass, those that are
about the file turn aside; then those of programs that have killed most in the
file's folder. Kills are kept by the mutants' texts, so that a
change elsewhere in the source does not lose them. They decide the order only,
not the result. Knows nothing of what tests are.
"""

import collections
import os
import threading

BATCH_CPU_S = 0.2               # short tests of a program share a process
FIRST = 8                       # so many tests that have killed others go first
THEN = 12                       # then so many that reach most of the file
OF_FUNCTION = 5                 # a kill in the same function counts as much
                                # as so many kills in the same file


def batches(cases, kills=None):
    """kills: {name of a program: how many mutants it has killed}. Return: lists
    of cases, each of one program, the programs in turn, as what most tests pass
    is seen by those of one program: first those with most kills in a second;
    long tests come last. Within a list the cases have the order that they have
    in `cases`."""
    made = []
    turns = collections.Counter()
    turn_of = {}
    open_batches = {}
    place = {case: number for number, case in enumerate(cases)}
    for case in sorted(cases, key=lambda case: case.cost_s()):
        program = case.program.name
        batch = open_batches.get(program)
        if batch and sum(c.cost_s() for c in batch) + \
                case.cost_s() <= BATCH_CPU_S:
            batch.append(case)
            continue
        open_batches[program] = [case]
        made.append(open_batches[program])
        turn_of[case] = turns[program]
        turns[program] += 1

    def when(batch):
        cpu_s = sum(case.cost_s() for case in batch)
        likely = 1 + (kills or {}).get(batch[0].program.name, 0)
        return cpu_s > BATCH_CPU_S, turn_of[batch[0]], cpu_s / likely
    return [sorted(batch, key=place.get) for batch in sorted(made, key=when)]


class Killers:
    """Which tests have killed which mutants. kept: {text of a mutant: name of
    the test}, of the first build and of others, which grows."""

    def __init__(self, kept, key):
        """key(mutant): (its file, its function, its lines)."""
        self._lock = threading.Lock()
        self._kept = kept
        self._key = key
        self._scores = {}       # {(build, file, function): {name: kills}}
        for text, name in kept.items():
            self._count(*text.split('\n')[:3], name)

    def _count(self, build, path, function, name):
        for place in (build, path, function), (build, path, None), \
                (build, os.path.dirname(path), None):
            scores = self._scores.setdefault(place, {})
            scores[name] = scores.get(name, 0) + 1

    def _text(self, mutant, build):
        path, function, lines = self._key(mutant)
        return '\n'.join((build, path, function, *lines))

    def learn(self, mutant, name, build):
        """name: of the test that has killed it in a build."""
        with self._lock:
            self._kept[self._text(mutant, build)] = name
            self._count(build, mutant.path, mutant.function, name)

    def order(self, mutant, cases, build, depth=None):
        """depth: {name of a case: how many mutants of the file it reaches}.
        Return: batches of cases, in the order in which they are run."""
        with self._lock:
            before = self._kept.get(self._text(mutant, build))
            own, file, folder = (
                {**self._scores.get((build, *place), {})} for place in
                ((mutant.path, mutant.function), (mutant.path, None),
                 (os.path.dirname(mutant.path), None)))
        scores = {name: kills + OF_FUNCTION * own.get(name, 0)
                  for name, kills in file.items()}
        known = [case for case in cases if case.name == before]
        first = sorted((case for case in cases
                        if scores.get(case.name) and case not in known),
                       key=lambda case: (case.cost_s() + 0.005)
                       / scores[case.name])[:FIRST]
        first = known + first
        met = set(first)
        if depth:
            first += sorted((case for case in cases if case not in met),
                            key=lambda case: (case.cost_s() + 0.005)
                            / depth[case.name] ** 2)[:THEN]
            met = set(first)
        kills = collections.Counter()
        for name, number in folder.items():
            kills[name.split(' ')[0]] += number
        return [[case] for case in first] + \
            batches([case for case in cases if case not in met], kills)
