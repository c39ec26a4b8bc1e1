/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/suggestion.h"
#include "base/utf8.h"
#include "net/url.h"

enum { KEY_MAX = 8 << 10 };

/* ---- the provider and the model ---- */

static int unknown_provider(struct str name, struct err *err)
{
    struct suggestion near = {.word = name};

    for (const struct provider *p = providers; p->name; p++)
        suggestion_try(&near, p->name);
    return err_set(err, ERR_USAGE, "there is no provider '%.*s'%s%s%s; see 'glovebox help models'",
                   (int)(name.n < 60 ? name.n : 60), name.p, near.best ? "; did you mean '" : "",
                   near.best ? near.best : "", near.best ? "'?" : "");
}

/* Splits "ollama/llama3": the provider's name is before the model's. */
static const struct provider *take_prefix(const char **model)
{
    const char *slash = strchr(*model, '/');
    const struct provider *provider =
        slash ? provider_named((struct str){*model, (size_t)(slash - *model)}) : NULL;

    if (provider)
        *model = slash + 1;
    return provider;
}

/* An address of the user's own is most likely a server with OpenAI's protocol. */
static const struct provider *guess(const struct model_settings *settings, const char *model)
{
    const struct provider *provider = provider_of_model(model);

    if (provider)
        return provider;
    if (settings->url || getenv("OPENAI_BASE_URL"))
        return provider_named(STR("openai"));
    return getenv("OLLAMA_HOST") ? provider_named(STR("ollama")) : NULL;
}

static int find_provider(const struct model_settings *settings, const char *model,
                         struct llm_place *ret, struct err *err)
{
    const char *name = model;
    const struct provider *prefix = take_prefix(&name);

    if (!utf8_valid(str_from(model)))
        return err_set(err, ERR_USAGE, "the model's name is not valid UTF-8");
    if (settings->provider) {
        ret->provider = provider_named(str_from(settings->provider));
        /* If the provider is another one, the slash belongs to the model's name: "openai/gpt-4o" of
         * a gateway. */
        name = prefix == ret->provider ? name : model;
        if (!ret->provider)
            return unknown_provider(str_from(settings->provider), err);
    } else {
        ret->provider = prefix ? prefix : guess(settings, model);
    }
    ret->model = xstrdup(name);
    if (!ret->provider)
        return err_set(err, ERR_USAGE,
                       "the provider of the model '%.100s' is unknown: use --provider or "
                       "--model-url",
                       model);
    return *name ? 0 : err_set(err, ERR_USAGE, "the model's name is empty");
}

/* ---- the address ---- */

/* Returns the value of the provider's first variable that is set; NULL for none. */
static const char *first_set(const struct provider *provider, const char **ret_name)
{
    for (size_t i = 0; i < ARRAY_LEN(provider->variables) && provider->variables[i]; i++) {
        const char *value = getenv(provider->variables[i]);
        *ret_name = provider->variables[i];
        if (value && *value)
            return value;
    }
    return NULL;
}

static void drop_end(struct buf *b, const char *end)
{
    if (str_ends(buf_str(b), end)) {
        b->n -= strlen(end);
        b->p[b->n] = '\0';
    }
}

/* OLLAMA_HOST is a host, with or without scheme and port. Without a scheme, the default port is
 * Ollama's; with a scheme, it is the scheme's. Ollama's server uses the same variable for the
 * address it listens on, where 0.0.0.0 means every address of this machine. */
static void add_ollama(struct buf *b, const char *value)
{
    bool bare = !strstr(value, "://");
    const char *host = bare ? value : strstr(value, "://") + 3;
    bool any = strncmp(host, "0.0.0.0", 7) == 0 && strchr(":/", host[7]);
    const char *bracket = strchr(host, ']'); /* of an IPv6 address */

    (void)buf_add(b, value, (size_t)(host - value));
    if (bare)
        (void)buf_adds(b, "http://");
    (void)buf_addf(b, "%s%s", any ? "127.0.0.1" : "", any ? host + 7 : host);
    drop_end(b, "/");
    drop_end(b, "/v1");
    if (bare && !strchr(bracket ? bracket : host, ':'))
        (void)buf_adds(b, ":11434");
    (void)buf_adds(b, "/v1");
}

static int check_base(const struct model_settings *settings, const char *base, const char *from,
                      struct err *err)
{
    AUTO_BUF struct buf shown = {0};
    bool plain = strncasecmp(base, "http://", 7) == 0;

    buf_init(&shown, 4096);
    url_add_shown(&shown, str_from(base));
    for (const char *p = base; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 0x7f || *p == '\\')
            return err_set(err, ERR_USAGE,
                           "%s: the address has a space, a backslash or a control character", from);
    if (!plain && strncasecmp(base, "https://", 8) != 0)
        return err_set(err, ERR_USAGE, "%s: the address '%s' must begin with https:// or http://",
                       from, shown.p);
    if (url_host(str_from(base)).n == 0)
        return err_set(err, ERR_USAGE, "%s: the address '%s' has no host", from, shown.p);
    if (plain && !settings->plain_http && !url_is_loopback(str_from(base)))
        return err_set(err, ERR_USAGE,
                       "%s: '%s' is not encrypted; use https, or --plain-http if you trust the "
                       "network",
                       from, shown.p);
    return 0;
}

