/* SPDX-License-Identifier: Apache-2.0 */
#include "run/first.h"

#include <jansson.h>
#include <string.h>

#include "base/mem.h"
#include "formats/encoded.h"
#include "formats/json_write.h"
#include "languages/guests.h"

static bool is_smolagents(const struct run_request *q)
{
    return q->policy.profile && strcmp(q->policy.profile, "smolagents") == 0;
}

bool profile_is_kodeagent(const struct run_request *q)
{
    const char *profile = q->policy.profile;

    return profile && (strcmp(profile, "kodeagent") == 0 || strcmp(profile, "codeact") == 0);
}

bool profile_skips_annotations(const struct run_request *q)
{
    return is_smolagents(q);
}

/* The modules that --allow-imports names, without `*` and without what is after the first dot. */
static json_t *authorized(const struct run_request *q)
{
    json_t *list = json_array();

    for (char *const *names = q->policy.allow_imports; names && *names; names++) {
        struct str rest = str_from(*names), name;
        while (str_next(&rest, ',', &name)) {
            struct str top = str_trim(name);
            str_next(&top, '.', &name);
            if (name.n && !str_is(name, "*"))
                json_array_append_new(list, json_text(name));
        }
    }
    return list;
}

void profile_first(const struct run_request *q, bool session, struct buf *out)
{
    if (!is_smolagents(q))
        return;
    json_t *names = authorized(q);
    AUTO_FREE char *list = json_write(names, false);
    (void)buf_addf(out, "%sbegin_smolagents(%s, %s)\n", guest_smolagents_first_py, list,
                   session ? "False" : "True");
    json_decref(names);
}
