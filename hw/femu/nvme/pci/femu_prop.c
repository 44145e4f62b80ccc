/*
 * The QOM property types of numbers, which are read as the simulator reads
 * them, and of an enumerated parameter, whose values are words.
 *
 * Knows nothing of what numbers and words mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "qapi/visitor-impl.h"
#include "hw/qdev-properties.h"

#include "pci_internal.h"
#include "../../params_text.h"

/* The row of a parameter, of which there is one. */
static const SsdParamInfo *param_row(const char *name)
{
    unsigned count;
    const SsdParamInfo *row = ssd_params_table(&count);

    while (strcmp(row->name, name) != 0) {
        row++;
    }
    return row;
}

static void word_get(Object *obj, Visitor *v, const char *name, void *opaque,
                     Error **errp)
{
    const Property *prop = opaque;
    const uint32_t *value = object_field_prop_ptr(obj, prop);
    g_autofree char *word = ssd_param_row_text(param_row(prop->name), *value);

    visit_type_str(v, name, &word, errp);
}

static void word_set(Object *obj, Visitor *v, const char *name, void *opaque,
                     Error **errp)
{
    const Property *prop = opaque;
    const SsdParamInfo *info = param_row(prop->name);
    uint32_t *value = object_field_prop_ptr(obj, prop);
    g_autofree char *word = NULL;
    const char *wrong;
    uint64_t number;

    if (!visit_type_str(v, name, &word, errp)) {
        return;
    }
    wrong = ssd_param_row_parse(info, word, &number);
    if (wrong) {
        error_setg(errp, "%s=%s: '%s' %s; must be one of %s", prop->name,
                   word, word, wrong, info->unit);
    } else {
        *value = number;
    }
}

static void word_set_default(ObjectProperty *op, const Property *prop)
{
    g_autofree char *word = ssd_param_row_text(param_row(prop->name),
                                               prop->defval.u);

    object_property_set_default_str(op, word);
}

const PropertyInfo femu_prop_word = {
    .type = "str",
    .description = "one of several words",
    .get = word_get,
    .set = word_set,
    .set_default_value = word_set_default,
};

/* Is the value text, as on a command line, and not a number, as in JSON? */
static bool is_text(Visitor *v, const char *name, bool *text, Error **errp)
{
    GenericAlternate *value = NULL;

    *text = true;
    if (!v->start_alternate) {
        return true; /* a visitor of nothing but text */
    }
    if (!visit_start_alternate(v, name, &value, sizeof(*value), errp)) {
        return false;
    }
    *text = value->type == QTYPE_QSTRING;
    visit_end_alternate(v, (void **)&value);
    g_free(value);
    return true;
}

/* A number up to `most`; in text, QEMU itself would take 010 for 8. */
static bool number_visit(Visitor *v, const char *name, uint64_t most,
                         uint64_t *value, Error **errp)
{
    g_autofree char *word = NULL;
    const char *wrong;
    bool text;

    if (!is_text(v, name, &text, errp)) {
        return false;
    }
    if (text ? !visit_type_str(v, name, &word, errp)
             : !visit_type_uint64(v, name, value, errp)) {
        return false;
    }
    wrong = text ? ssd_param_parse(SSD_PARAM_TYPE_U64, word, value) : NULL;
    if (!wrong && *value > most) {
        wrong = "is too large";
    }
    if (wrong) {
        word = word ? word : g_strdup_printf("%" PRIu64, *value);
        error_setg(errp, "%s=%s: '%s' %s", name, word, word, wrong);
    }
    return !wrong;
}

static void u32_set(Object *obj, Visitor *v, const char *name, void *opaque,
                    Error **errp)
{
    uint64_t value;

    if (number_visit(v, name, UINT32_MAX, &value, errp)) {
        *(uint32_t *)object_field_prop_ptr(obj, opaque) = value;
    }
}

static void u64_set(Object *obj, Visitor *v, const char *name, void *opaque,
                    Error **errp)
{
    uint64_t value;

    if (number_visit(v, name, UINT64_MAX, &value, errp)) {
        *(uint64_t *)object_field_prop_ptr(obj, opaque) = value;
    }
}

static void u32_get(Object *obj, Visitor *v, const char *name, void *opaque,
                    Error **errp)
{
    visit_type_uint32(v, name, object_field_prop_ptr(obj, opaque), errp);
}

static void u64_get(Object *obj, Visitor *v, const char *name, void *opaque,
                    Error **errp)
{
    visit_type_uint64(v, name, object_field_prop_ptr(obj, opaque), errp);
}

static void number_set_default(ObjectProperty *op, const Property *prop)
{
    object_property_set_default_uint(op, prop->defval.u);
}

const PropertyInfo femu_prop_u32 = {
    .type = "uint32",
    .get = u32_get,
    .set = u32_set,
    .set_default_value = number_set_default,
};

const PropertyInfo femu_prop_u64 = {
    .type = "uint64",
    .get = u64_get,
    .set = u64_set,
    .set_default_value = number_set_default,
};
