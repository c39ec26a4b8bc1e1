/* SPDX-License-Identifier: Apache-2.0
 *
 * The owners of sandboxes. If glovebox is killed, the service pauses a session's sandbox, which
 * then stays. So a sandbox's metadata names the process that made it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/owner.h"
#include "base/sha256.h"
#include "far/e2b_parts.h"
#include "formats/json_get.h"

enum { FAILURES_MOST = 5, ID_DIGITS = 32, DIGITS = 16, MACHINE_MAX = 300 };

/* Digits from a hash of the machine's ID, so that the ID itself does not leave this machine; ""
 * without an ID, as in images, where the file is empty or has "uninitialized". */
static void machine_digits(char ret[DIGITS + 1])
{
    static const char salt[] = "glovebox sandboxes of E2B ";
    char id[sizeof salt + 64], sum[SHA256_HEX];
    size_t at = sizeof salt - 1;

    memcpy(id, salt, at);
    ssize_t n = fd_read_file_at(-1, "/etc/machine-id", id + at, sizeof id - at);
    sha256_of(id, at + (n > 0 ? (size_t)n : 0), sum);
    bool is_id = n >= ID_DIGITS && strspn(id + at, "0123456789abcdef") == ID_DIGITS;
    snprintf(ret, DIGITS + 1, "%.*s", DIGITS, is_id ? sum : "");
}

/* "HOST/DIGITS/": the name of an owner on this machine begins with it. The digits are needed
 * because many machines have the name localhost. */
static void own_machine(char ret[MACHINE_MAX])
{
    char name[256] = "", digits[DIGITS + 1];

    if (gethostname(name, sizeof name - 1) < 0 || !name[0])
        snprintf(name, sizeof name, "unknown");
    machine_digits(digits);
    snprintf(ret, MACHINE_MAX, "%s/%s/", name, digits);
}

/* Returns a random mark for a request, which the caller frees. */
static char *new_mark(void)
{
    uint64_t random[2] = {(uint64_t)clock_mono_ns(), (uint64_t)getpid()};

    (void)!getrandom(random, sizeof random, 0);
    return xasprintf("%016" PRIx64 "%016" PRIx64, random[0], random[1]);
}

json_t *e2b_metadata(const struct backend_job *job)
{
    char machine[MACHINE_MAX], process[OWNER_MAX];

    own_machine(machine);
    owner_name(process);
    AUTO_FREE char *owner = xasprintf("%s%s", machine, process);
    AUTO_FREE char *mark = new_mark();
    return json_pack("{s:s, s:s, s:s, s:s*}", "glovebox", GLOVEBOX_VERSION, "owner", owner,
                     E2B_MARK, mark, "task_id", job->id);
}

/* True if the owner was a process of this machine and is dead. After a restart, only the digits
 * prove that it was on this machine: without them, it may be alive on another machine of the same
 * name. */
static bool is_dead(const char *owner, const char *machine)
{
    size_t n = strlen(machine);
    bool has_digits = n > 1 && machine[n - 2] != '/';

    return owner && strncmp(owner, machine, n) == 0 &&
           (owner_is_dead(owner + n) || (has_digits && owner_has_other_boot(owner + n)));
}

/* Continues after a sandbox that cannot be killed, but not after FAILURES_MOST: the service may be
 * down, and the list may have thousands. */
static int kill_left(struct e2b *e2b, const json_t *list, unsigned *ret_count, struct err *err)
{
    unsigned failed = 0;
    const json_t *entry;
    struct err why;
    char machine[MACHINE_MAX];
    size_t i;

    own_machine(machine);
    json_array_foreach(list, i, entry)
    {
        const char *id = json_get_text(entry, "sandboxID");
        if (!id || failed == FAILURES_MOST || !is_dead(json_get_text(entry, "owner"), machine))
            continue;
        if (e2b_kill_other(e2b, id, &why) == 0)
            ++*ret_count;
        else if (failed++ == 0)
            *err = why;
    }
    return failed ? err_wrap(err, "killed %u sandboxes, but not the others", *ret_count) : 0;
}

int e2b_clean(char **ret_said, struct err *err)
{
    struct e2b *e2b = NULL;
    json_t *list = NULL;
    unsigned count = 0;

    far_sweep_files();
    if (e2b_open(&e2b, err) < 0)
        return -1;
    int result = e2b_list(e2b, &list, err);
    if (result == 0)
        result = kill_left(e2b, list, &count, err);
    if (result == 0)
        *ret_said = xasprintf("killed %u sandbox%s at %s", count, count == 1 ? "" : "es",
                              e2b_describe(e2b));
    else /* if there is a key, it should work */
        err->kind = ERR_SYSTEM;
    json_decref(list);
    e2b_close(e2b);
    return result;
}
