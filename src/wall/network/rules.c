/* SPDX-License-Identifier: Apache-2.0 */
#include "network/rules.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/suggestion.h"

#define SHOWN(s) (int)((s).n < 80 ? (s).n : 80), (s).p

/* ---- names ---- */

static bool is_label(struct str label)
{
    if (label.n == 0 || label.n > 63 || label.p[0] == '-' || label.p[label.n - 1] == '-')
        return false;
    for (size_t i = 0; i < label.n; i++)
        if (!ascii_is_word(label.p[i]) && label.p[i] != '-')
            return false;
    return true;
}

/* A resolver reads "127.1" and "0x7f.1" as addresses: no top-level domain begins with a digit. */
static bool is_numeric(struct str label)
{
    return label.n && ascii_is_digit(label.p[0]);
}

bool net_name_ok(struct str name)
{
    struct str rest = name, label = {"", 0};

    if (name.n == 0 || name.n > NET_NAME_MAX || name.p[name.n - 1] == '.')
        return false;
    while (str_next(&rest, '.', &label))
        if (!is_label(label))
            return false;
    return !is_numeric(label);
}

/* ---- reading ---- */

static int read_port(struct str text, bool pattern, struct str rule, struct net_rule *ret,
                     struct err *err)
{
    int64_t port = 0;

    if (pattern && str_is(text, "*")) {
        ret->ports = NET_PORT_ANY;
        return 0;
    }
    if (!num_int64(text, &port) || port < 1 || port > 65535)
        return err_set(err, ERR_USAGE, "'%.*s': '%.*s' is not a port, 1 to 65535", SHOWN(rule),
                       SHOWN(text));
    if (port == 53)
        return err_set(err, ERR_USAGE,
                       "'%.*s': port 53 cannot be opened, a guest's names are answered inside",
                       SHOWN(rule));
    if (port == 25 || port == 465 || port == 587)
        return err_set(err, ERR_USAGE,
                       "'%.*s': port %" PRId64 " sends mail, which no rule can open", SHOWN(rule),
                       port);
    ret->ports = NET_PORT_ONE;
    ret->port = (uint16_t)port;
    return 0;
}

/* Splits "HOST:PORT", "[ADDRESS]:PORT", or one of them without a port. */
static bool split_port(struct str rule, struct str *ret_host, struct str *ret_port)
{
    const char *close = rule.n && rule.p[0] == '[' ? memchr(rule.p, ']', rule.n) : NULL;
    const char *colon = memrchr(rule.p, ':', rule.n);

    *ret_port = (struct str){NULL, 0};
    *ret_host = rule;
    if (rule.n && rule.p[0] == '[') {
        if (!close)
            return false;
        size_t end = (size_t)(close - rule.p) + 1;
        *ret_host = str_slice(rule, 1, end - 1);
        if (end == rule.n)
            return true;
        *ret_port = str_slice(rule, end + 1, rule.n);
        return rule.p[end] == ':';
    }
    if (!colon || memchr(rule.p, ':', (size_t)(colon - rule.p))) /* none, or IPv6 */
        return true;
    *ret_host = str_slice(rule, 0, (size_t)(colon - rule.p));
    *ret_port = str_slice(rule, ret_host->n + 1, rule.n);
    return true;
}

/* The host and port of an address as in a browser: "api.example.com:8443". */
static struct str host_of_url(struct str rule)
{
    long scheme = str_find(rule, STR("://"));
    struct str host = scheme < 0 ? rule : str_slice(rule, (size_t)scheme + 3, rule.n);
    size_t n = 0;

    while (n < host.n && !strchr("/?#", host.p[n]))
        n++;
    host.n = n;
    const char *at = memrchr(host.p, '@', host.n);
    return at ? str_slice(host, (size_t)(at + 1 - host.p), host.n) : host;
}

/* True for "alow:x" and "allow=x": the rest is what the rule should be. */
static bool is_misspelt_allow(struct str rule, struct str *ret_rest)
{
    size_t n = 0;

    while (n < rule.n && rule.p[n] != ':' && rule.p[n] != '=')
        n++;
    struct suggestion near = {.word = str_slice(rule, 0, n)};
    suggestion_try(&near, "allow");
    *ret_rest = str_slice(rule, n + 1 < rule.n ? n + 1 : rule.n, rule.n);
    int64_t port;
    return near.best && n > 2 && n < rule.n && !num_int64(*ret_rest, &port);
}

