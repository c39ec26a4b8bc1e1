/* SPDX-License-Identifier: Apache-2.0
 *
 * Making a nest, and a jail with or without one. Used only by pool.c and pool_tend.c.
 */
#ifndef JAIL_POOL_MAKE_H
#define JAIL_POOL_MAKE_H

#include "jail/pool.h"

/* Makes a nest and waits until its zygote is ready. The calling thread must outlive the nest. */
int pool_make_nest(const struct jail_spec *plan, struct jail **ret, struct err *err);
/* Makes a jail in a nest and waits until it is parked. */
int pool_make_jail(struct jail *nest, const struct pool_order *order, struct pool_jail *ret,
                   struct err *err);
/* Makes a jail without a nest, with a channel of its own if the spec has one. Waits until the jail
 * is parked, or until its guest has started and waits. The calling thread must outlive the jail. */
int pool_make_alone(const struct jail_spec *plan, const struct pool_order *order,
                    const struct pool_alone *more, struct pool_jail *ret, struct err *err);
void pool_jail_done(struct pool_jail *jail);

#endif
