/* SPDX-License-Identifier: Apache-2.0
 *
 * The guest that a pool may start in advance for runs like this one: an interpreter that has loaded
 * everything except the program, or at least the jail.
 */
#ifndef RUN_WARM_H
#define RUN_WARM_H

#include "run/prepare.h"

struct warm {
    bool possible;           /* false: runs like this one start cold */
    struct backend_warm how; /* its lists belong to this structure */
    struct buf text;         /* the memory of how.frames_sent */
    bool cells; /* for a session: the zygote's forks are servers of cells, and can be forked */
};

/* The texts and files of a run. */
struct warm_run {
    struct str program, first; /* the program's text, and the text that runs before it */
    const struct lay_list *laid;
};

/* Plans a zygote that loads the modules that the texts import, if they take long to load
 * (warm_modules.h). There is no zygote without a pool, if the language has none, or if the
 * environment would change the interpreter's start. */
void warm_make(const struct prepared *p, const struct warm_run *run, struct warm *ret);
/* Plans a zygote for a session, which also loads the modules in `preload` (or NULL). -1 with
 * ERR_UNSUPPORTED if such sessions start cold and cannot be forked; does not check whether there is
 * a pool. */
int warm_make_cells(const struct prepared *p, char *const *preload, struct warm *ret,
                    struct err *err);
/* These plan without a zygote. warm_make_early: a jail or a waiting interpreter, for a run with
 * these files. warm_make_waiting: an interpreter for a session, to which its server's text was
 * already sent. */
void warm_make_early(const struct prepared *p, const struct lay_list *laid, struct warm *ret);
void warm_make_waiting(const struct prepared *p, struct str program, struct warm *ret);
void warm_done(struct warm *warm);
/* Sets the plan in the job, which borrows from both. */
void warm_use(const struct warm *warm, const struct prepared *p, struct backend_job *job);

#endif
