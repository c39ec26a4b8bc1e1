/* SPDX-License-Identifier: Apache-2.0
 *
 * Prepares everything that a backend needs for a request: the steps before the start, which runs
 * and sessions share.
 */
#ifndef RUN_PREPARE_H
#define RUN_PREPARE_H

#include "backends/backend.h"
#include "environments/environments.h"
#include "languages/interpreter.h"
#include "request/request.h"
#include "run/check.h"
#include "run/run_context.h"
#include "workspace/views.h"
#include "workspace/workspace.h"

struct prepared {
    const struct run_request *request;
    const struct backend *backend;
    const struct language *language;
    struct interpreter interpreter;
    char *called;    /* the Python that the language's programs call; or NULL */
    unsigned python; /* the N of its Python 3.N; 0 for another language or an unknown version */
    char **packages; /* packages that the program needs; or NULL */
    struct env_used environment; /* the one whose interpreter is used, kept until prepared_done */
    struct env_watch watch;      /* of its making; the caller may fill it in */
    struct views views;
    char **argv, **env; /* the caller sets argv, because it knows the program */
    struct str folder;  /* of the workspace, in which the program starts; "" for the workspace */
    int work_dirfd, out_dirfd;
    bool compiled;           /* the interpreter is the program itself, or runs what was compiled */
    layer_mask needed;       /* layers that the requested abilities need */
    unsigned missing_python; /* the N of a Python 3.N that the program names and the host does not
                                have; or 0 */
    bool work_dir_missing;   /* a temporary folder replaces it, as in kodeagent */
};

void prepared_init(struct prepared *p, const struct run_request *request);
void prepared_done(struct prepared *p);

/* Call these in this order; each returns 0 or -1. */
int prepare_backend(struct prepared *p, struct err *err);
/* Takes the language of the examined program. Also finds the interpreter, if the policy allows the
 * language. */
int prepare_language(struct prepared *p, struct examination *e, struct err *err);
/* Opens the request's folders, and lists the files that the guest begins with: those of the request
 * and of its context. The caller frees *ret, also after -1. */
int prepare_lay(struct prepared *p, const struct run_context *context, struct lay_list **ret,
                struct err *err);
/* For the two above (prepare_environment.c). prepare_interpreter finds or makes the environment of
 * the request, and finds the interpreter, with the Python `choice` (or NULL). */
int prepare_check_backend_environment(const struct prepared *p, struct err *err);
int prepare_check_language_environment(const struct prepared *p, struct err *err);
int prepare_interpreter(struct prepared *p, const char *choice, struct err *err);
int prepare_surroundings(struct prepared *p, struct err *err); /* views, environment */

/* Returns the limits that the backend holds, as far as they are passed to interpreters. */
struct jail_limits prepared_limits(const struct prepared *p);

#define PREPARE_HOST_WARNING                                                                       \
    "You are running LLM-generated code on your host. Nothing but its limits stands between it "   \
    "and your files; use --backend=jail."

#define PREPARE_NO_LIMITS                                                                          \
    "Backend %s has no layers and no limits of ours but the time: its sandbox is the wall."

#define PREPARE_PYTHON_WARNING "The #! line names python"

/* These append warnings for programs and people, one on each line: that there is no wall, and, when
 * `held` is known, which limits do not hold. */
void prepare_warn_backend(const struct prepared *p, struct buf *out);
void prepare_warn_python(const struct prepared *p, struct buf *out);
void prepare_warn_limits(const struct prepared *p, layer_mask held, struct buf *out);
/* Returns the job, which borrows from p and the request. */
struct backend_job prepared_job(const struct prepared *p);
/* Returns which files are copied out, and their destination. */
struct collect_options prepared_collect(const struct prepared *p);
/* After a start that failed because the layers `lacking` (see the outcome) are missing: adds to the
 * error the option of the request that needs one of them. */
void prepare_explain(const struct prepared *p, layer_mask lacking, struct err *err);

#endif
