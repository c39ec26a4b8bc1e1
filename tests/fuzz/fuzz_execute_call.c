/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as the arguments of a model's call of execute_code. What is accepted makes a request
 * that passes no variable of the host on.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "agent/execute_code.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(struct execute_call *call)
{
    struct run_request request = {.limits = {.wall_ms = 1000}};

    execute_call_apply(call, &request);
    assert(request.program.code.n && request.limits.wall_ms > 0 && request.limits.wall_ms <= 1000);
    for (char *const *pair = request.program.env; pair && *pair; pair++)
        assert(strchr(*pair, '=') > *pair);
    for (size_t i = 0; i < request.workspace.input_count; i++)
        assert(request.workspace.inputs[i].name.n && request.workspace.inputs[i].bytes.p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct execute_call call;
    struct err err;

    if (execute_call_read(&call, (struct str){(const char *)data, n}, NULL, &err) == 0)
        check(&call);
    else
        assert(err.kind == ERR_GUEST && err.msg[0]);
    execute_call_done(&call);
    return 0;
}
