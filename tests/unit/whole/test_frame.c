/*
 * The frame of a state, magic, version, parameters and digest: what a drive says
 * of one that is not its own.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "seal.h"
#include "support/drive.h"

static void expect_message(const SsdParams *params, const uint8_t *data,
                           size_t size, const char *message)
{
    g_autoptr(GError) error = NULL;

    g_assert_null(ssd_load(params, data, size, &error));
    g_assert_nonnull(error);
    g_assert_cmpstr(error->message, ==, message);
    g_assert_cmpint(error->code, ==, 0);
}

static void test_messages(void)
{
    static const char foreign[] = "Filesystem 1K-blocks Used Available Use%";
    SsdParams params = drive_params("zones=2"), other = params;
    Ssd *ssd = ssd_new(&params);
    GByteArray *bytes = ssd_save(ssd);
    g_autoptr(GError) error = NULL;
    SsdParams read;
    unsigned count;
    const SsdParamInfo *rows = ssd_params_table(&count);

    g_assert_true(ssd_load_params(bytes->data, bytes->len, &read, NULL));
    for (unsigned i = 0; i < count; i++) {
        g_assert_cmpuint(ssd_params_get(&read, &rows[i]), ==,
                         ssd_params_get(&params, &rows[i]));
    }
    expect_message(&params, (const uint8_t *)foreign, sizeof(foreign),
                   "the state is none of a femu-zns drive: it does not begin "
                   "as one");
    g_assert_false(ssd_load_params((const uint8_t *)foreign, sizeof(foreign),
                                   &read, &error));
    g_assert_cmpstr(error->message, ==, "the state is none of a femu-zns "
                    "drive: it does not begin as one");
    expect_message(&params, bytes->data, 0,
                   "the state is none of a femu-zns drive: it does not begin "
                   "as one");
    expect_message(&params, bytes->data, strlen("femu-zns drive\n"),
                   "the state is cut short");
    expect_message(&params, bytes->data, 20, "the state is cut short");
    expect_message(&params, bytes->data,
                   strlen("femu-zns drive\n") + DIGEST_BYTES,
                   "the state: the state ends in version");
    expect_message(&params, bytes->data, bytes->len - 1,
                   "the state: is damaged or cut short: its digest is not "
                   "that of its bytes");
    other.read_ns++;
    expect_message(&other, bytes->data, bytes->len,
                   "the state: it is of a drive with read-ns=60000, this one "
                   "has read-ns=60001");
    bytes->data[strlen("femu-zns drive\n")]++;
    seal(bytes);
    expect_message(&params, bytes->data, bytes->len,
                   "the state: has version 2, this build reads version 1");
    bytes->data[strlen("femu-zns drive\n")]--;
    g_byte_array_append(bytes, bytes->data, 1);
    seal(bytes);
    expect_message(&params, bytes->data, bytes->len,
                   "drive: 1 bytes follow its end");
    ssd_free(ssd);
    g_byte_array_unref(bytes);
}

/* What follows the version. */
typedef struct Rest {
    const char *bytes;
    guint count;
    const char *message;
} Rest;

#define REST(bytes_, message_) { bytes_, sizeof(bytes_) - 1, message_ }
#define MORE_NINE "\xff\xff\xff\xff\xff\xff\xff\xff\xff"

static const Rest rests[] = {
    REST("", "the state: the state ends in the parameters"),
    REST("\x80", "the state: the state ends in the parameters"),
    REST(MORE_NINE "\x01", "the state: the parameters is "
         "18446744073709551615, must be at most 65536"),
    REST(MORE_NINE "\x02",
         "the state: a number of the parameters is too long"),
    REST("\x80" MORE_NINE "\x00",
         "the state: a number of the parameters is too long"),
    REST("\x07zones=", "the state: the state ends in the parameters"),
    REST("\x08zones=\x00" "2", "the state: the parameters has a byte of 0"),
    REST("\x05zones", "the state: 'zones' is no parameter with a value"),
    REST("\x09zones=2\nx", "the state: 'x' is no parameter with a value"),
    REST("\x08" "zomes=2\n", "the state: zomes=2: no parameter 'zomes'; did "
         "you mean 'zones'?"),
    REST("\x05" "\33[2J\xe4",
         "the state: '\\033[2J\\344' is no parameter with a value"),
};

