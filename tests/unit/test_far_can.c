/* SPDX-License-Identifier: Apache-2.0 */
#include "far/far.h"

#include "tap.h"

static const struct far_ability rows[BACKEND_ABILITIES] = {
    [CAN_FORKS] = {.never = "has no forks"},
    [CAN_LIMIT_WALL] = {.held = true},
    [CAN_LIMIT_CPU_TIME] = {.how = "late"},
    [CAN_LIMIT_MEMORY] = {.layers = LAYER_BIT(LAYER_MEMORY), .missing = "has no group"},
};

static void test_rows(void)
{
    EQ_STR(far_need(rows, CAN_FORKS).why_not, "has no forks");
    OK(!far_need(rows, CAN_LIMIT_WALL).why_not, "as in a jail");
    OK(!far_need(rows, CAN_LIMIT_CPU_TIME).why_not, "in a way of its own");
    struct backend_need memory = far_need(rows, CAN_LIMIT_MEMORY);
    OK(!memory.why_not && memory.layers == LAYER_BIT(LAYER_MEMORY), "with a layer");
}

static void test_empty_rows(void)
{
    OK(!far_need(rows, CAN_SESSIONS).why_not, "what all have");
    EQ_STR(far_need(rows, CAN_LIMIT_OPEN_FILES).why_not, "has no such limit");
}

int main(void)
{
    RUN(test_rows());
    RUN(test_empty_rows());
    return tap_done();
}
