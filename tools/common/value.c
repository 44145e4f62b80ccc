/*
 * Values are read exactly: what does not fit the form is refused.
 *
 * Knows nothing of which options there are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "value.h"

#include <math.h>
#include <string.h>

/* The number at the start of `text`; *rest is what follows. */
static bool leading_number(const char *text, uint64_t *value,
                           const char **rest)
{
    gchar *end = NULL;

    if (!g_ascii_isdigit(text[0])) {
        return false;
    }
    *value = g_ascii_strtoull(text, &end, 10);
    *rest = end;
    return true;
}

/* What is no uint64_t is read as the largest, which nothing takes. */
static const char *check_most(uint64_t value, uint64_t most)
{
    return value > MIN(most, UINT64_MAX - 1) ? "is too large" : NULL;
}

const char *sim_value_bytes(const char *text, uint64_t zone_bytes,
                            uint64_t *bytes)
{
    static const char suffixes[] = "kmgt";
    uint64_t value, factor = 1;
    const char *rest, *suffix;

    if (!leading_number(text, &value, &rest)) {
        return "is not a size, such as 16k, 1M or 3z";
    }
    if (g_ascii_tolower(rest[0]) == 'z' && rest[1] == '\0') {
        factor = zone_bytes;
    } else if (rest[0] != '\0') {
        suffix = strchr(suffixes, g_ascii_tolower(rest[0]));
        if (!suffix || (rest[1] != '\0' &&
                        g_ascii_strcasecmp(rest + 1, "b") != 0 &&
                        g_ascii_strcasecmp(rest + 1, "ib") != 0 &&
                        g_ascii_strcasecmp(rest + 1, "i") != 0)) {
            return "is not a size, such as 16k, 1M or 3z";
        }
        factor = UINT64_C(1) << (10 * (suffix - suffixes + 1));
    }
    *bytes = value * factor;
    return check_most(value, UINT64_MAX / 2 / factor);
}

/*
 * Read the decimals of a number, if it has any, as the fraction *part / *parts:
 * ".25" is 25 / 100. *rest is moved behind them.
 * Return: false if there is a point without 1 to 9 digits behind it.
 */
static bool decimals(const char **rest, uint64_t *part, uint64_t *parts)
{
    if ((*rest)[0] != '.') {
        return true;
    }
    for ((*rest)++; g_ascii_isdigit((*rest)[0]); (*rest)++) {
        if (*parts == 1000000000) {
            return false;
        }
        *part = *part * 10 + (uint64_t)((*rest)[0] - '0');
        *parts *= 10;
    }
    return *parts > 1;
}

const char *sim_value_ns(const char *text, uint64_t unit_ns, uint64_t *ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {
        {"ns", 1}, {"us", 1000}, {"usec", 1000}, {"ms", 1000000},
        {"msec", 1000000}, {"s", 1000000000},
        {"m", UINT64_C(60000000000)}, {"h", UINT64_C(3600000000000)},
    };
    uint64_t value, part = 0, parts = 1;
    const char *rest;

    if (!leading_number(text, &value, &rest) ||
        !decimals(&rest, &part, &parts)) {
        return "is not a time, such as 30s, 500ms or 5.8us";
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(units) && rest[0] != '\0'; i++) {
        if (g_str_equal(rest, units[i].name)) {
            unit_ns = units[i].ns;
            rest += strlen(rest);
        }
    }
    if (rest[0] != '\0') {
        return "is not a time, such as 30s, 500ms or 5.8us";
    }
    if (value > SIM_MOST_NS / unit_ns) {
        return "is too long: must be at most ten years";
    }
    *ns = value * unit_ns;
    /* Cancel common factors of ten: the product below must not overflow. */
    for (; parts % 10 == 0 && unit_ns % 10 == 0; parts /= 10) {
        unit_ns /= 10;
    }
    if (part * unit_ns % parts != 0) {
        return "is not a whole number of ns";
    }
    *ns += part * unit_ns / parts;
    return NULL;
}

const char *sim_value_percent(const char *text, uint64_t whole, uint64_t step,
                              uint64_t *part)
{
    uint64_t number, of_it = 0, parts = 1;
    double percent = g_ascii_strtod(text, NULL);
    const char *rest;

    if (!leading_number(text, &number, &rest) ||
        !decimals(&rest, &of_it, &parts) || !g_str_equal(rest, "%") ||
        percent > 100) {
        return "is not a percentage, such as 50%";
    }
    *part = (uint64_t)llrint((double)(whole / step) * percent / 100) * step;
    return NULL;
}

const char *sim_value_thousandths(const char *text, uint64_t *value)
{
    uint64_t whole, part = 0, parts = 1;
    const char *rest;

    if (!leading_number(text, &whole, &rest)) {
        return "is not a number";
    }
    if (!decimals(&rest, &part, &parts) || parts > 1000 || rest[0] != '\0') {
        return "is not a number with at most three decimals";
    }
    *value = whole * 1000 + part * (1000 / parts);
    return check_most(whole, UINT64_MAX / 1000 / 2);
}

const char *sim_value_count(const char *text, uint64_t *value)
{
    const char *rest;

    if (!leading_number(text, value, &rest) || rest[0] != '\0') {
        return "is not a whole number";
    }
    return check_most(*value, UINT64_MAX);
}

const char *sim_value_bool(const char *text, bool *value)
{
    if (!text || g_str_equal(text, "1")) {
        *value = true;
    } else if (g_str_equal(text, "0")) {
        *value = false;
    } else {
        return "must be 0 or 1";
    }
    return NULL;
}
