/* SPDX-License-Identifier: Apache-2.0
 *
 * The messages of the chapter, of RestrictedPython and of agentos' code sandbox.
 */
#include <string.h>

#include "base/mem.h"
#include "guard/guard.h"
#include "guard/texts_parts.h"
#include "policy/features.h"
#include "syntax/literal.h"

/* The message of the syntax error without its type, and its line in the program. */
static const char *text_error(const struct text *t, uint32_t *ret_line)
{
    const struct python_error *e = &t->c->text->tree.error;
    uint32_t before = t->c->prelude_lines;

    *ret_line = e->line > before ? e->line - before : e->line;
    return e->message ? e->message : "";
}

static bool is_syntax(const struct text *t)
{
    return t->c->text->parsed && !t->c->has_program;
}

static bool has_rule(const struct text *t, enum rule rule)
{
    for (const struct note *n = findings_next(t->c, t->stage, NULL); n;
         n = findings_next(t->c, t->stage, n)) {
        if (n->rule == rule)
            return true;
    }
    return false;
}

/* ---- labels: the other systems' names for findings, in the order of those systems ---- */

struct label {
    enum rule rule;
    const char *subject; /* of the finding; NULL: any */
    const char *text;
};

static bool fits(const struct label *l, const struct note *n)
{
    return l->rule == n->rule && (!l->subject || strcmp(l->subject, n->subject) == 0);
}

static bool has_label(const struct text *t, const struct label *labels, size_t n_labels)
{
    for (const struct note *n = findings_next(t->c, t->stage, NULL); n;
         n = findings_next(t->c, t->stage, n)) {
        for (size_t i = 0; i < n_labels; i++) {
            if (fits(&labels[i], n))
                return true;
        }
    }
    return false;
}

static void add_label(struct text *t, const struct note *n, const struct label *labels,
                      size_t n_labels)
{
    for (size_t i = 0; i < n_labels; i++) {
        if (fits(&labels[i], n)) {
            (void)buf_adds(&t->reason, labels[i].text);
            return;
        }
    }
}

typedef void add_fn(struct text *t, const char *text);

/* Adds each text once. A finding without a label is reported in our own words, but only if no
 * finding has a label: the imitated systems know only labelled ones. */
static void add_labels(struct text *t, const struct label *labels, size_t n_labels, add_fn *add)
{
    const char *last = NULL;

    for (size_t i = 0; i < n_labels; i++) {
        const struct note *n = findings_next(t->c, t->stage, NULL);
        while (n && !fits(&labels[i], n))
            n = findings_next(t->c, t->stage, n);
        if (n && (!last || strcmp(last, labels[i].text) != 0))
            add(t, last = labels[i].text);
    }
    for (const struct note *n = findings_next(t->c, t->stage, NULL); n && !last;
         n = findings_next(t->c, t->stage, n))
        add(t, n->f.message);
}

/* ---- the chapter ---- */

static const struct label chapter[] = {
    {RULE_IMPORT_FORBIDDEN, "os", "OS module import"},
    {RULE_IMPORT_FORBIDDEN, "os.path", "OS module import"},
    {RULE_IMPORT_FORBIDDEN, "sys", "System module import"},
    {RULE_IMPORT_FORBIDDEN, "subprocess", "Subprocess import"},
    {RULE_FILE_OPEN, NULL, "File operations"},
    {RULE_FILE_WRITE, NULL, "File operations"},
    {RULE_EVAL_CALL, NULL, "Eval usage"},
    {RULE_CODE_REFERENCE, "builtins.eval", "Eval usage"},
    {RULE_EXEC_CALL, NULL, "Exec usage"},
    {RULE_CODE_REFERENCE, "builtins.exec", "Exec usage"},
    {RULE_IMPORT_CALL, NULL, "Dynamic imports"},
    {RULE_CODE_REFERENCE, "builtins.__import__", "Dynamic imports"},
};

void label_chapter(struct text *t, const struct note *n)
{
    add_label(t, n, chapter, ARRAY_LEN(chapter));
}

static void add_quoted(struct text *t, const char *text)
{
    if (t->reason.n && t->reason.p[t->reason.n - 1] != '[')
        (void)buf_adds(&t->reason, ", ");
    (void)literal_repr_str(str_from(text), PYTHON_NEWEST, &t->reason);
}

