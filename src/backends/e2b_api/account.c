/* SPDX-License-Identifier: Apache-2.0 */
#include "e2b_api/account.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/core_dump.h"
#include "base/mem.h"
#include "net/url.h"

enum { TEXT_MAX = 2000 };

static bool is_on(const char *name)
{
    const char *value = str_variable(name);

    return value && (strcasecmp(value, "true") == 0 || strcmp(value, "1") == 0);
}

/* Checks a string that becomes a part of one line of a request. */
static int account_check_text(const char *name, const char *text, struct err *err)
{
    if (strlen(text) > TEXT_MAX)
        return err_set(err, ERR_USAGE, "%s is too long", name);
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 0x7f || *p == '\\')
            return err_set(err, ERR_USAGE, "%s has a space, a backslash or a control character",
                           name);
    return 0;
}

/* The address without a password. The caller frees it. */
static char *show_address(const char *address)
{
    struct buf shown;

    buf_init(&shown, 4096);
    url_add_shown(&shown, str_from(address));
    return buf_take(&shown);
}

static int check_address(const char *name, const char *address, struct err *err)
{
    AUTO_FREE char *shown = NULL;
    bool plain = strncasecmp(address, "http://", 7) == 0;

    if (account_check_text(name, address, err) < 0)
        return -1;
    shown = show_address(address);
    if ((!plain && strncasecmp(address, "https://", 8) != 0) || !url_host(str_from(address)).n)
        return err_set(err, ERR_USAGE, "%s: '%s' is not an address; write https://HOST", name,
                       shown);
    if (plain && !is_on("GLOVEBOX_PLAIN_HTTP") && !url_is_loopback(str_from(address)))
        return err_set(err, ERR_USAGE,
                       "%s: '%s' is not encrypted; use https, or set GLOVEBOX_PLAIN_HTTP=1 if you "
                       "trust the network",
                       name, shown);
    return 0;
}

/* Returns the address without slashes at its end, for the caller to free; NULL with *err if it
 * cannot be used. */
static char *take_address(const char *name, const char *value, struct err *err)
{
    size_t n = strlen(value);

    while (n && value[n - 1] == '/')
        n--;
    AUTO_FREE char *address = xstrndup(value, n);
    return check_address(name, address, err) < 0 ? NULL : mem_take(&address);
}

/* Checks the domain, which becomes the end of the host names to which the key is sent. */
static int check_domain(const char *domain, struct err *err)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.:";

    if (account_check_text("E2B_DOMAIN", domain, err) < 0)
        return -1;
    if (domain[strspn(domain, allowed)])
        return err_set(err, ERR_USAGE, "E2B_DOMAIN is not a domain: write a name such as e2b.app");
    return 0;
}

static int read_key(struct e2b_account *a, struct err *err)
{
    const char *key = str_variable("E2B_API_KEY");

    a->key = xstrdup(key ? key : "");
    if (!key && !a->debug)
        return err_set(err, ERR_UNSUPPORTED,
                       "E2B needs a key: set E2B_API_KEY (keys are made at e2b.dev/dashboard)");
    return account_check_text("E2B_API_KEY", a->key, err);
}

static int read_addresses(struct e2b_account *a, struct err *err)
{
    const char *api = str_variable("E2B_API_URL"), *sandbox = str_variable("E2B_SANDBOX_URL"),
               *domain = str_variable("E2B_DOMAIN");

    a->domain = xstrdup(domain ? domain : "e2b.app");
    if (check_domain(a->domain, err) < 0)
        return -1;
    AUTO_FREE char *usual =
        a->debug ? xstrdup("http://localhost:3000") : xasprintf("https://api.%s", a->domain);
    a->api = take_address(api ? "E2B_API_URL" : "E2B_DOMAIN", api ? api : usual, err);
    if (!a->api)
        return -1;
    a->shown = show_address(a->api);
    if (sandbox && !(a->sandbox_url = take_address("E2B_SANDBOX_URL", sandbox, err)))
        return -1;
    return 0;
}

int e2b_account_read(struct e2b_account *ret, struct err *err)
{
    *ret = (struct e2b_account){.debug = is_on("E2B_DEBUG")};
    core_dump_without_memory();
    return read_key(ret, err) < 0 ? -1 : read_addresses(ret, err);
}

void e2b_account_done(struct e2b_account *a)
{
    if (a->key)
        explicit_bzero(a->key, strlen(a->key));
    free(a->key);
    free(a->api);
    free(a->shown);
    free(a->sandbox_url);
    free(a->domain);
    *a = (struct e2b_account){0};
}
