/* SPDX-License-Identifier: Apache-2.0 */
#include "request/environment.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "request/setting.h"

/* HOME is not the workspace: otherwise caches and dot-files of libraries would be returned as
 * results. */
static const char *const fixed[] = {
    "HOME=/tmp",
    "TMPDIR=/tmp",
    "LANG=C.UTF-8",
    "USER=guest",
    "LOGNAME=guest",
    "SANDBOX_MODE=1",
    "PYTHONDONTWRITEBYTECODE=1",
    "PYTHONUNBUFFERED=1",
    "MPLBACKEND=Agg",
};

/* Without a network, these tools would try again for a quarter of a minute and then name a cause
 * that is none. */
static const char *const without_network[] = {"PIP_NO_INDEX=1", "UV_OFFLINE=1"};

/* These libraries start one thread for each processor; on a large host they would fail at the limit
 * on processes. */
static const char *const thread_pools[] = {
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
};

struct env {
    char **items;
    size_t n;
};

static void environment_put(struct env *env, char *pair)
{
    size_t name = (size_t)(strchr(pair, '=') - pair) + 1;

    for (size_t i = 0; i < env->n; i++) {
        if (strncmp(env->items[i], pair, name) == 0) {
            free(env->items[i]);
            env->items[i] = pair;
            return;
        }
    }
    env->items = xrealloc_array(env->items, env->n + 2, sizeof *env->items);
    env->items[env->n++] = pair;
    env->items[env->n] = NULL;
}

/* The folder of a program, with a colon; "" if it is one of the system's. The caller frees. */
static char *folder_of(const char *program)
{
    struct str path = str_from(program);
    const char *slash = program ? strrchr(program, '/') : NULL;

    if (!slash || str_starts(path, "/usr/bin/") || str_starts(path, "/bin/"))
        return xstrdup("");
    return xasprintf("%.*s:", (int)(slash - program), program);
}

static void put_path(struct env *env, const char *interpreter, const char *called)
{
    AUTO_FREE char *first = folder_of(called), *second = folder_of(interpreter);

    if (!strchr(interpreter, '/'))
        return; /* in a container, whose image has a $PATH */
    if (strcmp(first, second) == 0)
        *second = '\0';
    environment_put(env, xasprintf("PATH=%s%s/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:"
                                   "/usr/sbin:/sbin",
                                   first, second));
}

static int put_users(struct env *env, const char *pair, struct err *err)
{
    const char *equals = strchr(pair, '=');
    struct str name = {pair, equals ? (size_t)(equals - pair) : strlen(pair)};

    if (!name.n)
        return err_set(err, ERR_USAGE, "--env '%s': write it as NAME=VALUE", pair);
    if (!env_name_is_valid(name))
        return err_set(err, ERR_USAGE, "--env: a variable's name has a control character");
    if (equals) {
        environment_put(env, xstrdup(pair));
        return 0;
    }
    const char *value = getenv(pair);
    if (value)
        environment_put(env, xasprintf("%s=%s", pair, value));
    return 0;
}

char **environment_make(const struct run_request *request, const char *interpreter,
                        const char *called, const char *limit, struct err *err)
{
    struct env env = {0};

    put_path(&env, interpreter, called);
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        environment_put(&env, xstrdup(fixed[i]));
    for (size_t i = 0; !request->place.net_host && i < ARRAY_LEN(without_network); i++)
        environment_put(&env, xstrdup(without_network[i]));
    unsigned threads = (request->limits.cpu_milli + 999) / 1000;
    for (size_t i = 0; threads && i < ARRAY_LEN(thread_pools); i++)
        environment_put(&env, xasprintf("%s=%u", thread_pools[i], threads));
    if (limit)
        environment_put(&env, xstrdup(limit));
    for (char *const *pair = request->program.env; pair && *pair; pair++) {
        if (put_users(&env, *pair, err) < 0) {
            environment_free(env.items);
            return NULL;
        }
    }
    return env.items;
}

void environment_free(char **env)
{
    for (char **p = env; p && *p; p++)
        free(*p);
    free(env);
}
