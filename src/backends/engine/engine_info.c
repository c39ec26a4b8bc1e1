/* SPDX-License-Identifier: Apache-2.0
 *
 * The engine's information about itself: facts for `doctor`, and its runtimes.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "engine/engine_parts.h"

enum { SHOWN_MAX = 200, RUNTIMES_MAX = 40, LISTED_MAX = 250 };

/* *ret is an object, which the caller owns. */
static int read_info(struct engine *e, json_t **ret, struct err *err)
{
    struct engine_answer answer;

    if (engine_ask(e, &(struct engine_ask){.method = "GET", .path = "/info"}, &answer, err) < 0)
        return -1;
    int result = engine_must(&answer, "describe itself", err);
    *ret = result == 0 ? json_incref(answer.json) : NULL;
    engine_answer_done(&answer);
    return result;
}

/* ---- facts ---- */

static void engine_info_add(json_t *about, const char *name, const char *text)
{
    char shown[SHOWN_MAX];

    if (!text || !*text)
        return;
    engine_show(text, shown, sizeof shown);
    json_object_set_new(about, name, json_string(shown));
}

static void engine_info_add_text(json_t *about, const char *name, const json_t *info,
                                 const char *key)
{
    engine_info_add(about, name, json_string_value(json_object_get(info, key)));
}

/* The rest of a security option such as "name=seccomp,profile=builtin", or NULL. */
static const char *security(const json_t *info, const char *name)
{
    const json_t *option;
    size_t i, n = strlen(name);

    json_array_foreach(json_object_get(info, "SecurityOptions"), i, option)
    {
        const char *text = json_string_value(option);
        if (text && strncmp(text, "name=", 5) == 0 && strncmp(text + 5, name, n) == 0 &&
            (!text[5 + n] || text[5 + n] == ','))
            return text[5 + n] ? text + 6 + n : "";
    }
    return NULL;
}

static void add_security(json_t *about, const json_t *info)
{
    const char *seccomp = security(info, "seccomp");
    const char *profile = seccomp && strncmp(seccomp, "profile=", 8) == 0 ? seccomp + 8 : seccomp;
    bool rootless = security(info, "rootless") != NULL;

    engine_info_add(about, "rootless", rootless ? "yes" : "no");
    engine_info_add(about, "user_namespaces",
                    rootless ? "yes, for all containers"
                    : security(info, "userns")
                        ? "yes, users are mapped"
                        : "no: root in a container is root on the engine's host");
    engine_info_add(about, "seccomp",
                    !profile   ? "none: system calls are not filtered"
                    : *profile ? profile
                               : "yes");
}

static void add_groups(json_t *about, const json_t *info)
{
    const char *version = json_string_value(json_object_get(info, "CgroupVersion"));
    const char *driver = json_string_value(json_object_get(info, "CgroupDriver"));
    AUTO_FREE char *text =
        version ? xasprintf("version %s, driver %s", version, driver ? driver : "unknown") : NULL;

    engine_info_add(about, "control_groups", text);
}

/* The names of the runtimes, in an array, which the caller owns. */
static json_t *runtimes(const json_t *info)
{
    json_t *list = json_array(), *row;
    char shown[SHOWN_MAX];
    const char *name;

    json_object_foreach(json_object_get(info, "Runtimes"), name, row)
    {
        engine_show(name, shown, sizeof shown);
        if (json_array_size(list) < RUNTIMES_MAX)
            json_array_append_new(list, json_string(shown));
    }
    return list;
}

int engine_about(struct engine *e, json_t **ret, struct err *err)
{
    json_t *info, *about;

    if (read_info(e, &info, err) < 0)
        return -1;
    about = json_pack("{s:s, s:s}", "engine", e->described, "api", e->version + 1);
    engine_info_add_text(about, "system", info, "OperatingSystem");
    engine_info_add_text(about, "kernel", info, "KernelVersion");
    add_security(about, info);
    add_groups(about, info);
    engine_info_add_text(about, "storage", info, "Driver");
    engine_info_add_text(about, "runtime", info, "DefaultRuntime");
    json_object_set_new(about, "runtimes", runtimes(info));
    json_decref(info);
    *ret = about;
    return 0;
}

/* ---- runtimes ---- */

/* "io.containerd.runc.v2, runc". */
static void list(const json_t *names, char *out, size_t n)
{
    size_t at = 0, i;
    const json_t *name;

    out[0] = '\0';
    json_array_foreach(names, i, name)
    {
        const char *text = json_string_value(name);
        if (at + strlen(text) + 3 < n)
            at += (size_t)snprintf(out + at, n - at, "%s%s", i ? ", " : "", text);
    }
}

int engine_need_runtime(struct engine *e, const char *name, struct err *err)
{
    char all[LISTED_MAX];
    json_t *info;

    if (read_info(e, &info, err) < 0)
        return -1;
    bool has = json_object_get(json_object_get(info, "Runtimes"), name) != NULL;
    json_t *names = runtimes(info);
    list(names, all, sizeof all);
    json_decref(names);
    json_decref(info);
    return has ? 0
               : err_set(err, ERR_UNSUPPORTED,
                         "the container engine has no runtime '%.60s'; it has: %s", name,
                         all[0] ? all : "no named runtime");
}
