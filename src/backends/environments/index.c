/* SPDX-License-Identifier: Apache-2.0 */
#include "environments/index.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"

enum { CONFIG_MAX = 1 << 20 };

/* What pip's configuration may say to a jail. The other keys are about installing, or about the
 * user's terminal. */
enum key_kind { PLAIN, ADDRESS, CERTIFICATE, SECRET };
static const struct {
    const char *key, *variable;
    enum key_kind kind;
} keys[] = {
    {"index-url", "PIP_INDEX_URL", ADDRESS},
    {"extra-index-url", "PIP_EXTRA_INDEX_URL", ADDRESS},
    {"find-links", "PIP_FIND_LINKS", ADDRESS},
    {"no-index", "PIP_NO_INDEX", PLAIN},
    {"trusted-host", "PIP_TRUSTED_HOST", PLAIN},
    {"proxy", "PIP_PROXY", ADDRESS},
    {"cert", "PIP_CERT", CERTIFICATE},
    {"client-cert", "PIP_CLIENT_CERT", SECRET},
    {"timeout", "PIP_TIMEOUT", PLAIN},
    {"default-timeout", "PIP_DEFAULT_TIMEOUT", PLAIN},
    {"retries", "PIP_RETRIES", PLAIN},
    {"pre", "PIP_PRE", PLAIN},
    {"prefer-binary", "PIP_PREFER_BINARY", PLAIN},
};

static const struct {
    const char *name;
    enum key_kind kind;
} variables[] = {
    {"UV_DEFAULT_INDEX", ADDRESS},
    {"UV_INDEX", ADDRESS},
    {"UV_INDEX_URL", ADDRESS},
    {"UV_EXTRA_INDEX_URL", ADDRESS},
    {"HTTPS_PROXY", ADDRESS},
    {"https_proxy", ADDRESS},
    {"HTTP_PROXY", ADDRESS},
    {"http_proxy", ADDRESS},
    {"ALL_PROXY", ADDRESS},
    {"all_proxy", ADDRESS},
    {"NO_PROXY", PLAIN},
    {"no_proxy", PLAIN},
    {"SSL_CERT_FILE", CERTIFICATE},
    {"SSL_CERT_DIR", CERTIFICATE},
    {"REQUESTS_CA_BUNDLE", CERTIFICATE},
    {"CURL_CA_BUNDLE", CERTIFICATE},
};

struct reading {
    char *values[ARRAY_LEN(keys)];
    struct env_index *index;
};

void env_index_add(struct env_index *index, char *pair)
{
    index->env = xrealloc_array(index->env, index->env_count + 2, sizeof *index->env);
    index->env[index->env_count++] = pair;
    index->env[index->env_count] = NULL;
}

/* ---- pip's files ---- */

static size_t find_key(struct str key)
{
    size_t i = 0;

    while (i < ARRAY_LEN(keys) && !str_is_nocase(key, keys[i].key))
        i++;
    return i;
}

/* A value may go on in indented lines. */
static void take_line(struct reading *r, struct str line, bool counts, size_t *last)
{
    bool indented = line.n && (line.p[0] == ' ' || line.p[0] == '\t');
    struct str text = str_trim(line);
    const char *sign = text.n ? memchr(text.p, '=', text.n) : NULL;

    if (!text.n || strchr("#;", text.p[0]))
        return;
    if (indented && *last < ARRAY_LEN(keys) && r->values[*last]) {
        char *longer = xasprintf("%s %.*s", r->values[*last], (int)text.n, text.p);
        free(r->values[*last]);
        r->values[*last] = longer;
        return;
    }
    if (!sign && text.n)
        sign = memchr(text.p, ':', text.n);
    *last = ARRAY_LEN(keys);
    if (!sign || !counts)
        return;
    struct str value = str_trim(str_slice(text, (size_t)(sign - text.p) + 1, text.n));
    *last = find_key(str_trim(str_slice(text, 0, (size_t)(sign - text.p))));
    if (*last < ARRAY_LEN(keys)) {
        free(r->values[*last]);
        r->values[*last] = xstrndup(value.p, value.n);
    }
}

static void read_config(struct reading *r, const char *path)
{
    AUTO_BUF struct buf text = {0};
    struct err none;
    size_t last = ARRAY_LEN(keys);
    bool counts = false;
    struct str line;

    buf_init(&text, CONFIG_MAX);
    if (access(path, R_OK) < 0 || fd_read_file(path, &text, &none) < 0)
        return;
    struct str rest = buf_str(&text);
    while (str_next_line(&rest, &line)) {
        if (line.n && line.p[0] == '[') {
            struct str section = str_trim(line);
            counts = str_is(section, "[global]") || str_is(section, "[download]") ||
                     str_is(section, "[install]");
            last = ARRAY_LEN(keys);
        } else {
            take_line(r, line, counts, &last);
        }
    }
}

