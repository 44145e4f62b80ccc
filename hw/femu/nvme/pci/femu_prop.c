/*
 * The QOM property type of an enumerated parameter, whose values are words.
 *
 * Knows nothing of what the words mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"

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
