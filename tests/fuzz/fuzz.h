/*
 * What a fuzz target offers, to libFuzzer or to fuzz_main.c: bytes come in, a
 * broken promise ends the process.
 *
 * Knows nothing of where the bytes come from.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_FUZZ_H
#define FEMU_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The name and the result are libFuzzer's. Return: 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
