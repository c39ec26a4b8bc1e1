/* SPDX-License-Identifier: Apache-2.0
 *
 * What a pool may start in advance for runs like this one: an interpreter that has loaded
 * everything except the program, or at least the jail.
 */
#ifndef SESSION_WARM_H
#define SESSION_WARM_H

#include "session/prepare.h"

struct warm {
    bool possible;           /* else runs like this one start cold */
    struct backend_warm how; /* its lists belong to this structure */
    struct buf text;         /* how.frames_sent */
    bool cells;              /* for a session: its forks are servers of cells, and can have forks */
};

/* A run's texts and files. */
struct warm_run {
    struct str program, first; /* its own text, and the text that runs before it */
    const struct lay_list *laid;
};

/* No zygote for a language that has none, without a pool, or when the environment would change how
 * the interpreter starts. The zygote loads the modules that the texts import, if they take long to
 * load (warm_modules.h). */
void warm_make(const struct prepared *p, const struct warm_run *run, struct warm *ret);
/* For a session, whose zygote also loads the modules in `preload` (or NULL). -1 with
 * ERR_UNSUPPORTED when sessions like this one start cold and have no forks; does not check whether
 * there is a pool. */
int warm_make_cells(const struct prepared *p, char *const *preload, struct warm *ret,
                    struct err *err);
/* Without a zygote: warm_make_early prepares a jail, or an interpreter that waits, for a run with
 * these files; warm_make_waiting one for a session, which has its server's text already. */
void warm_make_early(const struct prepared *p, const struct lay_list *laid, struct warm *ret);
void warm_make_waiting(const struct prepared *p, struct str program, struct warm *ret);
void warm_done(struct warm *warm);
/* Sets this in the job, which borrows from both. */
void warm_use(const struct warm *warm, const struct prepared *p, struct backend_job *job);

#endif
