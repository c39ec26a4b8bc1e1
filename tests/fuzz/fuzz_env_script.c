/* SPDX-License-Identifier: Apache-2.0
 *
 * Any text as a program with a block of its own packages, and as a list with hashes.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "environments/lock.h"
#include "environments/requirement.h"
#include "environments/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void read_lock(struct str text)
{
    AUTO_BUF struct buf list = {0};
    char **hashes = NULL;
    struct err err;

    buf_init(&list, 1 << 20);
    if (env_lock_read(text, &list, &hashes, &err) < 0)
        return;
    for (char **p = hashes; p && *p; p++)
        assert(strlen(*p) == 64 && strspn(*p, "0123456789abcdef") == 64);
    requirements_done(hashes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str text = {n ? (const char *)data : "", n};
    struct env_script script;
    struct err err;

    if (env_script_read(text, &script, &err) == 0) {
        assert(script.found || (!script.requirements.n && !script.python[0]));
        (void)env_script_fits(script.python, 11);
    }
    env_script_done(&script);
    read_lock(text);
    return 0;
}
