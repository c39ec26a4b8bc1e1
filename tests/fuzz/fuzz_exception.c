/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as what a program wrote to its error stream.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "explain/exception.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct result_exception *e = exception_find(&(struct exception_input){
        .language = "python", .text = {(const char *)data, n}, .work = "/box/work/"});

    if (!e)
        return 0;
    assert(e->type[0] && !strpbrk(e->type, " \n:/\"(") && utf8_valid(str_from(e->type)));
    assert(utf8_valid(str_from(e->message)) && utf8_valid(str_from(e->traceback)));
    assert(e->line >= 0);
    result_exception_free(e);
    return 0;
}
