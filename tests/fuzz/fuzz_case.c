/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a case file.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "judge/case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct case_file file;
    struct err err = {0};

    if (case_file_read((struct str){(const char *)data, n}, &file, &err) == 0) {
        for (size_t i = 0; i < file.n; i++) {
            const struct test_case *c = &file.at[i];
            assert(c->name && c->weight >= 0 && c->timeout_ms >= 0);
            assert(!c->is_program || (c->in.p && c->expected_out.p));
            assert(!(c->call.p && c->args.p));
        }
    } else {
        assert(err.kind == ERR_USAGE && strncmp(err.msg, "line ", 5) == 0);
    }
    case_file_done(&file);
    return 0;
}
