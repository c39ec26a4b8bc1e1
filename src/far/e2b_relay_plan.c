/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "far/e2b_relay_parts.h"
#include "jail/spec.h"

char *relay_own_path(const char *word)
{
    size_t n = strlen(SPEC_WORK "/");

    return strncmp(word, SPEC_WORK "/", n) == 0 ? xasprintf(RELAY_WORK "/%s", word + n)
                                                : xstrdup(word);
}

char *relay_program_path(const struct e2b_relay *r)
{
    for (char **word = r->plan.argv; *word; word++)
        if (strncmp(*word, SPEC_WORK "/", strlen(SPEC_WORK "/")) == 0)
            return relay_own_path(*word);
    return xstrdup("<program>");
}

int relay_take_plan(struct e2b_relay *r, struct err *err)
{
    unsigned char head[CONTAINED_HEAD];
    struct wire w = {.rest = {(const char *)head, sizeof head}};

    if (fd_read_exactly(r->sock, head, sizeof head) != sizeof head)
        return err_set(err, ERR_SYSTEM, "the plan did not arrive");
    (void)wire_u32(&w);
    size_t n = wire_u32(&w);
    char *room = buf_room(&r->plan_bytes, n);
    if (!room || fd_read_exactly(r->sock, room, n) != (ssize_t)n)
        return err_set(err, ERR_SYSTEM, "the plan did not arrive");
    buf_grew(&r->plan_bytes, n);
    return contained_plan_get(buf_str(&r->plan_bytes), &r->plan)
               ? 0
               : err_set(err, ERR_BUG, "the plan cannot be read");
}
