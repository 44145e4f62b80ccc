/*
 * Reads values out of JSON text by path: see json_value.h.
 *
 * Knows nothing of drives.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "json_value.h"

#include <string.h>

static void space(const char **at)
{
    *at += strspn(*at, " \t\r\n");
}

static void expect(const char **at, char what)
{
    if (**at != what) {
        g_error("JSON: '%c' expected before: %.40s", what, *at);
    }
    ++*at;
}

/* Caller frees. */
static char *string(const char **at)
{
    const char *begin, *end;

    expect(at, '"');
    begin = *at;
    end = strpbrk(begin, "\"\\\n");
    g_assert_nonnull(end);
    *at = end;
    expect(at, '"');
    return g_strndup(begin, end - begin);
}

static void number(const char **at)
{
    const char *begin = *at;

    while (g_ascii_isdigit(**at)) {
        ++*at;
    }
    if (*at == begin || (*begin == '0' && *at - begin > 1)) {
        g_error("JSON: unsigned integer expected before: %.40s", begin);
    }
}

/* Pass over one value. Return: members or elements in it. */
static unsigned value(const char **at);

static unsigned members(const char **at)
{
    GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                              NULL);
    unsigned count = 0;

    expect(at, '{');
    space(at);
    while (**at != '}') {
        if (count++) {
            expect(at, ',');
            space(at);
        }
        g_assert_true(g_hash_table_add(names, string(at)));
        space(at);
        expect(at, ':');
        value(at);
    }
    expect(at, '}');
    g_hash_table_destroy(names);
    return count;
}

static unsigned elements(const char **at)
{
    unsigned count = 0;

    expect(at, '[');
    space(at);
    while (**at != ']') {
        if (count++) {
            expect(at, ',');
        }
        value(at);
    }
    expect(at, ']');
    return count;
}

static unsigned value(const char **at)
{
    unsigned count = 0;

    space(at);
    if (**at == '{') {
        count = members(at);
    } else if (**at == '[') {
        count = elements(at);
    } else if (**at == '"') {
        g_free(string(at));
    } else {
        number(at);
    }
    space(at);
    return count;
}

/* The value called `name`, or numbered so, in the one at `at`; or NULL. */
static const char *child(const char *at, const char *name)
{
    bool array = *at == '[';
    bool found;
    char *index;

    if (*at != '{' && *at != '[') {
        return NULL;
    }
    at++;
    space(&at);
    for (unsigned i = 0; *at != '}' && *at != ']'; i++) {
        if (i) {
            expect(&at, ',');
            space(&at);
        }
        index = array ? g_strdup_printf("%u", i) : string(&at);
        found = strcmp(index, name) == 0;
        g_free(index);
        space(&at);
        if (!array) {
            expect(&at, ':');
            space(&at);
        }
        if (found) {
            return at;
        }
        value(&at);
    }
    return NULL;
}

static const char *find(const char *text, const char *path)
{
    char **names = g_strsplit(path, ".", -1);

    for (char **name = names; *name && text; name++) {
        text = child(text, *name);
    }
    g_strfreev(names);
    return text;
}

void json_check(const char *text)
{
    value(&text);
    g_assert_cmpstr(text, ==, "");
}

bool json_has(const char *text, const char *path)
{
    return find(text, path) != NULL;
}

uint64_t json_u64(const char *text, const char *path)
{
    const char *at = find(text, path);

    if (!at || !g_ascii_isdigit(*at)) {
        g_error("JSON: no number %s in %s", path, text);
    }
    return g_ascii_strtoull(at, NULL, 10);
}

unsigned json_length(const char *text, const char *path)
{
    const char *at = find(text, path);

    if (!at) {
        g_error("JSON: no %s in %s", path, text);
    }
    return value(&at);
}
