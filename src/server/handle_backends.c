/* SPDX-License-Identifier: Apache-2.0
 *
 * GET /v1/backends. A worker answers: the first question looks at the host.
 */
#include "backends/listing.h"
#include "server/front.h"
#include "server/job.h"

static void work(struct job *job)
{
    job_answer_json(job, 200, json_pack("{s:o}", "backends", backends_listing()));
}

void handle_backends(struct call *call)
{
    struct job *job = job_bare(call->server, call);

    job->work = work;
    job_submit(job);
}
