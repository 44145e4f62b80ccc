/*
 * Fuzzes the reader of configuration files.
 *
 * Knows nothing of what the parameters mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "config_file.h"
#include "fuzz.h"
#include "input_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd;
    g_autofree char *path = input_file(data, size, &fd);
    g_autoptr(GError) error = NULL;
    g_autoptr(GError) wrong = NULL;
    SsdParams params;
    bool good;

    ssd_params_defaults(&params);
    good = config_file_read(path, NULL, &params, &error);
    g_assert(good == !error);
    g_assert(good || strstr(error->message, path));
    /* Whatever was read can be judged, and if it is sound, resolved. */
    if (good && ssd_params_check(&params, &wrong)) {
        ssd_params_resolve(&params);
        g_assert(ssd_params_check(&params, NULL));
    }
    close(fd);
    return 0;
}
