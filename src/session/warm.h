/* SPDX-License-Identifier: Apache-2.0
 *
 * What a pool may start in advance for runs like this one: an interpreter that has everything
 * loaded but the program.
 */
#ifndef SESSION_WARM_H
#define SESSION_WARM_H

#include "session/prepare.h"

struct warm {
    char **argv, **env; /* of the zygote; NULL when runs like this one start cold */
};

/* None for a language without a zygote, without a pool, or when the environment would change how
 * the interpreter starts. */
void warm_make(const struct prepared *p, struct warm *ret);
void warm_done(struct warm *warm);
/* Tells the job, which borrows from both. */
void warm_use(const struct warm *warm, const struct prepared *p, struct backend_job *job);

#endif
