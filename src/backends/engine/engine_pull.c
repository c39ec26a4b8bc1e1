/* SPDX-License-Identifier: Apache-2.0
 *
 * Images from a registry: `docker pull`, with the user's login there.
 */
#include <stdio.h>
#include <string.h>

#include "engine/engine_command.h"
#include "engine/engine_parts.h"

enum { PULL_MS = 1800000 };

struct pull {
    const struct engine_wish *wish;
    char last[ENGINE_PROBLEM_MAX]; /* the last line that is not empty */
};

static void engine_pull_take_line(void *ctx, struct str line)
{
    struct pull *p = ctx;

    if (!str_trim(line).n)
        return;
    engine_show_str(line, p->last, sizeof p->last);
    if (p->wish->step)
        p->wish->step(p->wish->ctx, p->last);
}

int engine_say_missing(const char *image, const char *why, struct err *err)
{
    bool login = strcasestr(why, "unauthorized") || strcasestr(why, "denied") ||
                 strcasestr(why, "no basic auth");

    return err_set(err, ERR_UNSUPPORTED,
                   "there is no image %.150s, and the engine cannot get it: %.180s; %sload one "
                   "(docker load, docker pull), or name another with --image",
                   image, why, login ? "log in (docker login), " : "");
}

int engine_pull(struct engine *e, const struct engine_wish *wish, struct err *err)
{
    const char *argv[] = {"", "pull", "--", wish->image, NULL};
    struct pull p = {.wish = wish};
    char line[200];
    int status;

    snprintf(line, sizeof line, "pulling image %.150s", wish->image);
    engine_pull_take_line(&p, str_from(line));
    const struct engine_command pull = {.place = &e->place,
                                        .argv = argv,
                                        .no_buildkit = e->podman,
                                        .input = -1,
                                        .timeout_ms = PULL_MS,
                                        .cancel_fd = wish->cancel_fd,
                                        .line = engine_pull_take_line,
                                        .ctx = &p};
    if (engine_command_run(&pull, &status, err) < 0)
        return err->kind == ERR_UNSUPPORTED
                   ? err_wrap(err, "there is no image %.150s, and getting one", wish->image)
                   : -1;
    return status == 0 ? 0 : engine_say_missing(wish->image, p.last, err);
}
