/*
 * The sections of a QEMU configuration file: which of them is the drive, and
 * whether its keys and values are ones that QEMU would take as they stand.
 *
 * Knows nothing of what the parameters mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "config_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config_line.h"
#include "params_text.h"
#include "ssd_file.h"

#define DRIVER "femu-zns"
#define MAX_SERIAL_LENGTH 20

G_DEFINE_QUARK(config-file-error, config_file_error)

/* Sections that QEMU 10 knows; it refuses any other. */
static const char *const known_groups[] = {
    "accel", "action", "add-fd", "audiodev", "boot-opts", "chardev", "device",
    "drive", "fsdev", "fw_cfg", "global", "icount", "machine", "memory", "mon",
    "msg", "name", "net", "netdev", "nic", "numa", "object", "option-rom",
    "overcommit", "rtc", "sandbox", "semihosting-config", "smp-opts", "spice",
    "tpmdev", "trace", "virtfs", "vnc", NULL
};

/* Properties of the QEMU device that are not parameters of the drive. */
static const char *const device_keys[] = {
    "driver", "id", "bus", "addr", "serial", "memdev", "iothread", "state",
    "state-sync", "trace", "journal", "time-dilation", "max-queue-pairs",
    "dbbuf", "power-cut-at-ns", "power-cut-at-command", "power-cut-at-program",
    "power-cut-seed", "multifunction", "romfile", "rombar", "acpi-index", NULL
};

/* Of these: what is a number, or on or off. */
static const struct {
    const char *name;
    SsdParamType type;
    uint64_t min, max;
} value_keys[] = {
    {"time-dilation", SSD_PARAM_TYPE_U32, 1, 1000000},
    {"max-queue-pairs", SSD_PARAM_TYPE_U32, 1, 64},
    {"power-cut-at-ns", SSD_PARAM_TYPE_U64, 0, UINT64_MAX},
    {"power-cut-at-command", SSD_PARAM_TYPE_U64, 0, UINT64_MAX},
    {"power-cut-at-program", SSD_PARAM_TYPE_U64, 0, UINT64_MAX},
    {"power-cut-seed", SSD_PARAM_TYPE_U64, 0, UINT64_MAX},
    {"dbbuf", SSD_PARAM_TYPE_BOOL, 0, 1},
    {"state-sync", SSD_PARAM_TYPE_BOOL, 0, 1},
};

/* ... and what names a file or a folder. */
static const char *const path_keys[] = {"state", "trace", "journal", NULL};

/* One key of the section that is being read. */
typedef struct ConfigSetting {
    char *name;
    char *value;
    unsigned line_number;
} ConfigSetting;

typedef struct ConfigReader {
    const char *path;
    const char *device_id; /* which drive is wanted; NULL: the only one */
    FILE *file;
    unsigned line_number;
    /* The section that is being read; `group` is NULL before the first. */
    char *group;
    char *id;
    unsigned section_line_number;
    GPtrArray *settings;    /* of ConfigSetting */
    GHashTable *device_ids; /* ids of all devices so far, as a set */
    GPtrArray *drive_ids;   /* ids ("" for none) of the drives so far */
    SsdParams *params;      /* takes the values of the drive wanted */
} ConfigReader;

G_GNUC_PRINTF(4, 5)
static bool error_at(const ConfigReader *reader, unsigned line_number,
                     GError **error, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, CONFIG_FILE_ERROR, 0, "%s:%u: %s", reader->path,
                line_number, text);
    return false;
}

static void setting_free(void *data)
{
    ConfigSetting *setting = data;

    g_free(setting->name);
    g_free(setting->value);
    g_free(setting);
}

static const ConfigSetting *find_setting(const ConfigReader *reader,
                                         const char *name)
{
    for (unsigned i = 0; i < reader->settings->len; i++) {
        const ConfigSetting *setting = reader->settings->pdata[i];

        if (g_str_equal(setting->name, name)) {
            return setting;
        }
    }
    return NULL;
}

/* --- The end of a section ------------------------------------------------ */

/* value_keys[i]: would QEMU accept this? */
static bool check_value_key(unsigned i, const char *text, GError **error)
{
    uint64_t value = 0;
    const char *wrong = ssd_param_parse(value_keys[i].type, text, &value);

    if (!wrong && (value < value_keys[i].min || value > value_keys[i].max)) {
        wrong = "is out of range";
    }
    if (wrong && value_keys[i].type == SSD_PARAM_TYPE_BOOL) {
        g_set_error(error, CONFIG_FILE_ERROR, 0, "%s=%s: '%s' %s",
                    value_keys[i].name, text, text, wrong);
    } else if (wrong) {
        g_set_error(error, CONFIG_FILE_ERROR, 0, "%s=%s: '%s' %s; must be %"
                    PRIu64 " to %" PRIu64, value_keys[i].name, text, text,
                    wrong, value_keys[i].min, value_keys[i].max);
    }
    return !wrong;
}

