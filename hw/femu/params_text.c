/*
 * Values of parameters from text and to text, as QEMU's command line and
 * configuration files write them.
 *
 * Knows nothing of which parameters there are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "params_text.h"

#include <inttypes.h>
#include <string.h>

/* --- To text ------------------------------------------------------------- */

char *ssd_param_size_text(uint64_t bytes)
{
    static const char suffixes[] = "KMGTPE";
    int used = -1;

    /* No 64 bits hold seven factors of 1024. */
    while (bytes != 0 && bytes % 1024 == 0) {
        bytes /= 1024;
        used++;
    }
    if (used < 0) {
        return g_strdup_printf("%" PRIu64, bytes);
    }
    return g_strdup_printf("%" PRIu64 "%c", bytes, suffixes[used]);
}

char *ssd_param_value_text(SsdParamType type, uint64_t value)
{
    switch (type) {
    case SSD_PARAM_TYPE_SIZE:
        return ssd_param_size_text(value);
    case SSD_PARAM_TYPE_BOOL:
        return g_strdup(value ? "on" : "off");
    default:
        return g_strdup_printf("%" PRIu64, value);
    }
}

/* --- From text ----------------------------------------------------------- */

/*
 * The digits of `text` up to *end, in base 10 or 16.
 * Return: false if they exceed 64 bits.
 */
static bool parse_digits(const char *text, unsigned base, const char **end,
                         uint64_t *value)
{
    bool fits = true;

    *value = 0;
    for (; base == 16 ? g_ascii_isxdigit(*text) : g_ascii_isdigit(*text);
         text++) {
        unsigned digit = (unsigned)g_ascii_xdigit_value(*text);

        fits = fits && *value <= (UINT64_MAX - digit) / base;
        *value = *value * base + digit;
    }
    *end = text;
    return fits;
}

static bool has_hex_prefix(const char *text)
{
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

/*
 * A plain integer as QEMU reads one: decimal or 0x hexadecimal. QEMU would
 * take 010 for the octal 8 and -1 for 2^64 - 1; here both are errors.
 */
static const char *parse_integer(const char *text, uint64_t *value)
{
    bool hex = has_hex_prefix(text);
    const char *digits = hex ? text + 2 : text;
    const char *end;
    bool fits = parse_digits(digits, hex ? 16 : 10, &end, value);

    if (end == digits || *end != '\0') {
        return "is not a whole number";
    }
    if (!hex && digits[0] == '0' && digits[1] != '\0') {
        return "has a leading 0, which QEMU would read as octal; leave it out";
    }
    return fits ? NULL : "is too large";
}

enum { NO_SUFFIX = -1 };

/* log2 of a binary suffix; 0 for B and for none; NO_SUFFIX for any other. */
static int suffix_shift(char suffix)
{
    static const char suffixes[] = "BKMGTPE";
    const char *at;

    if (suffix == '\0') {
        return 0;
    }
    at = strchr(suffixes, g_ascii_toupper(suffix));
    return at ? 10 * (int)(at - suffixes) : NO_SUFFIX;
}

/*
 * The value of the digits [digits, end) after a decimal point, times
 * 2^shift. A fraction f / 10^k in lowest decimal terms is a whole number of
 * bytes only if 5^k divides f and k <= shift; then it is (f / 5^k) 2^(shift-k).
 * Return: false when that is no whole number, or beyond 19 digits.
 */
static bool parse_fraction(const char *digits, const char *end, int shift,
                           uint64_t *bytes)
{
    uint64_t fraction = 0, five_to_k = 1;
    int k;

    while (end > digits && end[-1] == '0') {
        end--;
    }
    if (end - digits > MIN(shift, 19)) {
        return false;
    }
    k = (int)(end - digits);
    for (int i = 0; i < k; i++) {
        fraction = fraction * 10 + (uint64_t)(digits[i] - '0');
        five_to_k *= 5;
    }
    *bytes = (fraction / five_to_k) << (shift - k);
    return fraction % five_to_k == 0;
}

/*
 * A size as QEMU reads one: 4096, 0x1000, 16K, 1.5G. QEMU rounds 1.3K to a
 * byte; here a fraction must come out even.
 */
static const char *parse_size(const char *text, uint64_t *value)
{
    const char *whole_end, *part_text, *end;
    uint64_t whole, part = 0;
    bool fits;
    int shift;

    if (has_hex_prefix(text)) {
        return parse_integer(text, value);
    }
    fits = parse_digits(text, 10, &whole_end, &whole);
    part_text = whole_end + (*whole_end == '.');
    end = part_text;
    while (g_ascii_isdigit(*end)) { /* none where no point is */
        end++;
    }
    shift = suffix_shift(*end);
    if ((whole_end == text && end == part_text) || shift == NO_SUFFIX ||
        (*end != '\0' && end[1] != '\0')) {
        return "is not a size such as 4096, 16K or 1.5G";
    }
    if (!parse_fraction(part_text, end, shift, &part)) {
        return "is no whole number of bytes";
    }
    /* The part, below 1 << shift, has the bits that the whole leaves. */
    if (!fits || whole > UINT64_MAX >> shift) {
        return "is too large";
    }
    *value = (whole << shift) + part;
    return NULL;
}

/* The words that QEMU takes for a boolean, in lower case only as there. */
static const char *parse_bool(const char *text, uint64_t *value)
{
    static const char *const on[] = {"on", "yes", "true", "y", NULL};
    static const char *const off[] = {"off", "no", "false", "n", NULL};

    *value = g_strv_contains(on, text);
    if (!*value && !g_strv_contains(off, text)) {
        return "is neither on nor off";
    }
    return NULL;
}

const char *ssd_param_parse(SsdParamType type, const char *text,
                            uint64_t *value)
{
    switch (type) {
    case SSD_PARAM_TYPE_U32:
    case SSD_PARAM_TYPE_U64:
        return parse_integer(text, value);
    case SSD_PARAM_TYPE_SIZE:
        return parse_size(text, value);
    case SSD_PARAM_TYPE_BOOL:
        return parse_bool(text, value);
    case SSD_PARAM_TYPE_ENUM:
        break;
    }
    g_assert_not_reached();
}

/* --- Words: `unit` of an ENUM row lists them, "a, b, c" -------------------- */

const char *ssd_param_row_parse(const SsdParamInfo *info, const char *text,
                                uint64_t *value)
{
    g_auto(GStrv) words = NULL;

    if (info->type != SSD_PARAM_TYPE_ENUM) {
        return ssd_param_parse(info->type, text, value);
    }
    words = g_strsplit(info->unit, ", ", 0);
    for (uint64_t i = 0; words[i]; i++) {
        if (g_str_equal(words[i], text)) {
            *value = i;
            return NULL;
        }
    }
    return "is no such word";
}

char *ssd_param_row_text(const SsdParamInfo *info, uint64_t value)
{
    g_auto(GStrv) words = NULL;

    if (info->type != SSD_PARAM_TYPE_ENUM) {
        return ssd_param_value_text(info->type, value);
    }
    words = g_strsplit(info->unit, ", ", 0);
    if (value >= g_strv_length(words)) {
        return g_strdup_printf("%" PRIu64, value);
    }
    return g_strdup(words[value]);
}
