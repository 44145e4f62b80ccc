/*
 * The grammar of a QEMU configuration file, line by line.
 *
 * Knows nothing of which sections and keys there are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "config_line.h"

#include <stdbool.h>
#include <string.h>

#define MAX_NAME_LENGTH 63

static ConfigLine bad(char *name, const char *wrong)
{
    ConfigLine line = {
        .kind = CONFIG_LINE_BAD,
        .name = name,
        .wrong = wrong,
    };

    return line;
}

static char *skip_blanks(char *at)
{
    while (g_ascii_isspace(*at)) {
        at++;
    }
    return at;
}

/*
 * QEMU ignores the rest of the line. Here it must be empty or a comment, or
 * the user would lose what it says without a word.
 */
static bool ends_here(char *at)
{
    at = skip_blanks(at);
    return *at == '\0' || *at == '#';
}

/*
 * Cut out the text between `at`, which is at a quote, and the next quote.
 * Return: behind the closing quote, or NULL when there is none.
 */
static char *cut_quoted(char *at, char **text)
{
    char *end = strchr(at + 1, '"');

    if (!end) {
        return NULL;
    }
    *text = at + 1;
    *end = '\0';
    return end + 1;
}

/* Is this text an identifier by QEMU's rules? */
static bool is_id(const char *id)
{
    if (!g_ascii_isalpha(*id) || strlen(id) > MAX_NAME_LENGTH) {
        return false;
    }
    while (*id && (g_ascii_isalnum(*id) || strchr("-._", *id))) {
        id++;
    }
    return *id == '\0';
}

/* `text` starts with a bracket. */
static ConfigLine parse_section(char *text)
{
    static const char form[] = "a section looks like [device \"zns0\"] or "
                               "[machine]";
    ConfigLine line = {.kind = CONFIG_LINE_SECTION};
    char *start = skip_blanks(text + 1);
    char *end = start + strcspn(start, " \t\v\f\r]\"");

    if (end == start || end - start > MAX_NAME_LENGTH) {
        return bad(text, form);
    }
    line.name = start;
    if (*end == ']') {
        *end = '\0';
        return start == text + 1 && ends_here(end + 1) ? line :
               bad(text, form);
    }
    if (!g_ascii_isspace(*end)) {
        return bad(text, form);
    }
    *end++ = '\0';
    end = skip_blanks(end);
    if (*end != '"' || !(end = cut_quoted(end, &line.value))) {
        return bad(start, form);
    }
    if (!is_id(line.value)) {
        return bad(line.value, "an id is a letter, then up to 62 letters, "
                   "digits, '-', '.' or '_'");
    }
    end = skip_blanks(end);
    if (*end != ']' || !ends_here(end + 1)) {
        return bad(start, form);
    }
    return line;
}

/* Return: what is wrong with the key in front of a '='. */
static const char *bad_word(const char *name)
{
    if (g_str_has_prefix(name, "\xef\xbb\xbf")) {
        return "there must be no byte order mark";
    }
    if (*name == '#') {
        return "a comment must start in the first column";
    }
    if (*name == '[') {
        return "a section must start in the first column";
    }
    if (strchr(name, '=')) {
        return "there must be blanks between the name and '='";
    }
    return strlen(name) > MAX_NAME_LENGTH ? "a name has at most 63 letters" :
           NULL;
}

static ConfigLine parse_key(char *text)
{
    static const char form[] = "a key looks like channels = \"8\"";
    ConfigLine line = {.kind = CONFIG_LINE_KEY};
    char *end;

    line.name = skip_blanks(text);
    end = line.name + strcspn(line.name, " \t\v\f\r");
    if (*end) {
        *end++ = '\0';
    }
    if (bad_word(line.name)) {
        return bad(line.name, bad_word(line.name));
    }
    end = skip_blanks(end);
    if (*end != '=') {
        return bad(line.name, form);
    }
    end = skip_blanks(end + 1);
    if (*end != '"') {
        return bad(line.name, "the value must be in double quotes; QEMU would "
                   "take it to be empty");
    }
    end = cut_quoted(end, &line.value);
    if (!end) {
        return bad(line.name, "the value's closing quote is missing");
    }
    return ends_here(end) ? line :
           bad(line.name, "only a comment may follow the value; QEMU would "
               "drop the rest of the line");
}

ConfigLine config_line_parse(char *text)
{
    ConfigLine empty = {.kind = CONFIG_LINE_EMPTY};

    if (*text == '\0' || *text == '#') {
        return empty;
    }
    if (*skip_blanks(text) == '\0') {
        return bad(text, "an empty line must not hold blanks (or a carriage "
                   "return)");
    }
    return *text == '[' ? parse_section(text) : parse_key(text);
}
