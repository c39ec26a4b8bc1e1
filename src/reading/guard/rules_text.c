/* SPDX-License-Identifier: Apache-2.0
 *
 * The content of strings: commands that destroy, paths that lead out, formats that reach internals
 * or grow without bound. Strings that are statements (docstrings) are ignored.
 */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "guard/rules_parts.h"

enum {
    TOO_LONG = 1 << 20,      /* bytes of a literal */
    TOO_MANY_DIGITS = 20000, /* of a number */
    PATH_LENGTH = 300,       /* longer strings are not paths */
    TOO_WIDE = 10000000,     /* characters of a formatted field */
};

static const char *const shell[] = {
    "rm -rf /",    "rm -rf ~",        "rm -fr /",       "rm -r -f /",    "dd if=/dev",
    "mkfs.",       "> /dev/sd",       "del /f /s /q",   "rmdir /s /q",   ":(){ :|:",
    ":(){:|:",     "/dev/tcp/",       "chmod -r 777 /", "bash -i >&",    "nc -e /bin",
    "| sudo bash", "chown -r root /", "| crontab -",    "sh -i >& /dev", "/bin/sh -i",
    "nc -e sh",
};

static const char *const secret[] = {
    "/etc/shadow",
    "/etc/sudoers",
    "/etc/gshadow",
    "/root/.ssh",
    "/proc/self/mem",
    "/proc/self/environ",
    "/proc/1/",
    "/proc/kcore",
    "/proc/sysrq-trigger",
    "/proc/kallsyms",
    "/dev/mem",
    "/dev/kmem",
    "/var/run/docker.sock",
    "/run/docker.sock",
    "/run/containerd",
    "/etc/ld.so.preload",
    "/etc/crontab",
    "/etc/cron.",
    "/var/spool/cron",
    "/sys/fs/cgroup",
    "/var/run/secrets/kubernetes.io",
};

/* Anywhere in a path. */
static const char *const secret_parts[] = {
    "/.ssh/",
    "/.aws/credentials",
    "/.netrc",
    "/.git-credentials",
    "/.kube/config",
    "/.gnupg/",
    "/.docker/config.json",
    "/id_rsa",
    "/etc/passwd",
    "/authorized_keys",
    "/.bashrc",
    "/.bash_profile",
    "/.zshrc",
    "/.bash_history",
    "/.mozilla/firefox",
    "/google-chrome/",
    "/.config/gcloud",
    "169.254.169.254",
    "metadata.google.internal",
};

/* As one part of a path that the program puts together: Path.home() / ".ssh". */
static const char *const secret_names[] = {".ssh",  ".aws",   ".gnupg",    ".netrc",
                                           ".kube", "id_rsa", "id_ed25519"};

/* The entry of the list that occurs first in s, or NULL. Reads s only once, however long the list
 * is. */
static const char *any_of(struct str s, const char *const *list, size_t n)
{
    bool begins[256] = {false};

    for (size_t i = 0; i < n; i++)
        begins[(unsigned char)list[i][0]] = begins[toupper((unsigned char)list[i][0])] = true;
    for (size_t at = 0; at < s.n; at++) {
        if (!begins[(unsigned char)s.p[at]])
            continue;
        for (size_t i = 0; i < n; i++) {
            size_t length = strlen(list[i]);
            if (length <= s.n - at && strncasecmp(s.p + at, list[i], length) == 0)
                return list[i];
        }
    }
    return NULL;
}

static void path_text(struct check *c, const struct node *n, struct str s)
{
    const char *what = NULL;

    if (str_find(s, STR("../../../")) >= 0 || str_find(s, STR("..\\..\\..\\")) >= 0)
        found(c, RULE_PATH_TRAVERSAL, n, STR("../../../"), "a path that climbs three folders");
    if (s.n > PATH_LENGTH)
        return;
    for (size_t i = 0; i < ARRAY_LEN(secret) && !what; i++)
        what = str_starts(s, secret[i]) ? secret[i] : NULL;
    if (!what && str_starts(s, "/proc/") && (str_ends(s, "/environ") || str_ends(s, "/mem")))
        what = "/proc";
    if (!what)
        what = any_of(s, secret_parts, ARRAY_LEN(secret_parts));
    if (what)
        found(c, RULE_SENSITIVE_PATH, n, str_from(what), "a path to %s", what);
}

/* Every string that the rules look for contains one of these characters. */
static bool may_matter(struct str s)
{
    return memchr(s.p, '/', s.n) || memchr(s.p, '\\', s.n) || memchr(s.p, '~', s.n) ||
           memchr(s.p, '.', s.n) || memchr(s.p, ':', s.n) || memchr(s.p, '|', s.n);
}

/* curl ... | sh */
static bool fetches_and_runs(struct str s)
{
    static const char *const shells[] = {"sh", "bash", "zsh", "python", "python3", "sudo"};
    static const char *const fetchers[] = {"curl ", "wget "};
    struct str word;

    if (!memchr(s.p, '|', s.n) || !any_of(s, fetchers, ARRAY_LEN(fetchers)))
        return false;
    for (const char *p = s.p; (p = memchr(p, '|', (size_t)(s.p + s.n - p))); p++) {
        word = str_trim(str_slice(s, (size_t)(p - s.p) + 1, s.n));
        for (size_t i = 0; i < word.n; i++) {
            if (!isalnum((unsigned char)word.p[i]))
                word.n = i;
        }
        for (size_t i = 0; i < ARRAY_LEN(shells); i++) {
            if (str_is(word, shells[i]))
                return true;
        }
    }
    return false;
}

