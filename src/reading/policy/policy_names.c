/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of names, and what they allow or forbid of modules.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "policy/modules.h"
#include "policy/policy_parts.h"

/* ---- sets of names ---- */

/* The index of the name, or the index at which to insert it. */
static size_t place_of(const struct name_set *s, struct str name, bool *ret_there)
{
    size_t low = 0, high = s->n;

    *ret_there = false;
    while (low < high) {
        size_t middle = (low + high) / 2;
        struct str at = str_from(s->at[middle]);
        int order = memcmp(name.p, at.p, name.n < at.n ? name.n : at.n);
        order = order ? order : (name.n > at.n) - (name.n < at.n);
        if (order == 0) {
            *ret_there = true;
            return middle;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void name_set_add(struct name_set *s, struct str name)
{
    bool there;
    size_t at = place_of(s, name, &there);

    if (there)
        return;
    if (s->n == s->room) {
        s->room = s->room ? s->room * 2 : 8;
        s->at = xrealloc_array(s->at, s->room, sizeof *s->at);
    }
    memmove(s->at + at + 1, s->at + at, (s->n - at) * sizeof *s->at);
    s->at[at] = xstrndup(name.p, name.n);
    s->n++;
}

bool name_set_drop(struct name_set *s, struct str name)
{
    bool there;
    size_t at = place_of(s, name, &there);

    if (!there)
        return false;
    free(s->at[at]);
    s->n--;
    memmove(s->at + at, s->at + at + 1, (s->n - at) * sizeof *s->at);
    return true;
}

bool name_set_has(const struct name_set *s, struct str name)
{
    bool there;

    (void)place_of(s, name, &there);
    return there;
}

static bool pattern_matches(struct str pattern, struct str name)
{
    if (pattern.n < 2 || pattern.n > name.n)
        return false;
    if (pattern.p[0] == '*') {
        struct str tail = str_slice(pattern, 1, pattern.n);
        return memcmp(name.p + name.n - tail.n, tail.p, tail.n) == 0;
    }
    pattern.n--;
    return pattern.p[pattern.n] == '*' && memcmp(name.p, pattern.p, pattern.n) == 0;
}

bool name_set_matches(const struct name_set *s, struct str name)
{
    if (!s->n)
        return false;
    if (name_set_has(s, name))
        return true;
    for (size_t i = 0; i < s->n; i++) {
        if (pattern_matches(str_from(s->at[i]), name))
            return true;
    }
    return false;
}

void name_set_done(struct name_set *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->at[i]);
    free(s->at);
    *s = (struct name_set){0};
}

/* ---- imports ---- */

/* True if `name` is a package that holds `whole`: its start up to a dot, and shorter. */
static bool is_parent(struct str name, struct str whole)
{
    return name.n < whole.n && whole.p[name.n] == '.' && memcmp(name.p, whole.p, name.n) == 0;
}

/* As in kodeagent: the name of a package includes everything in the package. */
static bool names_with_children(const struct name_set *s, struct str module)
{
    for (struct str part = module; part.n; part.n--) {
        if ((part.n == module.n || module.p[part.n] == '.') && name_set_has(s, part))
            return true;
    }
    return false;
}

/* As in smolagents: a path allows itself and the packages that hold it; `a.*` also allows
 * everything below. */
static bool names_on_path(const struct name_set *s, struct str module)
{
    for (size_t i = 0; i < s->n; i++) {
        struct str at = str_from(s->at[i]);
        if (str_ends(at, ".*")) {
            struct str top = {at.p, at.n - 2};
            if (str_eq(top, module) || is_parent(top, module) || is_parent(module, top))
                return true;
        } else if (str_eq(at, module) || is_parent(module, at)) {
            return true;
        }
    }
    return false;
}

static bool names_import(const struct name_set *s, bool paths, struct str module)
{
    if (name_set_has(s, STR("*")))
        return true;
    if (paths)
        return names_on_path(s, module);
    if (names_with_children(s, module))
        return true;
    for (size_t i = 0; i < s->n; i++) {
        struct str at = str_from(s->at[i]);
        struct str top = {at.p, at.n > 2 ? at.n - 2 : 0};
        if (str_ends(at, ".*") && (str_eq(top, module) || is_parent(top, module)))
            return true;
    }
    return false;
}

bool policy_names_import(const struct policy *p, struct str module)
{
    return names_import(&p->allowed_imports, p->import_paths, module);
}

bool policy_allows_import(const struct policy *p, struct str module)
{
    return !p->list_imports || policy_names_import(p, module);
}

/* A ban of a package always includes everything in the package. */
bool policy_forbids_import(const struct policy *p, struct str module)
{
    return names_import(&p->forbidden_imports, false, module);
}

int policy_check_module(struct str name, struct err *err)
{
    bool word = false;

    for (size_t i = 0; i < name.n; i++) {
        unsigned char c = (unsigned char)name.p[i];
        if (c <= ' ' || strchr("()[]{}'\"`;:,/\\=+&|<>!?@#$%^", c) || (c == '.' && !word))
            return err_set(err, ERR_USAGE, "\"%.*s\" is not a module name", (int)name.n, name.p);
        word = c != '.';
    }
    return word ? 0 : err_set(err, ERR_USAGE, "a module name is missing");
}

/* True if a rule about the module's family (network, processes) would refuse its import. */
static bool policy_bans_family(const struct policy *p, struct str module)
{
    enum rule rule = module_find(module);

    return rule != RULE_COUNT && !p->weights[rule].off &&
           p->weights[rule].severity >= p->refuse_at && (p->stages & 1u << GUARD_PATTERNS);
}

/* True if the policy, with the changes so far, refuses the module by its name or by its family. */
static bool is_banned(const struct policy *p, struct str name)
{
    return name_set_has(&p->forbidden_imports, name) || policy_forbids_import(p, name) ||
           policy_bans_family(p, name);
}

int policy_allow_import(struct policy *p, struct str name, struct err *err)
{
    bool banned;

    if (policy_check_module(name, err) < 0)
        return -1;
    banned = is_banned(p, name);
    (void)name_set_drop(&p->forbidden_imports, name);
    name_set_add(&p->allowed_imports, name);
    /* If every import was allowed, allowing one module means: only that module. */
    if (!banned)
        p->list_imports = true;
    p->stages |= 1u << GUARD_IMPORTS;
    return 0;
}

int policy_forbid_import(struct policy *p, struct str name, struct err *err)
{
    if (policy_check_module(name, err) < 0)
        return -1;
    (void)name_set_drop(&p->allowed_imports, name);
    name_set_add(&p->forbidden_imports, name);
    p->stages |= 1u << GUARD_IMPORTS;
    return 0;
}
