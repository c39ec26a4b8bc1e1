/* SPDX-License-Identifier: Apache-2.0
 *
 * Any JSON as a page of E2B's list of sandboxes. Of each that is ours a few short texts are kept
 * and nothing else; the kept list is one of the service's own form no more.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "e2b_api/json.h"
#include "e2b_api/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(const json_t *list, size_t listed)
{
    const json_t *entry, *value;
    const char *key;
    size_t i;

    assert(json_array_size(list) <= listed);
    json_array_foreach(list, i, entry)
    {
        assert(json_object_size(entry) <= 3);
        json_object_foreach((json_t *)(uintptr_t)entry, key, value)
        {
            assert(!strcmp(key, "sandboxID") || !strcmp(key, "owner") || !strcmp(key, E2B_MARK));
            assert(json_is_string(value) && json_string_length(value) <= E2B_LISTED_TEXT_MAX);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct err err;
    json_t *answer = e2b_json_read((struct str){n ? (const char *)data : "", n}, 0, "a list", &err);
    json_t *list = json_array();

    e2b_list_keep(list, answer);
    check(list, json_array_size(answer));
    size_t kept = json_array_size(list);
    e2b_list_keep(list, list);
    assert(json_array_size(list) == kept);
    json_decref(list);
    json_decref(answer);
    return 0;
}