static void test_rests(void)
{
    SsdParams params = drive_params(""), read;
    Ssd *ssd = ssd_new(&params);
    GByteArray *bytes = ssd_save(ssd);
    guint head = strlen("femu-zns drive\n") + 1;

    for (unsigned i = 0; i < G_N_ELEMENTS(rests); i++) {
        static const uint8_t digest[DIGEST_BYTES];
        g_autoptr(GError) error = NULL;

        g_byte_array_set_size(bytes, head);
        g_byte_array_append(bytes, (const uint8_t *)rests[i].bytes,
                            rests[i].count);
        g_byte_array_append(bytes, digest, DIGEST_BYTES);
        seal(bytes);
        expect_message(&params, bytes->data, bytes->len, rests[i].message);
        g_assert_false(ssd_load_params(bytes->data, bytes->len, &read,
                                       &error));
        g_assert_cmpstr(error->message, ==, rests[i].message);
    }
    g_byte_array_unref(bytes);
    ssd_free(ssd);
}

/* Parameters that are good one by one, and no drive's together. */
static void test_rules(void)
{
    static const char text[] = "\x15" "namespaces=4\nzones=3\n";
    static const uint8_t digest[DIGEST_BYTES];
    SsdParams params = drive_params(""), read;
    Ssd *ssd = ssd_new(&params);
    GByteArray *bytes = ssd_save(ssd);
    g_autoptr(GError) error = NULL;

    g_byte_array_set_size(bytes, strlen("femu-zns drive\n") + 1);
    g_byte_array_append(bytes, (const uint8_t *)text, strlen(text));
    g_byte_array_append(bytes, digest, DIGEST_BYTES);
    seal(bytes);
    g_assert_false(ssd_load_params(bytes->data, bytes->len, &read, &error));
    g_assert_true(g_str_has_prefix(error->message, "namespaces=4: must be at "
                                   "most "));
    g_byte_array_unref(bytes);
    ssd_free(ssd);
}

/* What a state says with 16383, as a step, in place of its i-th byte. */
static char *said_of_byte(const SsdParams *params, const GByteArray *bytes,
                          unsigned i)
{
    static const uint8_t large[] = { 0xfe, 0xff, 0x01 };
    GByteArray *other = g_byte_array_new();
    g_autoptr(GError) error = NULL;

    g_byte_array_append(other, bytes->data, i);
    g_byte_array_append(other, large, sizeof(large));
    g_byte_array_append(other, bytes->data + i + 1, bytes->len - i - 1);
    seal(other);
    ssd_free(ssd_load(params, other->data, other->len, &error));
    g_byte_array_unref(other);
    return error ? g_strdup(error->message) : NULL;
}

/* Operations and jobs are no more than a drive has room for. */
static void test_too_many(void)
{
    SsdParams params = drive_params("channels=1 zones=2 cmd-slots=1");
    Ssd *ssd = ssd_new(&params);
    GByteArray *bytes = ssd_save(ssd);
    unsigned operations = 0, jobs = 0;

    for (unsigned i = 0; i < bytes->len - DIGEST_BYTES; i++) {
        g_autofree char *text = said_of_byte(&params, bytes, i);

        operations += text && g_str_has_prefix(
            text, "flash: 16383 operations, at most ");
        jobs += text && g_str_has_prefix(text, "zones: 16383 jobs, at most ");
    }
    g_assert_cmpuint(operations, ==, 1);
    g_assert_cmpuint(jobs, ==, 1);
    g_byte_array_unref(bytes);
    ssd_free(ssd);
}

/* What follows from other parameters need not be given. */
static void test_unresolved(void)
{
    SsdParams params;
    GByteArray *bytes;
    Ssd *ssd;

    ssd_params_defaults(&params);
    params.zones = 2;
    ssd = ssd_new(&params);
    bytes = ssd_save(ssd);
    ssd_free(ssd);
    g_assert_cmpuint(params.zone_capacity_bytes, ==, 0);
    ssd = ssd_load(&params, bytes->data, bytes->len, NULL);
    g_assert_nonnull(ssd);
    g_byte_array_unref(bytes);
    ssd_free(ssd);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/frame/messages", test_messages);
    g_test_add_func("/frame/rests", test_rests);
    g_test_add_func("/frame/rules", test_rules);
    g_test_add_func("/frame/too-many", test_too_many);
    g_test_add_func("/frame/unresolved", test_unresolved);
    return g_test_run();
}
