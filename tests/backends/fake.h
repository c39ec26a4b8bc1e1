/* SPDX-License-Identifier: Apache-2.0
 *
 * A backend that runs nothing: it acts out the few commands that contract.c uses, one with each
 * step. It shows how little a backend has to fill in.
 */
#ifndef FAKE_H
#define FAKE_H

#include "backends/backend.h"

#if defined JAIL_POOL_H || defined JAIL_ZYGOTE_H || defined JAIL_CGROUP_H || defined JAIL_JAIL_H
#error "backends/backend.h shows every backend a part of one"
#endif

extern const struct backend fake_backend;
/* The same without a folder on this host (fake_files.c). */
struct backend fake_remote_backend(void);

#endif
