/*
 * The error log: commands that have failed, and invalid doorbells.
 *
 * Knows nothing of how the log page is sent.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "completion.h"

QEMU_BUILD_BUG_ON(sizeof(NvmeErrorLog) != FEMU_ERROR_LOG_ENTRY_BYTES);

/* Entries are numbered from 1; the ring keeps the latest. */
static void error_log_add(FemuZns *n, NvmeErrorLog entry)
{
    uint64_t count = ++n->kept->error_count;

    entry.error_count = cpu_to_le64(count);
    memcpy(n->kept->error_log[(count - 1) % FEMU_ERROR_LOG_ENTRIES], &entry,
           sizeof(entry));
}

/*
 * Log an invalid doorbell. It belongs to no command: queue and command
 * identifier are FFFFh (NVMe base 2.0, 5.16.1.2).
 */
void femu_log_doorbell_error(FemuZns *n, uint16_t status)
{
    error_log_add(n, (NvmeErrorLog) {
        .sqid = cpu_to_le16(0xffff),
        .cid = cpu_to_le16(0xffff),
        .status_field = cpu_to_le16(status << 1),
        .param_error_location = 0xffff,
    });
}

/*
 * Log the command that is being executed, which has failed: at n->error_lba, the
 * lowest block that has to do with it (NVM command set 1.0, 4.1.4.1).
 */
void femu_log_error(FemuZns *n, const FemuSq *sq, const NvmeCmd *cmd,
                    uint16_t status)
{
    error_log_add(n, (NvmeErrorLog) {
        .sqid = cpu_to_le16(sq->id),
        .cid = cmd->cid,
        .status_field = cpu_to_le16((status | femu_status_retry(status)) << 1),
        .param_error_location = 0xffff,
        .lba = cpu_to_le64(n->error_lba),
        .nsid = cmd->nsid,
    });
}
