/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a policy file: it is read or refused in words, and what is read can judge a program.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "guard/guard.h"
#include "policy/policy_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void judge(const struct policy *p)
{
    static const char program[] =
        "import os as o\nx = eval\no.system('rm -rf /')\n_y = x.__dict__\n";
    struct guard_input input = {.code = {program, sizeof program - 1}};
    struct verdict v;

    guard_check(p, &input, &v);
    assert(v.reason && (v.allowed || v.reason[0] || !v.n));
    verdict_done(&v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct err err = {0};
    struct policy *p = policy_open("standard", &err);

    assert(p);
    if (policy_read(p, (struct str){n ? (const char *)data : "", n}, "fuzz", &err) < 0)
        assert(err.kind == ERR_USAGE && strncmp(err.msg, "fuzz:", 5) == 0);
    else
        judge(p);
    policy_free(p);
    return 0;
}
