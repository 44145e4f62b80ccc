/*
 * One program that holds many mutants of itself; which of them it is, is chosen
 * when it starts. scripts/mutants puts this beside the mutated source.
 *
 * Knows nothing of what the mutants change.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_MUTANT_H
#define FEMU_MUTANT_H

enum { FEMU_MUTANTS = 65536 };

/* By number: not 0 for those of which femu_mutant_asked() is to be told. */
extern unsigned char femu_mutant_watched[FEMU_MUTANTS];

/* Not 0 in the original that writes down what it reaches. */
extern int femu_mutant_records;

/* Return: whether this process is that mutant. */
int femu_mutant_asked(int number);

/* The same, at a price that a program with thousands of them can pay. */
static inline int femu_mutant_is(int number)
{
    return __builtin_expect(femu_mutant_watched[number], 0) &&
           femu_mutant_asked(number);
}

/*
 * The same of a mutant that does what the original does unless `differs`, which
 * is computed while it is written down what is reached: then only what differs
 * counts.
 */
#define femu_mutant_sees(number, differs) \
    (__builtin_expect(femu_mutant_watched[number], 0) && \
     (!femu_mutant_records || (differs)) && femu_mutant_asked(number))

#endif
