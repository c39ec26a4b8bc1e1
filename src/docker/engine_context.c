/* SPDX-License-Identifier: Apache-2.0
 *
 * Docker's contexts: named places of engines, in files that the command `docker context` writes.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "docker/engine_place.h"

enum { FILE_MAX = 1 << 20 };

char *engine_config_folder(void)
{
    const char *named = getenv("DOCKER_CONFIG"), *home = getenv("HOME");

    if (named && *named)
        return xstrdup(named);
    return home && *home ? xasprintf("%s/.docker", home) : NULL;
}

/* NULL without *err set when the file is not there. */
static json_t *read_json(const char *path, struct err *err)
{
    AUTO_BUF struct buf text = {0};
    json_error_t where;

    err->kind = ERR_NONE;
    if (access(path, F_OK) < 0)
        return NULL;
    buf_init(&text, FILE_MAX);
    if (fd_read_file(path, &text, err) < 0)
        return NULL;
    json_t *json = json_loadb(text.p ? text.p : "", text.n, JSON_REJECT_DUPLICATES, &where);
    if (!json)
        (void)err_set(err, ERR_USAGE, "%s:%d: %s", path, where.line, where.text);
    return json;
}

/* The chosen name; NULL, without *err set, for none. The caller frees. */
static char *chosen_name(const char *folder, struct err *err)
{
    const char *named = getenv("DOCKER_CONTEXT");
    AUTO_FREE char *path = xasprintf("%s/config.json", folder);

    if (named && *named)
        return strcmp(named, "default") == 0 ? NULL : xstrdup(named);
    json_t *config = read_json(path, err);
    const char *current = json_string_value(json_object_get(config, "currentContext"));
    bool usual = !current || !*current || strcmp(current, "default") == 0;
    char *name = usual ? NULL : xstrdup(current);
    json_decref(config);
    return name;
}

static int say_missing(const char *name, const char *folder, struct err *err)
{
    return err_set(err, ERR_USAGE,
                   "there is no Docker context '%.100s' in %.200s: choose another one with "
                   "DOCKER_CONTEXT, or set DOCKER_HOST",
                   name, folder);
}

/* Its endpoint is {"Host": "tcp://...", "SkipTLSVerify": false}. */
static int read_endpoint(const json_t *endpoint, const char *name, const char *tls_folder,
                         struct engine_place *ret, struct err *err)
{
    const char *host = json_string_value(json_object_get(endpoint, "Host"));
    AUTO_FREE char *source = xasprintf("Docker context '%.100s':", name);

    if (!host)
        return err_set(err, ERR_USAGE, "Docker context '%.100s' names no engine", name);
    if (engine_place_read(host, source, ret, err) < 0)
        return -1;
    if (json_is_true(json_object_get(endpoint, "SkipTLSVerify")))
        return err_set(err, ERR_UNSUPPORTED,
                       "Docker context '%.100s' skips the check of certificates, and glovebox "
                       "never does: give the context a ca.pem",
                       name);
    bool has_tls = access(tls_folder, F_OK) == 0;
    return has_tls && ret->way == WAY_TCP ? engine_place_tls(ret, tls_folder, false, err) : 0;
}

static int read_context(const char *folder, const char *name, struct engine_place *ret,
                        struct err *err)
{
    char sum[SHA256_HEX];

    sha256_of(name, strlen(name), sum);
    AUTO_FREE char *path = xasprintf("%s/contexts/meta/%s/meta.json", folder, sum);
    AUTO_FREE char *tls_folder = xasprintf("%s/contexts/tls/%s/docker", folder, sum);
    json_t *meta = read_json(path, err);
    if (!meta)
        return err->kind ? -1 : say_missing(name, folder, err);
    int result = read_endpoint(json_object_get(json_object_get(meta, "Endpoints"), "docker"), name,
                               tls_folder, ret, err);
    json_decref(meta);
    return result;
}

int engine_context_find(struct engine_place *ret, struct err *err)
{
    AUTO_FREE char *folder = engine_config_folder();

    if (!folder)
        return 0;
    err->kind = ERR_NONE;
    AUTO_FREE char *name = chosen_name(folder, err);
    if (!name)
        return err->kind ? -1 : 0;
    return read_context(folder, name, ret, err) < 0 ? -1 : 1;
}
