/* SPDX-License-Identifier: Apache-2.0
 *
 * The messages of kodeagent's code runner. A refusal of its first two stages is a result with
 * return code -1, or an exception; a refusal of its pattern detector is always an exception.
 */
#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "guard/guard.h"
#include "guard/texts_parts.h"

static void exception(struct text *t, const char *message)
{
    t->v->texts.exception_type = xstrdup("CodeSecurityError");
    t->v->texts.exception_message = xstrdup(message);
}

static void failed(struct text *t, char *text)
{
    t->v->texts.stderr_text = text;
    t->v->texts.has_exit_code = true;
    t->v->texts.exit_code = -1;
}

static void syntax(struct text *t)
{
    const struct python_error *e = &t->c->text->tree.error;
    struct str line = check_line(t->c, e->line);
    const char *kind = python_error_name(e->kind), *message = e->message ? e->message : "";

    if (!e->line) {
        (void)buf_addf(&t->reason, "Syntax error: %s", message);
        failed(t, xasprintf("Code parsing failed due to: %s\nNone\nError: %s", kind, message));
        return;
    }
    (void)buf_addf(&t->reason, "Syntax error: %s (<unknown>, line %u)", message, e->line);
    failed(t, xasprintf("Code parsing failed due to: %s\n%.*s%s\nError: %s (<unknown>, line %u)",
                        kind, (int)line.n, line.p, e->bare ? "" : "\n", message, e->line));
}

static bool came_before(const struct text *t, const struct note *n)
{
    for (const struct note *k = findings_next(t->c, t->stage, NULL); k != n;
         k = findings_next(t->c, t->stage, k)) {
        if (k->rule == n->rule && strcmp(k->subject, n->subject) == 0)
            return true;
    }
    return false;
}

static void imports(struct text *t)
{
    AUTO_BUF struct buf names = {0};

    for (const struct note *n = findings_next(t->c, t->stage, NULL); n;
         n = findings_next(t->c, t->stage, n)) {
        if (n->rule != RULE_NAME_FORBIDDEN)
            continue;
        (void)buf_addf(&t->reason, "Forbidden builtin: %s", n->subject);
        exception(t, t->reason.p);
        t->v->texts.about = (size_t)(n - t->c->notes) + 1;
        return;
    }
    buf_init(&names, TEXT_LIMIT);
    for (const struct note *n = findings_next(t->c, t->stage, NULL); n;
         n = findings_next(t->c, t->stage, n)) {
        if (!came_before(t, n))
            (void)buf_addf(&names, "%s%s", names.n ? "\n" : "", n->subject);
    }
    failed(t, xasprintf("The following imports are disallowed:%s\nPlease only use the allowed "
                        "modules for importing.",
                        names.p));
    (void)buf_adds(&t->reason, "disallowed imports: ");
    for (size_t i = 0; i < names.n; i++)
        (void)buf_adds(&t->reason, names.p[i] == '\n' ? ", " : (char[]){names.p[i], '\0'});
}

static bool is_os_access(const struct note *n)
{
    static const char *const names[] = {"os.system", "os.popen",  "os.environ", "os.execv",
                                        "os.execl",  "os.remove", "os.rmdir",   "os.unlink"};

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(n->subject, names[i]) == 0)
            return true;
    }
    return str_starts(str_from(n->subject), "os.spawn");
}

/* "Dangerous rm command: rm -rf /" */
static bool shell_violation(struct text *t, const char *what)
{
    static const struct {
        const char *start, *name;
    } kinds[] = {{"rm -", "rm"},
                 {"dd if", "dd"},
                 {"mkfs", "mkfs"},
                 {"del /f", "Windows delete"},
                 {"rmdir /s", "Windows rmdir"}};

    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (!str_starts(str_from(what), kinds[i].start))
            continue;
        (void)buf_addf(&t->reason, "Dangerous %s command: %s", kinds[i].name, what);
        return true;
    }
    return false;
}

static bool is_number(const struct node *n)
{
    return n->kind == N_CONSTANT && n->op == CONST_INT;
}

/* Reports the largest constant bound of a range. */
static bool range_text(struct text *t, const struct node *call)
{
    long long most = 0;

    for (size_t i = 0; i < call->call.args.n; i++) {
        const struct node *n = call->call.args.at[i];
        const struct value *v = resolve(&t->c->resolver, n, t->c->program.module_scope);
        long long value = v->kind == VALUE_INT ? (long long)v->integer : 0;
        value = value < 0 && value > -LLONG_MAX ? -value : value;
        most = value > most ? value : most;
    }
    if (most)
        (void)buf_addf(&t->reason, "Large loop range: %lld", most);
    return most > 0;
}

static const char *repeated(const struct node *n)
{
    switch ((int)n->kind) {
    case N_LIST:
        return "list";
    case N_TUPLE:
        return "tuple";
    case N_CONSTANT:
        return n->op == CONST_BYTES ? "bytes" : "string";
    }
    return "string";
}

