/* SPDX-License-Identifier: Apache-2.0
 *
 * The lookups of interpreters that a daemon repeats for each run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "languages/pythons.h"
#include "tap.h"

static bool finds(const char *choice)
{
    struct interpreter found = {0};
    struct err err;
    bool good = python_find(choice, &found, &err) == 0 && found.path && *found.path;

    interpreter_done(&found);
    return good;
}

static void test_recent(const char *folder)
{
    AUTO_FREE char *path = xasprintf("%s/python3", folder);

    if (access("/usr/bin/python3", X_OK) < 0) {
        OK(true, "a Python # SKIP needs /usr/bin/python3");
        return;
    }
    OK(!finds(path), "no Python yet");
    if (!OK(symlink("/usr/bin/python3", path) == 0, "a link to one"))
        return;
    OK(finds(path), "that was not remembered");
    OK(unlink(path) == 0 && finds(path), "an answer is good for a second");
    OK(chdir(folder) == 0 && !finds("./python3"), "not that for a path in the current folder");
}

int main(void)
{
    char folder[] = "/tmp/glovebox-interpreter-XXXXXX";

    if (!OK(mkdtemp(folder) != NULL, "a folder"))
        return tap_done();
    RUN(test_recent(folder));
    (void)rmdir(folder);
    return tap_done();
}