static int check_rule_form(struct str rule, struct err *err)
{
    struct str rest, host = host_of_url(rule);

    if (host.n < rule.n && host.n)
        return err_set(err, ERR_USAGE, "'%.*s': give the host alone: %.*s", SHOWN(rule),
                       SHOWN(host));
    if (is_misspelt_allow(rule, &rest))
        return err_set(err, ERR_USAGE, "'%.*s': did you mean " NET_ALLOW "%.*s?", SHOWN(rule),
                       SHOWN(rest));
    return 0;
}

static int refuse_host(struct str rule, struct err *err)
{
    if (memchr(rule.p, '*', rule.n))
        return err_set(err, ERR_USAGE,
                       "'%.*s': a * stands for whole names below a domain: *.example.com",
                       SHOWN(rule));
    return err_set(err, ERR_USAGE,
                   "'%.*s' is not a host: write a name, as api.example.com, *.example.com, or an "
                   "address with its port, as 10.1.2.3:5432",
                   SHOWN(rule));
}

static int read_address(struct str rule, struct net_rule *ret, struct err *err)
{
    ret->is_address = true;
    if (net_address_is_metadata(&ret->address))
        return err_set(err, ERR_USAGE,
                       "'%.*s': this is the metadata service of a cloud, which no rule can open",
                       SHOWN(rule));
    if (net_address_fake(&ret->address) >= 0)
        return err_set(err, ERR_USAGE, "'%.*s': addresses of 198.18.0.0/15 stand for names inside",
                       SHOWN(rule));
    return 0;
}

static int read_host(struct str host, struct str rule, struct net_rule *ret, struct err *err)
{
    if (str_is(host, "*")) {
        ret->below = true;
        return 0;
    }
    if (str_starts(host, "*.")) {
        ret->below = true;
        host = str_slice(host, 2, host.n);
    }
    if (host.n && host.p[host.n - 1] == '.') /* the root's dot */
        host.n--;
    if (!net_name_ok(host))
        return refuse_host(rule, err);
    for (size_t i = 0; i < host.n; i++)
        ret->name[i] = ascii_lower(host.p[i]);
    if (strcmp(ret->name, "localhost") == 0 || str_ends(str_from(ret->name), ".localhost"))
        return err_set(err, ERR_USAGE,
                       "'%.*s': inside, localhost is the guest itself; for a server of this "
                       "machine, write 127.0.0.1:PORT",
                       SHOWN(rule));
    return 0;
}

static int read_rule(struct str rule, bool pattern, struct net_rule *ret, struct err *err)
{
    struct str host, port;

    *ret = (struct net_rule){.ports = NET_PORT_WEB};
    if (check_rule_form(rule, err) < 0)
        return -1;
    if (!split_port(rule, &host, &port))
        return refuse_host(rule, err);
    int result = net_address_read(host, &ret->address) ? read_address(rule, ret, err)
                                                       : read_host(host, rule, ret, err);
    return result < 0 || !port.p ? result : read_port(port, pattern, rule, ret, err);
}

static int check_ports(const struct net_rules *rules, struct err *err)
{
    uint16_t ports[NET_PORTS_MAX];

    return net_rules_ports(rules, ports) <= NET_PORTS_MAX
               ? 0
               : err_set(err, ERR_LIMIT,
                         "the rules name more than %d different ports (80 and 443 included)",
                         NET_PORTS_MAX);
}

static int rules_read(struct str text, bool pattern, struct net_rules *ret, struct err *err)
{
    struct str rest = text, rule;

    if (str_starts(rest, NET_ALLOW))
        rest = str_slice(rest, strlen(NET_ALLOW), rest.n);
    *ret = (struct net_rules){0};
    if (rest.n > NET_TEXT_MAX)
        return err_set(err, ERR_LIMIT, "the rules are longer than %d KiB", NET_TEXT_MAX >> 10);
    ret->list = xcalloc(NET_RULES_MAX, sizeof *ret->list);
    int result = 0;
    while (result == 0 && str_next(&rest, ',', &rule)) {
        rule = str_trim(rule);
        if (ret->n == NET_RULES_MAX)
            result = err_set(err, ERR_LIMIT, "there are more than %d rules", NET_RULES_MAX);
        else
            result = read_rule(rule, pattern, &ret->list[ret->n++], err);
    }
    if (result == 0 && ret->n == 0)
        result =
            err_set(err, ERR_USAGE, "'" NET_ALLOW "' needs a host: " NET_ALLOW "api.example.com");
    if (result == 0 && !pattern)
        result = check_ports(ret, err);
    if (result < 0)
        net_rules_done(ret);
    return result;
}

int net_rules_read(struct str text, struct net_rules *ret, struct err *err)
{
    return rules_read(text, false, ret, err);
}

