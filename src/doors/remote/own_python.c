/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/own_python.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "formats/json_get.h"
#include "languages/interpreter.h"
#include "languages/language.h"
#include "languages/pythons.h"
#include "report/report.h"

enum way { WAY_PATH, WAY_VERSION, WAY_NONE };

const char *own_python(const struct cli_settings *settings)
{
    static const char *const names[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};

    const struct settings *s = &settings->common;

    for (size_t i = 0; i < ARRAY_LEN(names) && !s->python && !s->environment; i++) {
        const char *folder = getenv(names[i]);
        if (folder && *folder)
            return folder;
    }
    return NULL;
}

static unsigned minor_in(const char *folder)
{
    AUTO_FREE char *path = xasprintf("%s/bin/python3", folder);

    return python_minor(path);
}

/* False if this way has no name for the environment. */
static bool own_python_put(json_t *body, const char *folder, enum way way)
{
    unsigned minor;

    switch (way) {
    case WAY_PATH:
        return folder[0] == '/' && json_object_set_new(body, "python", json_string(folder)) == 0;
    case WAY_VERSION:
        minor = minor_in(folder);
        return minor && json_object_set_new(body, "python", json_sprintf("3.%u", minor)) == 0;
    case WAY_NONE:
        json_object_del(body, "python");
        return true;
    }
    return false;
}

static bool may_be_about_python(const struct err *err)
{
    return err->kind == ERR_POLICY || err->kind == ERR_USAGE || err->kind == ERR_UNSUPPORTED;
}

int own_python_try(const char *folder, json_t *body, own_python_ask *ask, void *ctx,
                   struct err *err)
{
    for (enum way way = WAY_PATH; folder && way < WAY_NONE; way++) {
        if (!own_python_put(body, folder, way))
            continue;
        int result = ask(ctx, body, err);
        if (result >= 0 || !may_be_about_python(err))
            return result;
    }
    if (folder)
        (void)own_python_put(body, folder, WAY_NONE);
    return ask(ctx, body, err);
}

/* The daemon may call the environment by another name: through a link, or as the link's target. */
static bool is_of(const char *interpreter, const char *folder)
{
    AUTO_FREE char *there = interpreter_parent(interpreter);
    AUTO_FREE char *bin = xasprintf("%s/bin", folder);
    AUTO_FREE char *real_there = realpath(there, NULL), *real_bin = realpath(bin, NULL);

    return real_there && real_bin && strcmp(real_there, real_bin) == 0;
}

void own_python_say(const struct cli_settings *settings, const char *folder, const json_t *body,
                    const json_t *answer)
{
    const char *sent = json_get_text(body, "python");
    const char *language = json_get_text(answer, "language");
    const char *interpreter = json_get_text(answer, "interpreter");

    if (!folder || (sent && sent[0] == '/') || !language ||
        !language_traits_of(language)->has_versions || (interpreter && is_of(interpreter, folder)))
        return;
    AUTO_FREE char *line = xasprintf(
        "the daemon used its own Python%s%s, not the active environment %s, whose packages "
        "may be missing; a daemon started with --allow host-files uses it",
        sent ? " " : "", sent ? sent : "", folder);
    report_say(settings, line);
}
