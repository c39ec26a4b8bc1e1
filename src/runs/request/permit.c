/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of `glovebox serve --allow`, and the patterns of --images.
 */
#include <fnmatch.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggestion.h"
#include "network/rules.h"
#include "request/setting.h"

#define PERMIT_NET "net:"

static const struct {
    enum permit permit;
    const char *name;
} permits[] = {
    {PERMIT_HOST_FILES, "host-files"}, {PERMIT_HOST_BACKEND, "host-backend"},
    {PERMIT_NET_HOST, "net-host"},     {PERMIT_WITHOUT, "without"},
    {PERMIT_COMMIT, "commit"},         {PERMIT_PACKAGES, "packages"},
    {PERMIT_DOCKERFILE, "dockerfile"},
};

const char *permit_name(enum permit permit)
{
    for (size_t i = 0; i < ARRAY_LEN(permits); i++)
        if (permits[i].permit == permit)
            return permits[i].name;
    return "nothing";
}

static int read_permit(struct str name, unsigned *ret, struct err *err)
{
    struct suggestion near = {.word = name};

    for (size_t i = 0; i < ARRAY_LEN(permits); i++) {
        if (str_is(name, permits[i].name)) {
            *ret |= permits[i].permit;
            return 0;
        }
        suggestion_try(&near, permits[i].name);
    }
    return err_set(err, ERR_USAGE, "--allow %.*s: %s%s%s", (int)(name.n < 60 ? name.n : 60), name.p,
                   near.best ? "did you mean '"
                             : "is not host-files, host-backend, net-host, net:HOST, without, ",
                   near.best ? near.best : "commit, packages or dockerfile", near.best ? "'?" : "");
}

int permit_check(const struct request_rules *rules, enum permit permit, const char *what,
                 struct err *err)
{
    if (rules->permits & permit)
        return 0;
    return err_set(err, ERR_POLICY,
                   "%s is not allowed here: only the operator of this daemon can allow it, with "
                   "--allow %s",
                   what, permit_name(permit));
}

/* Adds a pattern to a list of them, which net_patterns_read reads. */
static void add_pattern(struct buf *patterns, struct str name)
{
    if (patterns->n)
        (void)buf_addc(patterns, ',');
    (void)buf_add_str(patterns, str_slice(name, strlen(PERMIT_NET), name.n));
}

int permits_read(const struct opt_list *list, unsigned *ret, struct net_rules *ret_nets,
                 struct err *err)
{
    AUTO_BUF struct buf patterns = {0};

    *ret_nets = (struct net_rules){0};
    buf_init(&patterns, NET_TEXT_MAX);
    for (size_t i = 0; i < list->n; i++) {
        struct str rest = str_from(list->items[i]), name;
        while (str_next(&rest, ',', &name)) {
            name = str_trim(name);
            if (str_starts(name, PERMIT_NET))
                add_pattern(&patterns, name);
            else if (read_permit(name, ret, err) < 0)
                return -1;
        }
    }
    if (patterns.n && net_patterns_read(buf_str(&patterns), ret_nets, err) < 0)
        return err_wrap(err, "--allow " PERMIT_NET);
    return 0;
}

int network_check(const struct request_rules *rules, const char *text, struct err *err)
{
    static const struct net_rules none;
    AUTO_BUF struct buf shown = {0};
    struct net_rules wanted;

    if (rules->any_net || rules->permits & PERMIT_NET_HOST)
        return 0;
    if (net_rules_read(str_from(text), &wanted, err) < 0)
        return -1;
    const struct net_rule *beyond = net_rules_beyond(&wanted, rules->nets ? rules->nets : &none);
    buf_init(&shown, 400);
    if (beyond)
        net_rule_write(beyond, &shown);
    net_rules_done(&wanted);
    return beyond ? err_set(err, ERR_POLICY,
                            "'net': '%.300s' is not allowed here: only the operator of this daemon "
                            "can allow it, with --allow net:PATTERN",
                            shown.p)
                  : 0;
}

static bool permit_matches(const struct opt_list *patterns, const char *image)
{
    for (size_t i = 0; patterns && i < patterns->n; i++) {
        struct str rest = str_from(patterns->items[i]), word;
        while (str_next(&rest, ',', &word)) {
            AUTO_FREE char *pattern = xstrndup(str_trim(word).p, str_trim(word).n);
            if (fnmatch(pattern, image, FNM_PATHNAME | FNM_NOESCAPE) == 0)
                return true;
        }
    }
    return false;
}

int image_check(const struct request_rules *rules, const char *image, struct err *err)
{
    if (rules->any_image || permit_matches(rules->images, image))
        return 0;
    return err_set(err, ERR_POLICY,
                   "'image': '%.100s' is not allowed here: only the operator of this daemon can "
                   "allow it, with --images",
                   image);
}
