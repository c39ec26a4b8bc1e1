/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENT_BOUNDS_H
#define AGENT_BOUNDS_H

#include <stdint.h>

/* What one task for a model may use. */
struct agent_bounds {
    int64_t steps;      /* answers of the model; 0: the flow's own number */
    int64_t tokens;     /* of all answers and questions together; 0: no bound */
    int64_t cost_milli; /* thousandths of a dollar; 0: no bound */
    int64_t time_ms;    /* of the whole task; 0: no bound */
};

#endif