void text_chapter(struct text *t)
{
    AUTO_BUF struct buf error = {0};
    uint32_t line;

    if (has_rule(t, RULE_TOO_LONG)) {
        (void)buf_addf(&t->reason, "Code too long (max %zu chars)", t->c->policy->max_code_chars);
    } else if (has_rule(t, RULE_NUL_CHARACTER)) {
        (void)buf_adds(&t->reason, "Invalid characters in code");
    } else if (is_syntax(t)) {
        const char *message = text_error(t, &line);
        buf_init(&error, TEXT_LIMIT);
        (void)buf_addf(&error, "Line %u: %s", line, message);
        (void)buf_adds(&t->reason, "Syntax error: [");
        add_quoted(t, error.p);
        (void)buf_adds(&t->reason, "]");
    } else if (t->stage >= GUARD_IMPORTS) {
        (void)buf_adds(&t->reason, "Unsafe operations: [");
        add_labels(t, chapter, ARRAY_LEN(chapter), add_quoted);
        (void)buf_adds(&t->reason, "]");
    }
}

/* ---- RestrictedPython ---- */

static const struct label restricted[] = {
    {RULE_EXEC_CALL, NULL, "Exec calls are not allowed."},
    {RULE_EVAL_CALL, NULL, "Eval calls are not allowed."},
    {RULE_CODE_REFERENCE, "builtins.exec", "Exec calls are not allowed."},
    {RULE_CODE_REFERENCE, "builtins.eval", "Eval calls are not allowed."},
    {RULE_FEATURE_FORBIDDEN, "star_import", "\"*\" imports are not allowed."},
    {RULE_FEATURE_FORBIDDEN, "metaclass", "The keyword argument \"metaclass\" is not allowed."},
    {RULE_FEATURE_FORBIDDEN, "ellipsis", "Ellipsis statements are not allowed."},
};

static const char *augmented(const struct note *n)
{
    return n->node->aug_assign.target->kind == N_ATTRIBUTE
               ? "Augmented assignment of attributes is not allowed."
               : "Augmented assignment of object items and slices is not allowed.";
}

static void add_name_text(struct text *t, const char *name, const char *what)
{
    if (name[0] == '_')
        (void)buf_addf(&t->reason, "\"%s\" is an invalid %s name because it starts with \"_\"%s",
                       name, what, strcmp(what, "attribute") == 0 ? "." : "");
    else if (str_ends(str_from(name), "__roles__"))
        (void)buf_addf(&t->reason,
                       "\"%s\" is an invalid %s name because it ends with \"__roles__\".", name,
                       what);
    else if (strcmp(what, "variable") == 0)
        (void)buf_addf(&t->reason, "\"%s\" is a reserved name.", name);
    else
        (void)buf_addf(&t->reason,
                       "\"%s\" is a restricted name, that is forbidden to access in "
                       "RestrictedPython.",
                       name);
}

void label_restricted(struct text *t, const struct note *n)
{
    for (size_t i = 0; i < ARRAY_LEN(restricted); i++) {
        if (fits(&restricted[i], n)) {
            (void)buf_adds(&t->reason, restricted[i].text);
            return;
        }
    }
    if (n->rule == RULE_LONG_RANGE)
        (void)buf_addf(&t->reason, "range() may have %zu elements here, not more.",
                       t->c->policy->max_range_items);
    else if (n->rule == RULE_TEXT_AS_LIST)
        (void)buf_addf(&t->reason, "A string cannot be made a %s.", n->subject);
    else if (n->rule == RULE_NAME_INVALID)
        add_name_text(t, n->subject, "variable");
    else if (n->rule == RULE_ATTRIBUTE_FORBIDDEN)
        add_name_text(t, n->subject, "attribute");
    else if (n->rule == RULE_FEATURE_FORBIDDEN && n->node->kind == N_AUG_ASSIGN)
        (void)buf_adds(&t->reason, augmented(n));
    else if (n->rule == RULE_FEATURE_FORBIDDEN)
        (void)buf_addf(&t->reason, "%s statements are not allowed.",
                       node_types[n->node->kind].name);
    else
        (void)buf_adds(&t->reason, n->f.message);
}

static void add_restricted(struct text *t, const struct note *n)
{
    (void)buf_addf(&t->reason, "%sLine %u: ", t->reason.n ? "\n" : "", n->f.line);
    label_restricted(t, n);
}

static void restricted_syntax(struct text *t)
{
    const struct python_error *e = &t->c->text->tree.error;
    struct str statement = str_trim(check_line(t->c, e->line));
    uint32_t line;
    const char *message = text_error(t, &line);

    (void)buf_addf(&t->reason, "Line %u: %s: %s at statement: ", line, python_error_name(e->kind),
                   message);
    if (e->line)
        (void)literal_repr_str(statement, PYTHON_NEWEST, &t->reason);
    else
        (void)buf_adds(&t->reason, "None");
}

