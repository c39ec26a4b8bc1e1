/* SPDX-License-Identifier: Apache-2.0
 *
 * Making a nest, and a jail in one. Used by pool.c alone.
 */
#ifndef JAIL_POOL_MAKE_H
#define JAIL_POOL_MAKE_H

#include "jail/pool.h"

/* Waits until its zygote is ready. The calling thread must outlive it. */
int pool_make_nest(const struct jail_spec *plan, struct jail **ret, struct err *err);
/* Waits until it is parked. */
int pool_make_jail(struct jail *nest, const struct pool_order *order, struct pool_jail *ret,
                   struct err *err);
/* A jail by itself, with a channel of its own if the spec says so. Waits until it is parked, or
 * until its guest was started, which waits. The calling thread must outlive it. */
int pool_make_alone(const struct jail_spec *plan, const struct pool_order *order,
                    const struct pool_alone *more, struct pool_jail *ret, struct err *err);
void pool_jail_done(struct pool_jail *jail);

#endif