static bool is_serial(const char *text)
{
    size_t length = 0;

    while (g_ascii_isprint(text[length])) {
        length++;
    }
    return length > 0 && length <= MAX_SERIAL_LENGTH && text[length] == '\0';
}

bool config_file_is_device_key(const char *name)
{
    return g_strv_contains(device_keys, name);
}

bool config_file_check_device_key(const char *name, const char *value,
                                  GError **error)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(value_keys); i++) {
        if (g_str_equal(value_keys[i].name, name)) {
            return check_value_key(i, value, error);
        }
    }
    if (g_str_equal(name, "serial") && !is_serial(value)) {
        g_set_error(error, CONFIG_FILE_ERROR, 0,
                    "serial=%s: must be 1 to %d printable ASCII characters",
                    value, MAX_SERIAL_LENGTH);
        return false;
    }
    if (g_strv_contains(path_keys, name) && value[0] == '\0') {
        g_set_error(error, CONFIG_FILE_ERROR, 0, "%s=: must be a path; leave "
                    "the key out for none", name);
        return false;
    }
    return true;
}

/* One of device_keys: would QEMU accept its value? */
static bool check_device_key(const ConfigReader *reader,
                             const ConfigSetting *setting, GError **error)
{
    g_autoptr(GError) wrong = NULL;

    if (!config_file_check_device_key(setting->name, setting->value, &wrong)) {
        return error_at(reader, setting->line_number, error, "%s",
                        wrong->message);
    }
    if (g_str_equal(setting->name, "id") && reader->id) {
        return error_at(reader, setting->line_number, error,
                        "id=%s: the section already has the id '%s'; QEMU "
                        "would replace it", setting->value, reader->id);
    }
    return true;
}

static bool unknown_key(const ConfigReader *reader,
                        const ConfigSetting *setting, GError **error)
{
    const char *nearest = ssd_params_nearest(setting->name, device_keys);

    if (nearest) {
        return error_at(reader, setting->line_number, error,
                        "%s=%s: no key '%s'; did you mean '%s'?",
                        setting->name, setting->value, setting->name, nearest);
    }
    return error_at(reader, setting->line_number, error,
                    "%s=%s: no key '%s'; see docs/parameters.md",
                    setting->name, setting->value, setting->name);
}

static bool is_param(const char *name)
{
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);

    for (unsigned i = 0; i < count; i++) {
        if (g_str_equal(table[i].name, name)) {
            return true;
        }
    }
    return false;
}

static bool end_drive(const ConfigReader *reader, GError **error)
{
    const char *id = reader->id ? reader->id : "";
    bool wanted = !reader->device_id || g_str_equal(reader->device_id, id);
    SsdParams ignored;

    ssd_params_defaults(&ignored);
    for (unsigned i = 0; i < reader->settings->len; i++) {
        const ConfigSetting *setting = reader->settings->pdata[i];
        g_autoptr(GError) wrong = NULL;

        if (config_file_is_device_key(setting->name)) {
            if (!check_device_key(reader, setting, error)) {
                return false;
            }
        } else if (!is_param(setting->name)) {
            return unknown_key(reader, setting, error);
        } else if (!ssd_params_set(wanted ? reader->params : &ignored,
                                   setting->name, setting->value, &wrong)) {
            return error_at(reader, setting->line_number, error, "%s",
                            wrong->message);
        }
    }
    g_ptr_array_add(reader->drive_ids, g_strdup(id));
    return true;
}

static bool end_device(const ConfigReader *reader, GError **error)
{
    const ConfigSetting *driver = find_setting(reader, "driver");

    if (!driver) {
        return error_at(reader, reader->section_line_number, error,
                        "the device has no driver; add driver = \"%s\"",
                        DRIVER);
    }
    if (reader->id && !g_hash_table_add(reader->device_ids,
                                        g_strdup(reader->id))) {
        return error_at(reader, reader->section_line_number, error,
                        "a second device has the id '%s'", reader->id);
    }
    return !g_str_equal(driver->value, DRIVER) || end_drive(reader, error);
}

/*
 * A [global] section is refused if it is about the drive: QEMU would apply it
 * as a default to every drive, but this reader would not.
 */
static bool end_global(const ConfigReader *reader, GError **error)
{
    const ConfigSetting *driver = find_setting(reader, "driver");

    return !driver || !g_str_equal(driver->value, DRIVER) ||
           error_at(reader, driver->line_number, error,
                    "[global] for %s is not understood here; write the key "
                    "into the device's own section", DRIVER);
}

static bool end_section(ConfigReader *reader, GError **error)
{
    bool good = true;

    if (reader->group && g_str_equal(reader->group, "device")) {
        good = end_device(reader, error);
    } else if (reader->group && g_str_equal(reader->group, "global")) {
        good = end_global(reader, error);
    }
    g_ptr_array_set_size(reader->settings, 0);
    g_clear_pointer(&reader->group, g_free);
    g_clear_pointer(&reader->id, g_free);
    return good;
}

/* --- Lines --------------------------------------------------------------- */

