/* SPDX-License-Identifier: Apache-2.0 */
#include "registry/listing.h"

#include "registry/registry.h"

static json_t *abilities(const struct backend *backend)
{
    json_t *object = json_object();

    for (unsigned i = 0; i < BACKEND_ABILITIES; i++) {
        struct backend_can can = backend->can(i);
        json_object_set_new(object, backend_ability_names[i],
                            json_pack("{s:b, s:s?, s:s?}", "can", !can.why_not, "why_not",
                                      can.why_not, "how", can.how));
    }
    return object;
}

static json_t *about(const struct backend *backend)
{
    json_t *facts = backend->about ? backend->about() : NULL;

    return facts ? facts : json_object();
}

json_t *backends_listing(void)
{
    json_t *list = json_array();

    for (size_t i = 0; backends[i]; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:b, s:o, s:o}", "name",
                                              backends[i]->name, "alias", backends[i]->alias,
                                              "summary", backends[i]->summary, "wall",
                                              !backends[i]->unsafe, "abilities",
                                              abilities(backends[i]), "about", about(backends[i])));
    return list;
}