/* Users write the address with or without the version. Our paths contain it, so it is removed. */
static char *tidy_base(const struct provider *provider, const char *value, const char *variable)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, strlen(value) + 64);
    if (variable && strcmp(variable, "OLLAMA_HOST") == 0)
        add_ollama(&b, value);
    else
        (void)buf_adds(&b, value);
    drop_end(&b, "/");
    if (provider->protocol == &protocol_anthropic)
        drop_end(&b, "/v1");
    if (provider->protocol == &protocol_gemini)
        drop_end(&b, "/v1beta");
    return buf_take(&b);
}

static int find_base(const struct model_settings *settings, struct llm_place *ret, bool *ret_own,
                     struct err *err)
{
    const char *variable = NULL;
    const char *value = first_set(ret->provider, &variable);
    const char *from = settings->url ? "--model-url" : value ? variable : "the address";

    if (settings->url) {
        value = settings->url;
        variable = NULL;
    }
    *ret_own = value;
    ret->base =
        tidy_base(ret->provider, value ? value : ret->provider->base, value ? variable : NULL);
    return check_base(settings, ret->base, from, err);
}

/* ---- the key ---- */

/* The message reports that a key is wrong, but must not show the wrong part. */
static int set_key(struct llm_place *place, struct str text, const char *from, struct err *err)
{
    text = str_trim(text);
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] <= ' ' || (unsigned char)text.p[i] >= 0x7f)
            return err_set(
                err, ERR_USAGE,
                "%s: the key has a character that is invalid in a key (a space, a line end)", from);
    if (text.n == 0 || text.n > KEY_MAX)
        return err_set(err, ERR_USAGE, "%s: the key is %s", from, text.n ? "too long" : "empty");
    place->key = xstrndup(text.p, text.n);
    return 0;
}

static int read_key_file(struct llm_place *place, const char *path, struct err *err)
{
    AUTO_BUF struct buf text = {0};
    struct str rest, line = {"", 0};

    buf_init(&text, 64 << 10);
    (void)buf_room(&text, 64 << 10); /* growing the buffer would leave copies of the key in freed
                                        memory */
    if (fd_read_file(path, &text, err) < 0)
        return err_wrap(err, "--key-file");
    rest = buf_str(&text);
    (void)str_next_line(&rest, &line);
    int status = set_key(place, line, path, err);
    explicit_bzero(text.p, text.n);
    return status;
}

static int find_key(const struct model_settings *settings, struct llm_place *ret, bool own_base,
                    struct err *err)
{
    const struct provider_key *key = ret->provider->keys;

    ret->key_header = key->header;
    if (settings->key_file)
        return read_key_file(ret, settings->key_file, err);
    for (; key->variable; key++) {
        const char *value = getenv(key->variable);
        ret->key_header = key->header;
        if (value && *value)
            return set_key(ret, str_from(value), key->variable, err);
    }
    if (!ret->provider->needs_key || own_base)
        return 0;
    return err_set(err, ERR_USAGE, "there is no key for %s: set %s, or use --key-file",
                   ret->provider->name, ret->provider->keys[0].variable);
}

/* ---- provider, model, address and key ---- */

int llm_place_find(const struct model_settings *settings, const char *model, bool online,
                   struct llm_place *ret, struct err *err)
{
    bool own_base = false;

    *ret = (struct llm_place){0};
    if (settings->model)
        model = settings->model;
    if (!model)
        return err_set(err, ERR_USAGE,
                       "no model was named: use --model NAME (see 'glovebox help models')");
    if (find_provider(settings, model, ret, err) < 0)
        return -1;
    if (!online) {
        ret->base = xstrdup(ret->provider->base);
        return 0;
    }
    if (find_base(settings, ret, &own_base, err) < 0)
        return -1;
    return find_key(settings, ret, own_base, err);
}

void llm_place_done(struct llm_place *place)
{
    if (place->key)
        explicit_bzero(place->key, strlen(place->key));
    free(place->key);
    free(place->model);
    free(place->base);
    *place = (struct llm_place){0};
}

char *llm_place_url(const struct llm_place *place, const char *path)
{
    const char *query = strchr(place->base, '?');
    int n = query ? (int)(query - place->base) : (int)strlen(place->base);

    while (n > 0 && place->base[n - 1] == '/')
        n--;
    return xasprintf("%.*s%s%s%s", n, place->base, path,
                     query && strchr(path, '?') ? "&"
                     : query                    ? "?"
                                                : "",
                     query ? query + 1 : "");
}
