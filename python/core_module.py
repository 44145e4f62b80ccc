# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the C source of the extension module femu_zns._core: what of the
core's headers Python calls. The compiler compares every declaration with the headers,
and fills in what is left out ("...").

Knows nothing of what Python makes of it.
"""

import sys

import cffi

DECLARATIONS = '''
typedef struct { char *message; ...; } GError;
typedef struct { uint8_t *data; unsigned len; ...; } GByteArray;
uint8_t *g_byte_array_free(GByteArray *array, int free_segment);
void g_error_free(GError *error);
void g_free(void *mem);

typedef enum { SSD_SUCCESS, ... } SsdStatus;
typedef enum { SSD_OP_COUNT, ... } SsdOp;
typedef enum { SSD_ZONE_EMPTY, ... } SsdZoneState;
typedef enum { SSD_NS_ZONED, SSD_NS_CONVENTIONAL, ... } SsdNsKind;
#define SSD_NSID_ALL ...

typedef struct { ...; } SsdParams;
typedef struct { const char *name; const char *unit; const char *help;
                 ...; } SsdParamInfo;
const SsdParamInfo *ssd_params_table(unsigned *count);
void ssd_params_defaults(SsdParams *params);
bool ssd_params_set(SsdParams *params, const char *name, const char *text,
                    GError **error);
uint64_t ssd_params_get(const SsdParams *params, const SsdParamInfo *info);
bool ssd_params_check(const SsdParams *params, GError **error);
bool config_file_read(const char *path, const char *device_id,
                      SsdParams *params, GError **error);

typedef struct { uint64_t slba; uint32_t nlb; ...; } SsdRange;
typedef struct { SsdOp op; uint32_t nsid; bool select_all; uint32_t nlb;
                 uint64_t slba; const SsdRange *ranges; uint32_t range_count;
                 ...; } SsdCmd;
typedef struct { uint32_t tag; uint32_t nsid; SsdStatus status; SsdOp op;
                 uint64_t result; uint64_t ahead_bytes;
                 uint64_t submitted_at_ns; uint64_t due_at_ns; ...; } SsdDone;
typedef struct { SsdStatus status; uint64_t lba; ...; } SsdAccept;
typedef struct { SsdNsKind kind; uint32_t lba_bytes; uint64_t size_nlb;
                 uint32_t zones; uint64_t zone_size_nlb;
                 uint64_t zone_capacity_nlb; ...; } SsdNsInfo;
typedef struct { SsdZoneState state; uint64_t start_lba; uint64_t wp_lba;
                 uint64_t capacity_nlb; bool has_zrwa; ...; } SsdZone;
typedef struct { uint32_t superblock_idx; uint32_t unit_idx;
                 uint32_t block_in_unit_idx; uint32_t erase_count;
                 ...; } SsdBlock;
typedef struct { uint64_t begin_at_ns; uint64_t end_at_ns; bool is_channel;
                 uint32_t resource_idx; const char *what; ...; } SsdBusy;

typedef struct Ssd Ssd;
const char *ssd_op_name(SsdOp op);
Ssd *ssd_new(const SsdParams *params);
void ssd_free(Ssd *ssd);
GByteArray *ssd_save(const Ssd *ssd);
Ssd *ssd_load(const SsdParams *params, const uint8_t *data, size_t size,
              GError **error);
bool ssd_load_params(const uint8_t *data, size_t size, SsdParams *params,
                     GError **error);
uint64_t ssd_now_ns(const Ssd *ssd);
const SsdParams *ssd_params(const Ssd *ssd);
uint32_t ssd_ns_count(const Ssd *ssd);
SsdNsInfo ssd_ns_info(const Ssd *ssd, uint32_t nsid);
bool ssd_has_room(const Ssd *ssd);
SsdAccept ssd_submit(Ssd *ssd, uint64_t now_ns, const SsdCmd *cmd,
                     uint32_t tag);
uint64_t ssd_next_at_ns(const Ssd *ssd);
unsigned ssd_poll(Ssd *ssd, uint64_t now_ns, SsdDone *done, unsigned max);
unsigned ssd_inflight(const Ssd *ssd);
SsdZone ssd_zone(const Ssd *ssd, uint32_t nsid, uint32_t zone_idx);
const uint32_t *ssd_zone_units(const Ssd *ssd, uint32_t nsid,
                               uint32_t zone_idx, uint32_t *count);
uint32_t ssd_open_count(const Ssd *ssd, uint32_t nsid);
uint32_t ssd_active_count(const Ssd *ssd, uint32_t nsid);
Ssd *ssd_power_cut(Ssd *ssd, uint64_t now_ns, uint64_t seed);
uint64_t ssd_block_count(const Ssd *ssd);
SsdBlock ssd_block(const Ssd *ssd, uint64_t block_idx);
#define FLASH_BUSY_MOST ...
void ssd_busy_log_start(Ssd *ssd, uint32_t capacity);
unsigned ssd_busy_log_take(Ssd *ssd, SsdBusy *busy, unsigned max);
char *ssd_stats_json(Ssd *ssd, uint64_t now_ns, const char *extra);
void ssd_stats_reset(Ssd *ssd, uint64_t now_ns);
'''
HEADERS = '''
#include <glib.h>
#include "ssd.h"
#include "config_file.h"
#include "timing/flash.h"
'''


def main():
    """Writes the file that is named."""
    module = cffi.FFI()
    module.cdef(DECLARATIONS)
    module.set_source('_core', HEADERS)
    module.emit_c_code(sys.argv[1])


if __name__ == '__main__':
    main()