void path_part(struct check *c, const struct node *n, struct str s)
{
    for (size_t i = 0; i < ARRAY_LEN(secret_names); i++) {
        if (str_is(s, secret_names[i]))
            found(c, RULE_SENSITIVE_PATH, n, s, "a path to %s", secret_names[i]);
    }
}

void said_text(struct check *c, const struct node *n, struct str s)
{
    const char *what;

    if (s.n < 5 || !may_matter(s))
        return;
    what = any_of(s, shell, ARRAY_LEN(shell));
    if (!what && memchr(s.p, '|', s.n) && fetches_and_runs(s))
        found(c, RULE_SHELL_TEXT, n, STR("curl"), "a text that runs what it fetches");
    if (what)
        found(c, RULE_SHELL_TEXT, n, str_from(what), "a text with \"%s\" in it", what);
    path_text(c, n, s);
}

void rules_text(struct check *c, const struct item *i)
{
    const struct node *n = i->node;
    bool text = n->op == CONST_STR || n->op == CONST_BYTES;

    if (n->op == CONST_BIG_INT && n->constant.text.n > TOO_MANY_DIGITS)
        found(c, RULE_HUGE_LITERAL, n, STR(""), "a number of %zu digits", n->constant.text.n);
    if (!text || parent_of(c, i)->kind == N_EXPR)
        return;
    if (n->constant.text.n > TOO_LONG)
        found(c, RULE_HUGE_LITERAL, n, STR(""), "a literal of %zu bytes", n->constant.text.n);
    annotations_by_name(c, i, n->constant.text);
    said_text(c, n, n->constant.text);
}

/* ---- formats ---- */

/* True if a width or precision in the format is too large. */
static bool is_wide(struct str s)
{
    int64_t number = 0;

    for (size_t i = 0; i < s.n; i++) {
        bool digit = s.p[i] >= '0' && s.p[i] <= '9';
        number = digit ? number * 10 + (s.p[i] - '0') : 0;
        if (number > TOO_WIDE)
            return true;
    }
    return false;
}

static void report_width(struct check *c, const struct node *n)
{
    found(c, RULE_HUGE_FORMAT, n, STR(""), "a field of enormous width");
}

/* "0.__class__" or "x[a].b.__init__": attributes that reach the internals of an object. The name of
 * a class is harmless. */
static bool walks(struct str field)
{
    if (str_ends(field, ".__class__.__name__") || str_ends(field, ".__class__.__qualname__"))
        field.n -= strlen(".__class__") + (str_ends(field, "__name__") ? 9 : 13);
    for (size_t i = 0; i < field.n; i++) {
        size_t end = i + 1;
        if (field.p[i] != '.')
            continue;
        while (end < field.n && field.p[end] != '.' && field.p[end] != '[' && field.p[end] != '!')
            end++;
        struct str part = str_slice(field, i + 1, end);
        if (str_starts(part, "__") || attribute_leads_behind(part))
            return true;
    }
    return false;
}

void given_widths(struct check *c, const struct node *n, struct str s, const struct value *args,
                  char mark)
{
    if (!memchr(s.p, mark, s.n))
        return;
    for (size_t i = 0; i < (args->kind == VALUE_LIST ? args->n : 1); i++) {
        const struct value *v = args->kind == VALUE_LIST ? args->items[i] : args;
        if (v->kind == VALUE_HUGE || (v->kind == VALUE_INT && v->integer > TOO_WIDE)) {
            report_width(c, n);
            return;
        }
    }
}

static void format_field(struct check *c, const struct node *n, struct str field)
{
    const char *colon = memchr(field.p, ':', field.n);
    struct str name = field, spec = STR("");

    if (colon) {
        name.n = (size_t)(colon - field.p);
        spec = str_slice(field, name.n + 1, field.n);
    }
    if (walks(name))
        found(c, RULE_FORMAT_WALK, n, name, "the format field {%.*s} reads attributes",
              (int)(name.n < 60 ? name.n : 60), name.p);
    if (is_wide(spec))
        report_width(c, n);
}

void format_text(struct check *c, const struct node *n, struct str s)
{
    const char *end;

    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] != '{')
            continue;
        if (i + 1 < s.n && s.p[i + 1] == '{') {
            i++;
            continue;
        }
        end = memchr(s.p + i, '}', s.n - i);
        if (!end)
            return;
        format_field(c, n, str_slice(s, i + 1, (size_t)(end - s.p)));
        i = (size_t)(end - s.p);
    }
}

void percent_text(struct check *c, const struct node *n, struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        size_t from = i + 1, to = from;
        if (s.p[i] != '%')
            continue;
        while (to < s.n && (isdigit((unsigned char)s.p[to]) || strchr("-+ #.", s.p[to])) && s.p[to])
            to++;
        if (is_wide(str_slice(s, from, to))) {
            report_width(c, n);
            return;
        }
        i = to < s.n && s.p[to] == '%' ? to : to - 1;
    }
}

void rules_joined(struct check *c, const struct item *i)
{
    const struct node *n = i->node;
    const struct value *v;

    for (size_t k = 0; k < n->joined.values.n; k++) {
        const struct node *part = n->joined.values.at[k];
        bool field = part->kind == N_FORMATTED_VALUE || part->kind == N_INTERPOLATION;
        if (!field || !part->formatted.format_spec)
            continue;
        v = value_of(c, part->formatted.format_spec, i->scope);
        if (v->kind == VALUE_TEXT && is_wide(v->text))
            report_width(c, part);
    }
    if (n->kind != N_JOINED_STR || parent_of(c, i)->kind == N_FORMATTED_VALUE)
        return;
    v = value_of(c, n, i->scope);
    if (v->kind == VALUE_TEXT && n->joined.values.n > 1)
        said_text(c, n, v->text);
}
