/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "environments/maker.h"
#include "environments/store.h"
#include "environments/wheel.h"
#include "formats/printable.h"
#include "jail/spec.h"
#include "languages/guests.h"

#define FETCH_MS    (20LL * 60 * 1000)
#define FETCH_BYTES (4ULL << 30)
#define UV_INSIDE   "/mnt/uv"

enum { SAID_MAX = 1 << 20, LINKS_MAX = 16 << 20, SHOWN_MAX = 300, NO_PIP = 3 };

/* ---- the store's wheels, as a page of links ---- */

static void add_wheels_of(const char *hash, struct buf *page)
{
    AUTO_FREE char *folder = env_path("wheels/%s", hash);
    DIR *dir = opendir(folder);
    struct str package, version;

    for (struct dirent *d; dir && (d = readdir(dir));)
        if (wheel_name(str_from(d->d_name), &package, &version))
            (void)buf_addf(page, "<a href=\"file:///mnt/wheels/%s/%s#sha256=%s\">%s</a>\n", hash,
                           d->d_name, hash, d->d_name);
    if (dir)
        closedir(dir);
}

static void list_wheels(struct buf *page)
{
    AUTO_FREE char *folder = env_path("wheels");
    DIR *dir = opendir(folder);

    for (struct dirent *d; dir && (d = readdir(dir));)
        if (d->d_name[0] != '.')
            add_wheels_of(d->d_name, page);
    if (dir)
        closedir(dir);
}

/* ---- what pip said ---- */

/* The line that says most; an empty string if no line does. */
static struct str find_reason(struct str said)
{
    struct str line, best = {0};

    while (str_next_line(&said, &line)) {
        if (str_starts(line, "ERROR: "))
            line = str_slice(line, 7, line.n);
        else if (!str_starts(line, "pip._") || !line.n)
            continue;
        bool is_general = str_starts(line, "No matching distribution") ||
                          str_starts(line, "ResolutionImpossible");
        if (!best.n || !is_general)
            best = line;
    }
    return best;
}

static int pip_explain(const struct env_order *order, struct str said, int status, struct err *err)
{
    static const char none[] = "Could not find a version that satisfies the requirement ";
    AUTO_BUF struct buf shown = {0};
    struct str reason = find_reason(said);
    bool is_missing = str_starts(reason, none);
    const char *remedy = "";

    buf_init(&shown, 2 * SHOWN_MAX);
    if (status == NO_PIP)
        return err_set(err, ERR_UNSUPPORTED,
                       "%s has no pip to fetch packages with; install it (python3-pip or "
                       "python3-venv of the distribution)",
                       order->base);
    if (str_find(said, STR("Failed to establish a new connection")) >= 0 ||
        str_find(said, STR("Temporary failure in name resolution")) >= 0)
        remedy = "; the index of packages cannot be reached";
    else if (is_missing && order->offline)
        remedy = "; the store has no such wheel, and --offline asks nobody else";
    else if (is_missing)
        remedy = "; the index has no wheel of it for this Python, or not the package at all "
                 "(packages that must be built are not supported)";
    if (is_missing)
        reason = str_slice(reason, strlen(none), reason.n);
    printable_add_word(&shown, reason.n ? reason : STR("pip failed without a reason"), SHOWN_MAX);
    return err_set(err, ERR_UNSUPPORTED, "%s%s%s", is_missing ? "no package " : "", shown.p,
                   remedy);
}

/* ---- the jail ---- */

static char **list_env(const struct env_order *order)
{
    size_t n = order->index->env_count, kept = 0;
    char **env = xcalloc(n + 4, sizeof *env);
    const char *links = "";

    for (size_t i = 0; i < n; i++) {
        if (strncmp(order->index->env[i], "PIP_FIND_LINKS=", 15) == 0)
            links = order->index->env[i] + 15;
        else
            env[kept++] = xstrdup(order->index->env[i]);
    }
    env[kept++] = xasprintf("PIP_FIND_LINKS=" SPEC_WORK "/links.html %s", links);
    if (order->offline)
        env[kept++] = xstrdup("PIP_NO_INDEX=1");
    return env;
}

static void free_list(char **list)
{
    for (char **p = list; *p; p++)
        free(*p);
    free(list);
}

/* The path of uv inside, or an empty word, and the requirements. The caller frees the list. */
static char **list_args(const struct env_order *order, const char *uv)
{
    size_t n = 0;

    while (order->requirements && order->requirements[n])
        n++;
    char **args = xcalloc(n + 2, sizeof *args);
    args[0] = (char *)(uv ? UV_INSIDE : "");
    for (size_t i = 0; i < n; i++)
        args[i + 1] = order->requirements[i];
    return args;
}

static int run_fetch(const struct env_order *order, const char *uv, struct lay_list *laid,
                     struct buf *said, struct file_set *ret, struct err *err)
{
    AUTO_FREE char **args = list_args(order, uv);
    AUTO_CLOSE int out = open(order->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO_FREE char *wheels = env_path("wheels");
    size_t n = order->index->view_count;
    AUTO_FREE struct host_view *views = xcalloc(n + 2, sizeof *views);
    char **env = list_env(order);

    for (size_t i = 0; i < n; i++)
        views[i] = order->index->views[i];
    views[n++] = (struct host_view){.src = wheels, .dst = (char *)"/mnt/wheels"};
    if (uv)
        views[n++] = (struct host_view){.src = (char *)uv, .dst = (char *)UV_INSIDE};
    const struct env_step step = {
        .base = order->base,
        .program = guest_environment_fetch_py,
        .args = args,
        .env = env,
        .views = views,
        .view_count = n,
        .laid = laid,
        .network = !order->offline,
        .bytes = FETCH_BYTES,
        .wall_ms = FETCH_MS,
        .out_dirfd = out,
        .watch = order->watch,
        .said = said,
    };
    int status = out < 0 ? err_sys(err, "open %s", order->folder) : env_step_run(&step, ret, err);
    free_list(env);
    return status;
}

int env_fetch(const struct env_order *order, const char *uv, struct file_set *ret,
              int (*explain)(const struct env_order *order, struct str said, int status,
                             struct err *err),
              struct err *err)
{
    AUTO_BUF struct buf said = {0}, page = {0};
    struct lay_list *laid = lay_list_new(FETCH_BYTES, 0);

    buf_init(&said, SAID_MAX);
    buf_init(&page, LINKS_MAX);
    list_wheels(&page);
    int status = lay_add_bytes(laid, STR("links.html"), buf_str(&page), 0644, err);
    if (status == 0)
        status = run_fetch(order, uv, laid, &said, ret, err);
    lay_list_free(laid);
    if (status <= 0)
        return status;
    file_set_done(ret);
    return explain(order, buf_str(&said), status, err);
}

static int pip_fetch(const struct env_order *order, const char *program, struct file_set *ret,
                     struct err *err)
{
    (void)program;
    return env_fetch(order, NULL, ret, pip_explain, err);
}

const struct env_maker env_maker_pip = {.name = "pip", .fetch = pip_fetch};