/* In pip's order: a later file counts more. */
static void read_configs(struct reading *r)
{
    const char *named = getenv("PIP_CONFIG_FILE"), *home = str_variable("HOME");
    const char *config = str_variable("XDG_CONFIG_HOME");

    if (named && strcmp(named, "/dev/null") == 0)
        return;
    read_config(r, "/etc/xdg/pip/pip.conf");
    read_config(r, "/etc/pip.conf");
    if (home) {
        AUTO_FREE char *old = xasprintf("%s/.pip/pip.conf", home);
        AUTO_FREE char *new = config ? xasprintf("%s/pip/pip.conf", config)
                                     : xasprintf("%s/.config/pip/pip.conf", home);
        read_config(r, old);
        read_config(r, new);
    }
    if (named && *named)
        read_config(r, named);
}

/* ---- values ---- */

static void show(struct env_index *index, const char *path)
{
    char *real = path[0] == '/' ? realpath(path, NULL) : NULL;

    if (!real)
        return;
    index->views = xrealloc_array(index->views, index->view_count + 1, sizeof *index->views);
    index->views[index->view_count++] = (struct host_view){.src = real, .dst = xstrdup(path)};
}

/* "user:word@" before the host */
static bool has_user(struct str address)
{
    long scheme = str_find(address, STR("://"));

    if (scheme < 0)
        return false;
    address = str_slice(address, (size_t)scheme + 3, address.n);
    size_t n = 0;
    while (n < address.n && !strchr("/?#", address.p[n]))
        n++;
    return memchr(address.p, '@', n) != NULL;
}

static int take_addresses(struct env_index *index, const char *what, const char *value,
                          struct err *err)
{
    struct str rest = str_from(value), word;

    while (str_next(&rest, ' ', &word)) {
        word = str_trim(word);
        if (has_user(word))
            return err_set(err, ERR_UNSUPPORTED,
                           "%s has a user's name or password in it, and those are not given to a "
                           "jail; use an index on this machine's network that needs none",
                           what);
        AUTO_FREE char *path = xstrndup(word.p, word.n);
        show(index, str_starts(word, "file://") ? path + strlen("file://") : path);
    }
    return 0;
}

static int take_value(struct env_index *index, const char *variable, enum key_kind kind,
                      const char *value, struct err *err)
{
    if (kind == SECRET)
        return err_set(err, ERR_UNSUPPORTED, "%s is a secret, which is not given to a jail",
                       variable);
    if (kind == ADDRESS && take_addresses(index, variable, value, err) < 0)
        return -1;
    if (kind == CERTIFICATE && strncmp(value, "/etc/ssl/", 9) != 0)
        show(index, value);
    env_index_add(index, xasprintf("%s=%s", variable, value));
    return 0;
}

static int take_all(struct reading *r, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        const char *set = getenv(keys[i].variable), *value = set ? set : r->values[i];
        if (value && *value && take_value(r->index, keys[i].variable, keys[i].kind, value, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
        const char *value = str_variable(variables[i].name);
        if (value && take_value(r->index, variables[i].name, variables[i].kind, value, err) < 0)
            return -1;
    }
    return 0;
}

/* Proxies and certificates are ways to a place, not places. */
static void identify(struct env_index *index)
{
    struct sha256 hash;

    sha256_init(&hash);
    for (size_t i = 0; i < index->env_count; i++)
        if (strstr(index->env[i], "INDEX") || strncmp(index->env[i], "PIP_FIND_LINKS=", 15) == 0 ||
            strncmp(index->env[i], "PIP_PRE", 7) == 0)
            sha256_add(&hash, index->env[i], strlen(index->env[i]) + 1);
    sha256_hex(&hash, index->identity);
}

int env_index_read(struct env_index *ret, struct err *err)
{
    struct reading r = {.index = ret};

    *ret = (struct env_index){0};
    read_configs(&r);
    int result = take_all(&r, err);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        free(r.values[i]);
    env_index_add(ret, xstrdup("PIP_CONFIG_FILE=/dev/null"));
    identify(ret);
    if (result < 0)
        env_index_done(ret);
    return result;
}

void env_index_done(struct env_index *index)
{
    for (size_t i = 0; i < index->env_count; i++)
        free(index->env[i]);
    for (size_t i = 0; i < index->view_count; i++) {
        free(index->views[i].src);
        free(index->views[i].dst);
    }
    free(index->env);
    free(index->views);
    *index = (struct env_index){0};
}
