/* SPDX-License-Identifier: Apache-2.0
 *
 * A call of a known function, as the rules about arguments get it.
 */
#ifndef GUARD_RULES_CALL_H
#define GUARD_RULES_CALL_H

#include "guard/rules_parts.h"

struct call {
    struct check *c;
    const struct item *item;
    const struct node *n;
    struct str path;
    struct arguments args;
};

static inline const struct value *arg(const struct call *k, int at, const char *name)
{
    return argument_at(&k->args, at, name);
}

/* True if the value is certainly a string that the program holds, or one of several. */
bool names_are_known(const struct value *v);
/* getattr(x, name), setattr(x, name, y), attrgetter(name) and similar functions. */
void names_getattr(const struct call *k);
void names_setattr(const struct call *k);
void names_attrgetter(const struct call *k);
/* attrgetter(name)(x), if the name is unknown. */
void names_sought(struct call *k);
/* x.__getattribute__(name), for any x; does nothing for other calls. */
void names_getattribute(struct call *k);

#endif