static bool start_section(ConfigReader *reader, const ConfigLine *line,
                          GError **error)
{
    if (!end_section(reader, error)) {
        return false;
    }
    if (!g_strv_contains(known_groups, line->name)) {
        return error_at(reader, reader->line_number, error,
                        "QEMU knows no section [%s]", line->name);
    }
    reader->group = g_strdup(line->name);
    reader->id = g_strdup(line->value);
    reader->section_line_number = reader->line_number;
    return true;
}

static bool add_setting(ConfigReader *reader, const ConfigLine *line,
                        GError **error)
{
    const ConfigSetting *before = find_setting(reader, line->name);
    ConfigSetting *setting;

    if (!reader->group) {
        return error_at(reader, reader->line_number, error,
                        "%s=%s: a key before the first section", line->name,
                        line->value);
    }
    if (before) {
        return error_at(reader, reader->line_number, error,
                        "%s=%s: already %s=%s in line %u; QEMU would keep "
                        "only the last", line->name, line->value,
                        before->name, before->value, before->line_number);
    }
    setting = g_new(ConfigSetting, 1);
    setting->name = g_strdup(line->name);
    setting->value = g_strdup(line->value);
    setting->line_number = reader->line_number;
    g_ptr_array_add(reader->settings, setting);
    return true;
}

static bool read_parsed(ConfigReader *reader, const ConfigLine *line,
                        GError **error)
{
    switch (line->kind) {
    case CONFIG_LINE_EMPTY:
        return true;
    case CONFIG_LINE_SECTION:
        return start_section(reader, line, error);
    case CONFIG_LINE_KEY:
        return add_setting(reader, line, error);
    case CONFIG_LINE_BAD:
        return error_at(reader, reader->line_number, error, "'%s': %s",
                        line->name, line->wrong);
    }
    g_assert_not_reached();
}

/* Read all lines; the buffer is as long as QEMU's, so is the longest line. */
static bool read_lines(ConfigReader *reader, GError **error)
{
    char text[CONFIG_LINE_BYTES];

    while (fgets(text, sizeof(text), reader->file)) {
        size_t length = strlen(text);
        ConfigLine line;

        reader->line_number++;
        if (length > 0 && text[length - 1] == '\n') {
            text[--length] = '\0';
        } else if (!feof(reader->file) || length == 0) {
            return error_at(reader, reader->line_number, error,
                            "the line is longer than %d bytes or holds a 0 "
                            "byte", CONFIG_LINE_BYTES - 2);
        }
        line = config_line_parse(text);
        if (!read_parsed(reader, &line, error)) {
            return false;
        }
    }
    if (ferror(reader->file)) {
        return error_at(reader, reader->line_number, error, "cannot read: %s",
                        g_strerror(errno));
    }
    return end_section(reader, error);
}

/* Is there exactly one drive that fits what was asked for? */
static bool check_drives(const ConfigReader *reader, GError **error)
{
    const GPtrArray *ids = reader->drive_ids;
    g_autoptr(GString) list = g_string_new(NULL);

    for (unsigned i = 0; i < ids->len; i++) {
        if (reader->device_id && g_str_equal(reader->device_id,
                                             ids->pdata[i])) {
            return true;
        }
        g_string_append_printf(list, "%s%s", i ? ", " : "",
                               (char *)ids->pdata[i]);
    }
    if (ids->len == 0) {
        g_set_error(error, CONFIG_FILE_ERROR, 0, "%s: no section [device "
                    "\"zns0\"] with driver = \"%s\"", reader->path, DRIVER);
    } else if (reader->device_id) {
        g_set_error(error, CONFIG_FILE_ERROR, 0, "%s: no drive has the id "
                    "'%s'; there is %s", reader->path, reader->device_id,
                    list->str);
    } else if (ids->len > 1) {
        g_set_error(error, CONFIG_FILE_ERROR, 0, "%s: there are %u drives "
                    "(%s); choose one by its id", reader->path, ids->len,
                    list->str);
    } else {
        return true;
    }
    return false;
}

bool config_file_read(const char *path, const char *device_id,
                      SsdParams *params, GError **error)
{
    const char *wrong;
    ConfigReader reader = {
        .path = path,
        .device_id = device_id,
        .file = ssd_file_read(path, &wrong),
        .params = params,
    };
    bool good;

    if (!reader.file) {
        g_set_error(error, CONFIG_FILE_ERROR, 0,
                    "cannot open configuration '%s': %s", path, wrong);
        return false;
    }
    reader.settings = g_ptr_array_new_with_free_func(setting_free);
    reader.drive_ids = g_ptr_array_new_with_free_func(g_free);
    reader.device_ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                              NULL);
    good = read_lines(&reader, error) && check_drives(&reader, error);
    g_free(reader.group);
    g_free(reader.id);
    g_ptr_array_unref(reader.settings);
    g_ptr_array_unref(reader.drive_ids);
    g_hash_table_unref(reader.device_ids);
    fclose(reader.file);
    return good;
}
