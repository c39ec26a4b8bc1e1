/* SPDX-License-Identifier: Apache-2.0
 *
 * GET /v1/backends. A worker answers, because the first request examines the host.
 */
#include "registry/listing.h"
#include "routes/routes.h"
#include "server/job.h"

void backends_work(struct job *job)
{
    job_answer_json(job, 200, json_pack("{s:o}", "backends", backends_listing()));
}
