/* SPDX-License-Identifier: Apache-2.0 */
#include "languages/preludes.h"

#include "languages/guests.h"

#define VERTEX "vertex"

/* Indents the text as the body of a function, so that its own names do not become names of the
 * program. */
static void add_body(struct buf *ret, struct str text)
{
    struct str line;

    while (str_next_line(&text, &line)) {
        (void)buf_adds(ret, line.n ? "    " : "");
        (void)buf_add_str(ret, line);
        (void)buf_addc(ret, '\n');
    }
}

bool prelude_is_ready(struct str name)
{
    return str_is(name, VERTEX);
}

int prelude_add_ready(struct str name, struct buf *ret)
{
    (void)name; /* there is only one */
    (void)buf_adds(ret, guest_vertex_prelude_py);
    (void)buf_adds(ret, "\n\ndef explore_df():\n");
    add_body(ret, str_from(guest_explore_data_py));
    return buf_adds(ret, "    return crop, explore_df\n\n\ncrop, explore_df = explore_df()\n");
}

const struct language *prelude_language(const struct language_table *languages, const char *prelude)
{
    if (prelude_is_ready(str_from(prelude)))
        return language_find(languages, STR("python"));
    return language_stated(languages, prelude, STR(""));
}
