/* SPDX-License-Identifier: Apache-2.0
 *
 * The owners of sandboxes. A session's sandbox that is not used stands still and costs nothing, but
 * stays when glovebox is killed: its metadata names the process that made it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_get.h"
#include "base/mem.h"
#include "base/num.h"
#include "far/e2b_parts.h"

/* "HOST/", and so that of all processes of this machine. */
static void own_host(char ret[300])
{
    char name[256] = "";

    if (gethostname(name, sizeof name - 1) < 0 || !name[0])
        snprintf(name, sizeof name, "unknown");
    snprintf(ret, 300, "%s/", name);
}

json_t *e2b_metadata(const struct backend_job *job)
{
    char host[300];

    own_host(host);
    AUTO_FREE char *owner = xasprintf("%s%ld", host, (long)getpid());
    return json_pack("{s:s, s:s, s:s*}", "glovebox", GLOVEBOX_VERSION, "owner", owner, "task_id",
                     job->id);
}

static bool is_dead(const char *owner, const char *host)
{
    int64_t pid;

    return owner && strncmp(owner, host, strlen(host)) == 0 &&
           num_int64(str_from(owner + strlen(host)), &pid) && pid > 0 && pid <= INT32_MAX &&
           kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

static int kill_left(struct e2b *e2b, const json_t *list, unsigned *ret_count, struct err *err)
{
    const json_t *entry;
    char host[300];
    size_t i;

    own_host(host);
    json_array_foreach(list, i, entry)
    {
        const json_t *metadata = json_object_get(entry, "metadata");
        const char *id = json_get_text(entry, "sandboxID");
        if (!id || !json_get_text(metadata, "glovebox") ||
            !is_dead(json_get_text(metadata, "owner"), host))
            continue;
        if (e2b_kill_other(e2b, id, err) < 0)
            return -1;
        ++*ret_count;
    }
    return 0;
}

int e2b_clean(char **ret_said, struct err *err)
{
    struct e2b *e2b = NULL;
    json_t *list = NULL;
    unsigned count = 0;

    if (e2b_open(&e2b, err) < 0)
        return -1;
    int result = e2b_list(e2b, &list, err);
    if (result == 0)
        result = kill_left(e2b, list, &count, err);
    if (result == 0)
        *ret_said = xasprintf("killed %u sandboxes at %s", count, e2b_describe(e2b));
    json_decref(list);
    e2b_close(e2b);
    return result;
}