int net_patterns_read(struct str text, struct net_rules *ret, struct err *err)
{
    return rules_read(text, true, ret, err);
}

void net_rules_done(struct net_rules *rules)
{
    free(rules->list);
    *rules = (struct net_rules){0};
}

/* ---- asking ---- */

static bool has_port(const struct net_rule *rule, uint16_t port)
{
    if (port == 0 || rule->ports == NET_PORT_ANY)
        return true;
    return rule->ports == NET_PORT_ONE ? rule->port == port : port == 80 || port == 443;
}

/* True if the name is below the rule's. */
static bool is_subdomain(struct str name, struct str parent)
{
    if (parent.n == 0)
        return true;
    return name.n > parent.n + 1 && name.p[name.n - parent.n - 1] == '.' &&
           str_eq(str_slice(name, name.n - parent.n, name.n), parent);
}

static bool matches_name(const struct net_rule *rule, struct str name)
{
    struct str own = str_from(rule->name);

    if (rule->is_address)
        return false;
    return rule->below ? is_subdomain(name, own) : str_eq(name, own);
}

bool net_rules_allow_name(const struct net_rules *rules, struct str name, uint16_t port)
{
    for (size_t i = 0; i < rules->n; i++)
        if (matches_name(&rules->list[i], name) && has_port(&rules->list[i], port))
            return true;
    return false;
}

bool net_rules_has_name(const struct net_rules *rules, struct str name)
{
    for (size_t i = 0; i < rules->n; i++)
        if (!rules->list[i].below && matches_name(&rules->list[i], name))
            return true;
    return false;
}

bool net_rules_allow_address(const struct net_rules *rules, const struct net_address *address,
                             uint16_t port)
{
    for (size_t i = 0; i < rules->n; i++)
        if (rules->list[i].is_address && net_address_eq(&rules->list[i].address, address) &&
            has_port(&rules->list[i], port))
            return true;
    return false;
}

size_t net_rules_ports(const struct net_rules *rules, uint16_t ret[NET_PORTS_MAX])
{
    size_t n = 0;

    ret[n++] = 80;
    ret[n++] = 443;
    for (size_t i = 0; i < rules->n; i++) {
        const struct net_rule *rule = &rules->list[i];
        bool known = rule->ports != NET_PORT_ONE;
        for (size_t k = 0; k < n && k < NET_PORTS_MAX; k++)
            known = known || ret[k] == rule->port;
        if (known)
            continue;
        if (n == NET_PORTS_MAX)
            return NET_PORTS_MAX + 1;
        ret[n++] = rule->port;
    }
    return n;
}

static bool covers_ports(const struct net_rule *pattern, const struct net_rule *rule)
{
    if (pattern->ports == NET_PORT_ANY || pattern->ports == rule->ports)
        return pattern->ports != NET_PORT_ONE || pattern->port == rule->port;
    return pattern->ports == NET_PORT_WEB && rule->ports == NET_PORT_ONE &&
           (rule->port == 80 || rule->port == 443);
}

static bool covers(const struct net_rule *pattern, const struct net_rule *rule)
{
    struct str name = str_from(rule->name), own = str_from(pattern->name);

    if (!covers_ports(pattern, rule) || pattern->is_address != rule->is_address)
        return false;
    if (rule->is_address)
        return net_address_eq(&pattern->address, &rule->address);
    if (rule->below)
        return pattern->below && (str_eq(own, name) || is_subdomain(name, own));
    return matches_name(pattern, name);
}

const struct net_rule *net_rules_beyond(const struct net_rules *rules,
                                        const struct net_rules *patterns)
{
    for (size_t i = 0; i < rules->n; i++) {
        bool covered = false;
        for (size_t k = 0; k < patterns->n && !covered; k++)
            covered = covers(&patterns->list[k], &rules->list[i]);
        if (!covered)
            return &rules->list[i];
    }
    return NULL;
}

void net_rule_write(const struct net_rule *rule, struct buf *ret)
{
    char address[NET_ADDRESS_TEXT];

    if (rule->is_address) {
        bool v4 = net_address_is_v4(&rule->address);
        net_address_write(&rule->address, address);
        (void)buf_addf(ret, v4 ? "%s" : "[%s]", address);
    } else {
        (void)buf_addf(ret, "%s%s", rule->below ? rule->name[0] ? "*." : "*" : "", rule->name);
    }
    if (rule->ports == NET_PORT_ONE)
        (void)buf_addf(ret, ":%u", rule->port);
    else if (rule->ports == NET_PORT_ANY)
        (void)buf_adds(ret, ":*");
}
