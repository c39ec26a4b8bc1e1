/* SPDX-License-Identifier: Apache-2.0 */
#include "session/authorized.h"

#include <string.h>

#include "base/encoded.h"
#include "base/json_write.h"
#include "base/mem.h"

json_t *authorized_json(const struct run_request *q)
{
    bool checks = q->profile && strcmp(q->profile, "smolagents") == 0;
    json_t *list = json_array();

    for (char *const *names = checks ? q->allow_imports : NULL; names && *names; names++) {
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

void authorized_python(const struct run_request *q, struct buf *out)
{
    json_t *names = authorized_json(q);
    AUTO_FREE char *list = json_write(names, false);

    if (json_array_size(names))
        (void)buf_addf(out,
                       "def _(missing):\n"
                       "    if missing:\n"
                       "        raise type('InterpreterError', (Exception,), {'__module__': "
                       "'builtins'})('Non-installed "
                       "authorized modules: %%s. Please install these modules or remove them from "
                       "the authorized imports list.' %% ', '.join(missing))\n"
                       "_([n for n in %s if __import__('importlib.util').util.find_spec(n) is "
                       "None])\n"
                       "del _\n",
                       list);
    json_decref(names);
}
