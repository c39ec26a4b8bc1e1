/* SPDX-License-Identifier: Apache-2.0
 *
 * Any text as a list of packages. A list that is accepted has only characters that are safe as one
 * argument of pip, no word of it is an option, and it is read to the same list again.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "environments/requirement.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static size_t length(char **list)
{
    size_t n = 0;

    while (list && list[n])
        n++;
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    AUTO_FREE char *text = xstrndup((const char *)data, n);
    char *texts[] = {text, NULL}, **list = NULL, **again = NULL;
    struct err err;

    if (requirements_read(texts, &list, &err) < 0)
        return 0;
    for (char **p = list; p && *p; p++) {
        assert(strlen(*p) <= REQUIREMENT_TEXT_MAX && ascii_is_alnum((*p)[0]));
        for (const char *c = *p; *c; c++)
            assert(*c >= ' ' && *c <= '~' && !strchr("\\'$`|&", *c));
    }
    assert(requirements_read(list, &again, &err) == 0);
    assert(length(list) == length(again));
    for (size_t i = 0; i < length(list); i++)
        assert(strcmp(list[i], again[i]) == 0);
    requirements_done(list);
    requirements_done(again);
    return 0;
}
