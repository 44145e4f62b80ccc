/*
 * Random whole drives: those of soup_params() with a front end, a host link, a
 * write buffer and resets that cost something. Their numbers are small and in
 * the way of each other, so that what waits for what changes all the time.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_TEST_SOUP_WHOLE_H
#define FEMU_TEST_SOUP_WHOLE_H

#include "soup.h"

/* Such a drive, not checked yet. */
SsdParams soup_whole_params(Rng *rng);

/* Change one in what soup_whole_params() leaves, or has always together. */
void soup_widen(Rng *rng, SsdParams *p);

/*
 * Give one a conventional namespace of a part of a line, or of some; and half
 * of them are widened.
 */
void soup_add_conventional(Rng *rng, SsdParams *p);

#endif
