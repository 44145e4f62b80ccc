/*
 * Reads job files line by line.
 *
 * Knows nothing of which options there are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "jobfile.h"

#include <errno.h>
#include <string.h>

#include "common/error.h"
#include "ssd_file.h"

void job_reader_init(JobReader *reader, Plan *plan, const SsdParams *params,
                     unsigned count)
{
    *reader = (JobReader) {.plan = plan, .global = job_spec_new(params, count)};
}

void job_reader_clear(JobReader *reader)
{
    job_spec_free(reader->global);
    if (reader->job) {
        job_spec_free(reader->job);
    }
    g_free(reader->job_name);
    g_free(reader->idle_option);
}

/* The present job, if there is one, has all its options. */
static bool end_job(JobReader *reader, GError **error)
{
    PlanJob *job;

    if (!reader->job) {
        return true;
    }
    job = option_finish(reader->job, reader->global, reader->job_name, error);
    if (!job) {
        g_prefix_error(error, "job '%s': ", reader->job_name);
        return false;
    }
    g_ptr_array_add(reader->plan->jobs, job);
    g_clear_pointer(&reader->job, job_spec_free);
    g_clear_pointer(&reader->job_name, g_free);
    return true;
}

bool job_reader_end(JobReader *reader, GError **error)
{
    if (!end_job(reader, error)) {
        return false;
    }
    if (reader->idle_option) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "'%s' holds for no job: it "
                    "must stand in one, or before one", reader->idle_option);
        return false;
    }
    return true;
}

bool job_reader_section(JobReader *reader, const char *name, GError **error)
{
    if (!end_job(reader, error)) {
        return false;
    }
    if (name) {
        reader->job = job_spec_copy(reader->global);
        reader->job->job.stonewall |= reader->waits;
        reader->waits = false;
        reader->job_name = g_strdup(name);
        g_clear_pointer(&reader->idle_option, g_free);
    }
    return true;
}

bool job_reader_option(JobReader *reader, const char *name,
                       const char *value, GError **error)
{
    if (g_str_equal(name, "name") && value) {
        if (reader->job) {
            g_free(reader->job_name);
            reader->job_name = g_strdup(value);
            return true;
        }
        return job_reader_section(reader, value, error);
    }
    if (!reader->job && option_is_of_job(name)) {
        g_free(reader->idle_option);
        reader->idle_option = g_strdup(name);
    }
    return option_set(reader->job ? reader->job : reader->global,
                      reader->plan, name, value, error);
}

/* Parse one line, which has no newline any more; this changes `line`. */
static bool read_line(JobReader *reader, char *line, GError **error)
{
    char *equals, *end;

    g_strstrip(line);
    if (line[0] == '\0' || line[0] == '#' || line[0] == ';') {
        return true;
    }
    if (line[0] == '[') {
        end = strchr(line, ']');
        if (!end || end[1] != '\0' || end == line + 1) {
            g_set_error(error, SIM_ERROR_DOMAIN, 0, "'%s': a section must be "
                        "[name]", line);
            return false;
        }
        *end = '\0';
        return job_reader_section(reader, g_str_equal(line + 1, "global")
                                  ? NULL : line + 1, error);
    }
    equals = strchr(line, '=');
    if (equals) {
        *equals = '\0';
        g_strchomp(line);
        g_strchug(equals + 1);
    }
    return job_reader_option(reader, line, equals ? equals + 1 : NULL, error);
}

/* All of a file. Return: NULL with its words in *wrong; free it. */
static GString *read_text(const char *path, const char **wrong)
{
    FILE *file = ssd_file_read(path, wrong);
    GString *text;
    char part[4096];
    size_t count;
    bool good;

    if (!file) {
        return NULL;
    }
    text = g_string_new(NULL);
    while ((count = fread(part, 1, sizeof(part), file)) > 0) {
        g_string_append_len(text, part, (gssize)count);
    }
    good = !ferror(file);
    *wrong = good ? NULL : g_strerror(errno);
    fclose(file);
    if (!good) {
        g_string_free(text, TRUE);
    }
    return good ? text : NULL;
}

/* As text it would end at its first 0 byte. Return: the line, 0 of none. */
static unsigned line_of_zero(const GString *text)
{
    const char *zero = memchr(text->str, '\0', text->len);
    unsigned line = 1;

    for (const char *at = text->str; zero && at < zero; at++) {
        line += *at == '\n';
    }
    return zero ? line : 0;
}

static bool check_text(const GString *text, const char *path, GError **error)
{
    unsigned line = line_of_zero(text);

    if (g_str_has_prefix(text->str, "\xef\xbb\xbf")) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s:1: there must be no byte "
                    "order mark", path);
        return false;
    }
    if (line > 0) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s:%u: there must be no 0 "
                    "byte: the file is damaged, or no text", path, line);
        return false;
    }
    return true;
}

static bool read_lines(JobReader *reader, const char *path, GError **error)
{
    const char *wrong;
    g_autoptr(GString) text = read_text(path, &wrong);
    g_auto(GStrv) lines = NULL;

    if (!text) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "cannot read job file '%s': "
                    "%s", path, wrong);
        return false;
    }
    if (!check_text(text, path, error)) {
        return false;
    }
    lines = g_strsplit(text->str, "\n", -1);
    for (unsigned i = 0; lines[i]; i++) {
        if (!read_line(reader, lines[i], error)) {
            g_prefix_error(error, "%s:%u: ", path, i + 1);
            return false;
        }
    }
    if (!job_reader_end(reader, error)) {
        g_prefix_error(error, "%s: ", path);
        return false;
    }
    return true;
}

/* What options before it have been for, the file's first job answers. */
bool job_reader_file(JobReader *reader, const char *path, GError **error)
{
    g_autofree char *idle_option = NULL;
    unsigned job_count;
    JobSpec *global;
    bool read;

    if (!end_job(reader, error)) {
        return false;
    }
    idle_option = g_steal_pointer(&reader->idle_option);
    job_count = reader->plan->jobs->len;
    global = job_spec_copy(reader->global);
    reader->waits = reader->file_count++ > 0;
    read = read_lines(reader, path, error);
    reader->waits = false;
    job_spec_free(reader->global);
    reader->global = global;
    if (read && reader->plan->jobs->len == job_count) {
        reader->idle_option = g_steal_pointer(&idle_option);
    }
    return read;
}
