/* SPDX-License-Identifier: Apache-2.0
 *
 * Prepares what a backend needs for a request: the steps before the start that runs and sessions
 * share.
 */
#ifndef SESSION_PREPARE_H
#define SESSION_PREPARE_H

#include "backends/backend.h"
#include "languages/interpreter.h"
#include "languages/views.h"
#include "request/request.h"
#include "session/check.h"
#include "workspace/workspace.h"

struct prepared {
    const struct run_request *request;
    const struct backend *backend;
    const struct language *language;
    struct interpreter interpreter;
    unsigned python; /* the N of 3.N that it is; 0 for another language or an unknown version */
    char **packages; /* to install; or NULL */
    struct views views;
    char **argv, **env; /* argv: set by the caller, which knows the program */
    int work_dirfd, out_dirfd;
    layer_mask needed;       /* layers that the abilities need which the request asks for */
    unsigned missing_python; /* the N of 3.N that the program names and the host lacks; or 0 */
    bool work_dir_missing;   /* and a temporary one replaced it (kodeagent, row K21) */
};

void prepared_init(struct prepared *p, const struct run_request *request);
void prepared_done(struct prepared *p);

/* Call these in this order; each returns 0 or -1. */
int prepare_backend(struct prepared *p, struct err *err);
/* Takes the language of the examined program. Finds the interpreter as well, if the policy allows
 * the language. */
int prepare_language(struct prepared *p, struct examination *e, struct err *err);
int prepare_folders(struct prepared *p, struct err *err);
/* The inputs and the host files that the request names. */
int prepare_inputs(const struct prepared *p, struct lay_list *laid, struct err *err);
int prepare_files(const struct prepared *p, struct lay_list *laid, struct err *err);
int prepare_surroundings(struct prepared *p, struct err *err); /* views, environment */

/* Whether to start again after this failure: only after one that may be ours and temporary, never
 * when the guest has started. If not, adds the number of attempts to *err. */
bool prepare_may_retry(const struct run_request *q, int attempts, bool started, struct err *err);
/* Waits for q->retry_delay_ms. True when cancel_fd (-1: none) became readable meanwhile. */
bool prepare_pause(const struct run_request *q, int cancel_fd);

#define PREPARE_HOST_WARNING                                                                       \
    "You are running LLM-generated code on your host. Nothing but its limits stands between it "   \
    "and your files; use --backend=jail."

#define PREPARE_NO_LIMITS                                                                          \
    "Backend %s has no layers and no limits of ours but the time: its sandbox is the wall."

#define PREPARE_PYTHON_WARNING "The #! line names python"

/* Warnings for programs and people, a line each: that there is no wall, and once `held` is known,
 * which limits do not hold. */
void prepare_warn_backend(const struct prepared *p, struct buf *out);
void prepare_warn_python(const struct prepared *p, struct buf *out);
void prepare_warn_limits(const struct prepared *p, layer_mask held, struct buf *out);
/* It borrows from p and the request. */
struct backend_job prepared_job(const struct prepared *p);
/* For the error of a start that failed for want of the layers `lacking` (see the outcome): names
 * the option of the request that needs one of them. */
void prepare_explain(const struct prepared *p, layer_mask lacking, struct err *err);

#endif
