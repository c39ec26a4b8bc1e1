/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as the name of a file that a guest left, and as how it begins.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "formats/mime.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str rest = {n ? (const char *)data : "", n}, name = {"", 0};

    (void)str_next(&rest, '\n', &name);
    const char *type = mime_type(name.p, name.n, rest.p, rest.n);
    assert(strchr(type, '/') && type[0] >= 'a' && type[0] <= 'z');
    return 0;
}
