/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as what `node --check` and its like wrote about a program.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "run/syntax_probe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct syntax_complaint c;

    if (!syntax_complaint_read((struct str){(const char *)data, n}, "/box/work/main.x", &c)) {
        assert(!c.message);
        return 0;
    }
    assert(c.line && c.message[0] && !strchr(c.message, '\n'));
    free(c.message);
    return 0;
}
