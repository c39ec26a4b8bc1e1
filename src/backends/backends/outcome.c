/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/outcome.h"

#include <string.h>

#include "base/clock.h"

void outcome_phase(struct backend_outcome *outcome, const char *name)
{
    if (outcome->phase_count < BACKEND_PHASES_MAX)
        outcome->phases[outcome->phase_count++] = (struct backend_phase){name, clock_mono_ns()};
}

void outcome_reset(struct backend_outcome *outcome)
{
    struct backend_outcome known = {.wanted = outcome->wanted,
                                    .backend = outcome->backend,
                                    .absent = outcome->absent,
                                    .absent_why = outcome->absent_why,
                                    .lacking = outcome->lacking,
                                    .lost_count = outcome->lost_count};

    memcpy(known.lost, outcome->lost, sizeof known.lost);
    *outcome = known;
}
