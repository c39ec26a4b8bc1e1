/* SPDX-License-Identifier: Apache-2.0
 *
 * What a pool may start in advance for runs like this one: an interpreter that has everything
 * loaded but the program; or at least the jail.
 */
#ifndef SESSION_WARM_H
#define SESSION_WARM_H

#include "session/prepare.h"

struct warm {
    char **argv, **env;       /* of the zygote; NULL when runs like this one start cold */
    char **words;             /* for its fork; they are the run's own arguments */
    enum backend_ahead ahead; /* without a zygote: what is started in advance, with this env */
    const char *waits_for;
    struct buf text; /* what that one reads first */
    bool cells;      /* it is a session's: its forks are servers of cells, and have forks */
};

/* What is known of a run. */
struct warm_run {
    struct str program, first; /* the texts: its own, and what runs before it */
    const struct lay_list *laid;
};

/* None for a language without a zygote, without a pool, or when the environment would change how
 * the interpreter starts. The zygote has what the texts import, if that is worth the while
 * (warm_modules.h). */
void warm_make(const struct prepared *p, const struct warm_run *run, struct warm *ret);
/* For a session, whose zygote also loads the modules in `preload` (or NULL). -1 with
 * ERR_UNSUPPORTED when sessions like this one start cold and have no forks; whether there is a pool
 * is not looked at. */
int warm_make_cells(const struct prepared *p, char *const *preload, struct warm *ret,
                    struct err *err);
/* When there is no zygote for it: a jail, or an interpreter that waits, for a run with these files;
 * and one for a session, which has its server's text already. */
void warm_make_ahead(const struct prepared *p, const struct lay_list *laid, struct warm *ret);
void warm_make_waiting(const struct prepared *p, struct str program, struct warm *ret);
void warm_done(struct warm *warm);
/* Tells the job, which borrows from both. */
void warm_use(const struct warm *warm, const struct prepared *p, struct backend_job *job);

#endif