/* Messages about loops and sizes, with the number if it is a literal in the program. */
static bool size_violation(struct text *t, const struct note *n)
{
    const struct node *at = n->node;

    if (n->rule == RULE_ENDLESS_LOOP) {
        (void)buf_adds(&t->reason, "Potential infinite loop: while True without break");
        return true;
    }
    if (n->rule == RULE_HUGE_RANGE && at && at->kind == N_CALL && range_text(t, at))
        return true;
    if (n->rule != RULE_HUGE_REPETITION || !at || at->kind != N_BIN_OP)
        return false;
    if (is_number(at->bin_op.right))
        (void)buf_addf(&t->reason, "Large memory allocation: %s * %lld", repeated(at->bin_op.left),
                       (long long)at->bin_op.right->constant.integer);
    else if (is_number(at->bin_op.left))
        (void)buf_addf(&t->reason, "Large memory allocation: %lld * %s",
                       (long long)at->bin_op.left->constant.integer, repeated(at->bin_op.right));
    return is_number(at->bin_op.right) || is_number(at->bin_op.left);
}

static bool is_call_by_name(const struct note *n)
{
    return n->node && n->node->kind == N_NAME && n->is_call;
}

static void violation(struct text *t, const struct note *n)
{
    const char *from = n->node && n->node->kind == N_IMPORT_FROM ? "from " : "";

    switch ((int)n->rule) {
    case RULE_DUNDER_ATTRIBUTE:
    case RULE_CLASS_NAME:
    case RULE_FUNCTION_INTERNALS:
    case RULE_SUBCLASSES_WALK:
    case RULE_BUILTINS_ACCESS:
        (void)buf_addf(&t->reason, "Introspection detected: %s", n->subject);
        return;
    case RULE_PROCESS_MODULE:
    case RULE_THREAD_MODULE:
        (void)buf_addf(&t->reason, "Process/thread module: %s%s", from, n->subject);
        return;
    case RULE_NETWORK_MODULE:
        (void)buf_addf(&t->reason, "Network module: %s%s", from, n->subject);
        return;
    case RULE_EXEC_CALL:
    case RULE_EVAL_CALL:
    case RULE_COMPILE_CALL:
    case RULE_IMPORT_CALL:
    case RULE_CODE_REFERENCE:
        (void)buf_addf(&t->reason, "Dangerous builtin: %s", str_after_last(n->subject, '.'));
        return;
    case RULE_DECODE_CALL:
        (void)buf_addf(&t->reason, "Potential obfuscation: %s", str_after_last(n->subject, '.'));
        return;
    case RULE_COMMAND_CALL:
        (void)buf_addf(&t->reason, "System command execution: %s", str_after_last(n->subject, '.'));
        return;
    case RULE_SHELL_TEXT:
        if (shell_violation(t, n->subject))
            return;
        break;
    case RULE_ENDLESS_LOOP:
    case RULE_HUGE_RANGE:
    case RULE_HUGE_REPETITION:
        if (size_violation(t, n))
            return;
        break;
    case RULE_ENV_ACCESS:
        if (strcmp(n->subject, "os.environ") == 0)
            break;
        (void)buf_adds(&t->reason, "Environment variable access detected");
        return;
    case RULE_PATH_TRAVERSAL:
        (void)buf_adds(&t->reason, "Deep path traversal pattern detected");
        return;
    }
    if (is_os_access(n) && is_call_by_name(n))
        (void)buf_addf(&t->reason, "System command execution: %s", str_after_last(n->subject, '.'));
    else if (is_os_access(n))
        (void)buf_addf(&t->reason, "Dangerous %s access", n->subject);
    else
        (void)buf_adds(&t->reason, n->f.message);
}

static void patterns(struct text *t)
{
    int points = t->c->stages[GUARD_PATTERNS].points;
    bool critical = t->c->stages[GUARD_PATTERNS].refuses;
    const struct note *n = findings_next(t->c, t->stage, NULL);

    if (!n) {
        (void)buf_adds(&t->reason, "No suspicious patterns detected");
        return;
    }
    if (!t->v->allowed && critical)
        (void)buf_adds(&t->reason, "Critical security violations: ");
    else if (!t->v->allowed)
        (void)buf_addf(&t->reason, "High risk score (%d): ", points);
    else
        (void)buf_adds(&t->reason, "Minor concerns detected: ");
    for (bool first = true; n; n = findings_next(t->c, t->stage, n), first = false) {
        (void)buf_adds(&t->reason, first ? "" : "; ");
        violation(t, n);
    }
    if (!t->v->allowed) {
        t->v->texts.exception_type = xstrdup("CodeSecurityError");
        t->v->texts.exception_message = xasprintf("Pattern detection blocked: %s", t->reason.p);
    }
}

void label_kodeagent(struct text *t, const struct note *n)
{
    if (n->rule == RULE_NAME_FORBIDDEN)
        (void)buf_addf(&t->reason, "Forbidden builtin: %s", n->subject);
    else if (n->stage == GUARD_PATTERNS)
        violation(t, n);
}

void text_kodeagent(struct text *t)
{
    if (t->stage == GUARD_PATTERNS)
        patterns(t);
    else if (!t->v->allowed && t->stage == GUARD_IMPORTS)
        imports(t);
    else if (!t->v->allowed && t->c->text->parsed && !t->c->has_program)
        syntax(t);
}
