/* SPDX-License-Identifier: Apache-2.0
 *
 * Any JSON as a client's description of a tool's parameters. What is read is a list of objects with
 * different names, within the ceilings, and reads again as itself.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "session/tool_parameters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(const json_t *list)
{
    static const char *const texts[] = {"type", "description", "kind"};
    json_t *names = json_object();
    const json_t *one;
    size_t i;

    assert(json_is_array(list) && json_array_size(list) <= TOOL_PARAMETERS_MAX);
    json_array_foreach(list, i, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));
        assert(name && *name && !json_object_get(names, name));
        json_object_set_new(names, name, json_true());
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            assert(!json_object_get(one, texts[k]) ||
                   json_is_string(json_object_get(one, texts[k])));
        assert(json_string_length(json_object_get(one, "type")) <= TOOL_TYPE_MAX);
    }
    json_decref(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    json_t *given =
        json_loadb(n ? (const char *)data : "", n, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
    json_t *list = NULL, *again = NULL;
    struct err err;

    if (tool_parameters_read("tool", given, &list, &err) == 0 && list) {
        check(list);
        if (tool_parameters_read("tool", list, &again, &err) == 0)
            assert(json_array_size(again) == json_array_size(list));
    }
    json_decref(list);
    json_decref(again);
    json_decref(given);
    return 0;
}