void text_restricted(struct text *t)
{
    if (is_syntax(t))
        restricted_syntax(t);
    for (const struct note *n = findings_next(t->c, t->stage, NULL); n && t->stage >= GUARD_IMPORTS;
         n = findings_next(t->c, t->stage, n))
        add_restricted(t, n);
    if (t->reason.n)
        t->v->texts.stderr_text = xstrndup(t->reason.p, t->reason.n);
}

/* ---- agentos ---- */

static const struct label agentos[] = {
    {RULE_EVAL_CALL, NULL, "eval() is forbidden"},
    {RULE_CODE_REFERENCE, "builtins.eval", "eval() is forbidden"},
    {RULE_EXEC_CALL, NULL, "exec() is forbidden"},
    {RULE_CODE_REFERENCE, "builtins.exec", "exec() is forbidden"},
    {RULE_IMPORT_CALL, NULL, "__import__() is forbidden"},
    {RULE_CODE_REFERENCE, "builtins.__import__", "__import__() is forbidden"},
    {RULE_FILE_OPEN, NULL, "File I/O blocked in sandbox"},
    {RULE_FILE_WRITE, NULL, "File I/O blocked in sandbox"},
};

static void add_issue(struct text *t, const char *text)
{
    (void)buf_addf(&t->reason, "%s%s", t->reason.n ? "; " : "", text);
}

/* The name in agentos's own list, which it compares with the start of a module's name. */
static const char *agentos_name(const char *entry)
{
    static const char *const names[][2] = {
        {"ftplib", "ftp"}, {"httpx", "http"}, {"urllib3", "urllib"}};

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(entry, names[i][0]) == 0)
            return names[i][1];
    }
    return entry;
}

/* The entry of the list to which the import belongs: `import http.client` is an import of http. */
static const char *listed(const struct text *t, const char *name)
{
    const struct name_set *s = &t->c->policy->forbidden_imports;
    size_t longest = strlen(name);

    for (size_t n = longest; n > 0; n--) {
        if ((n == longest || name[n] == '.') && name_set_has(s, (struct str){name, n}))
            return agentos_name(arena_printf(&t->c->arena, "%.*s", (int)n, name));
    }
    return name;
}

/* Reports the imports of one entry of the list; NULL: all other imports. */
static void add_imports_of(struct text *t, const char *entry, struct name_set *seen)
{
    for (const struct note *n = findings_next(t->c, t->stage, NULL); n;
         n = findings_next(t->c, t->stage, n)) {
        bool import = n->rule == RULE_IMPORT_FORBIDDEN || n->rule == RULE_IMPORT_NOT_ALLOWED;
        const char *name = import ? listed(t, n->subject) : NULL;
        if (!name || (entry && strcmp(name, entry) != 0) || name_set_has(seen, str_from(name)))
            continue;
        name_set_add(seen, str_from(name));
        add_issue(t, arena_printf(&t->c->arena, "Forbidden import: %s", name));
    }
}

/* Reports imports in the order of agentos's list, not of the program. */
static void add_imports(struct text *t)
{
    static const char *const order[] = {"os.system", "subprocess", "shutil", "socket",
                                        "requests",  "urllib",     "http",   "ftp"};
    struct name_set seen = {0};

    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        add_imports_of(t, order[i], &seen);
    add_imports_of(t, NULL, &seen);
    name_set_done(&seen);
}

void label_agentos(struct text *t, const struct note *n)
{
    if (n->rule == RULE_IMPORT_FORBIDDEN || n->rule == RULE_IMPORT_NOT_ALLOWED)
        (void)buf_addf(&t->reason, "Forbidden import: %s", listed(t, n->subject));
    else
        add_label(t, n, agentos, ARRAY_LEN(agentos));
}

static void agentos_failed(struct text *t, char *stderr_text, char *exception)
{
    t->v->texts.stderr_text = stderr_text;
    t->v->texts.exception_message = exception;
    t->v->texts.has_exit_code = true;
    t->v->texts.exit_code = -1;
}

void text_agentos(struct text *t)
{
    uint32_t line;

    if (is_syntax(t)) {
        const char *message = text_error(t, &line);
        (void)buf_addf(&t->reason, "Line %u: %s", line, message);
        agentos_failed(t, xstrdup(t->reason.p), xasprintf("Syntax error: %s", t->reason.p));
        return;
    }
    if (t->stage < GUARD_IMPORTS)
        return;
    add_imports(t);
    if (!t->reason.n || has_label(t, agentos, ARRAY_LEN(agentos)))
        add_labels(t, agentos, ARRAY_LEN(agentos), add_issue);
    agentos_failed(t, xasprintf("SECURITY VIOLATION: %s", t->reason.p),
                   xstrdup("Security check failed"));
}
