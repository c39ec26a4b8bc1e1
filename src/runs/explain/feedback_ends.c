/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "explain/feedback_parts.h"
#include "formats/printable.h"
#include "guard/guard.h"

enum { TEXT_MAX = 4000, FINDINGS_MAX = 10, MESSAGE_MAX = 400 };

static char *write_text(const char *text, const char *first)
{
    struct str captures[ADVICE_CAPTURES] = {str_from(first)};
    AUTO_BUF struct buf b = {0};

    buf_init(&b, TEXT_MAX);
    advice_write(&b, text, captures);
    return buf_take(&b);
}

/* ---- limits ---- */

static char *amount_of(enum jail_limit_hit hit, const struct jail_limits *l, char *out, size_t n)
{
    out[0] = '\0';
    if (hit == LIMIT_WALL)
        return num_format_duration(l->wall_ms, out, n);
    if (hit == LIMIT_CPU)
        return num_format_duration(l->cpu_ms, out, n);
    if (hit == LIMIT_MEMORY)
        return num_format_size(l->memory_bytes, out, n);
    if (hit == LIMIT_DISK)
        return num_format_size(l->disk_bytes, out, n);
    if (hit == LIMIT_PIDS)
        snprintf(out, n, "%u", l->pids);
    return out;
}

/* {1} is replaced by the limit, in brackets if it is known. */
static const struct {
    enum jail_limit_hit hit;
    enum advice_topic topic;
    const char *text;
} limits[] = {
    {LIMIT_WALL, TOPIC_TIME,
     "The program did not end in time{1} and was stopped. Look for a loop that never ends, a wait "
     "for something that never comes, or a slow algorithm; try a smaller input, or allow more with "
     "--timeout."},
    {LIMIT_CPU, TOPIC_TIME,
     "The program used up its processor time{1} and was stopped. Look for a loop that never ends "
     "or a slow algorithm; try a smaller input, or allow more with --cpu-time."},
    {LIMIT_MEMORY, TOPIC_MEMORY,
     "The program needed more memory than it may have{1} and was stopped. Work in pieces (line by "
     "line, generators) instead of holding all of it, look for lists that grow without end, or "
     "allow more with --memory."},
    {LIMIT_DISK, TOPIC_DISK,
     "The disk is full{1}: workspace and $TMPDIR share it. Write less, delete what is not needed "
     "any "
     "more, or allow more with --disk."},
    {LIMIT_PIDS, TOPIC_PROCESSES,
     "No more processes or threads could be started{1}. Use fewer, and wait for those that are "
     "done, or allow more with --pids."},
    {LIMIT_OUTPUT, TOPIC_NONE,
     "The program printed more than is kept{1}; the middle is missing. Print less, or write the "
     "data into a file of the workspace."},
    {LIMIT_BUFFERS, TOPIC_MEMORY,
     "Sockets had no room for more data{1}: the buffers of TCP and UDP may take a quarter of the "
     "memory limit. Receive what was sent before more is sent, or allow more with --memory."},
    {LIMIT_CONNECTIONS, TOPIC_NETWORK,
     "Too many TCP connections belonged to no process{1}, or held too much data, and the program "
     "was stopped. Accept connections, and receive what was sent before the sender closes."},
    {LIMIT_GUESTS, TOPIC_MEMORY,
     "All programs of this daemon together reached the memory that they may have "
     "(--guests-memory), "
     "and this one was stopped. It did not reach its own limit{1}. Use less memory, or try again "
     "later."},
};

static void collect_limits(struct collector *c)
{
    char amount[32], shown[48];

    for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
        if (!(c->result->limits_hit & limits[i].hit))
            continue;
        amount_of(limits[i].hit, &c->result->limits, amount, sizeof amount);
        snprintf(shown, sizeof shown, amount[0] ? " (%s)" : "%s", amount);
        AUTO_BUF struct buf b = {0};
        buf_init(&b, TEXT_MAX);
        /* The space before the bracket is written with it. */
        const char *place = strstr(limits[i].text, "{1}");
        (void)buf_add(&b, limits[i].text, (size_t)(place - limits[i].text));
        (void)buf_adds(&b, shown);
        (void)buf_adds(&b, place + 3);
        collect_text(c, limits[i].topic, buf_take(&b));
        if (limits[i].topic == TOPIC_TIME)
            collect_text(c, TOPIC_NONE, xstrdup(advice_of_type("TimeoutError")));
    }
}

/* ---- signals ---- */

static const struct {
    int number;
    const char *name, *text;
} signals[] = {
    {SIGSEGV, "SIGSEGV",
     "The program crashed: it touched memory that is not its own. In a scripting language, the "
     "cause is an extension module, ctypes, or a stack that is used up by recursion: do without "
     "the module, or reduce the depth of calls."},
    {SIGBUS, "SIGBUS",
     "The program crashed on a memory access: a mapped file became shorter, or the disk of the "
     "file is full."},
    {SIGABRT, "SIGABRT",
     "The program ended itself (abort): an assertion failed, the heap is damaged, or no memory "
     "is left. Read the last lines of its error output."},
    {SIGFPE, "SIGFPE", "The program divided a whole number by zero in compiled code. Test for it."},
    {SIGILL, "SIGILL",
     "The program ran an instruction that this processor does not have: a library was built for "
     "another processor."},
    {SIGSYS, "SIGSYS",
     "A system call that is not allowed inside ended the program. Do without it."},
    {SIGKILL, "SIGKILL",
     "The program was killed (SIGKILL): by itself, by one of its processes, or by someone on the "
     "host. It reached none of its limits. Do not kill processes."},
    {SIGTERM, "SIGTERM",
     "The program was asked to end (SIGTERM), by itself or by one of its processes."},
    {SIGINT, "SIGINT", "The program was interrupted (SIGINT)."},
    {SIGPIPE, "SIGPIPE",
     "The program wrote to a pipe that no process read any more. Read all of it, or ignore the "
     "error."},
    {SIGXCPU, "SIGXCPU",
     "The program used up its processor time. Look for a loop that never ends, or allow more with "
     "--cpu-time."},
    {SIGXFSZ, "SIGXFSZ", "The program wrote a file larger than is allowed. Write less."},
    {SIGTRAP, "SIGTRAP", "The program stopped at a trap: a debugger's, or a check of its runtime."},
    {SIGHUP, "SIGHUP", "The program was told that its terminal is gone (SIGHUP)."},
};

static void collect_signal(struct collector *c)
{
    int number = c->result->signal;

    if (!number || c->result->timed_out || c->result->oom_killed || c->result->cancelled ||
        c->result->error.kind)
        return;
    for (size_t i = 0; i < ARRAY_LEN(signals); i++)
        if (signals[i].number == number) {
            collect_text(c, TOPIC_NONE, xstrdup(signals[i].text));
            return;
        }
    collect_text(c, TOPIC_NONE, xasprintf(FEEDBACK_SIGNAL "%d.", number));
}

/* ---- the guard ---- */

static bool counts(const struct verdict *v, const struct finding *f)
{
    const struct rule_info *rule = guard_rule_find(str_from(f->rule));

    return f->severity != SEVERITY_INFO && (!rule || rule->stage == v->stage);
}

/* False if there is only the general hint on a syntax error, which adds no information. */
static bool says_more(const struct finding *f, enum guard_stage stage)
{
    return stage != GUARD_SYNTAX || finding_has_own_hint(f);
}

static char *write_finding(const struct finding *f, enum guard_stage stage)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, TEXT_MAX);
    if (f->line)
        (void)buf_addf(&b, "Line %u: ", f->line);
    printable_add_word(&b, str_from(f->message), MESSAGE_MAX);
    if (f->hint && *f->hint && says_more(f, stage)) {
        (void)buf_adds(&b, str_ends(buf_str(&b), ".") ? " " : ". ");
        printable_add_word(&b, str_from(f->hint), MESSAGE_MAX);
    }
    return buf_take(&b);
}

static void collect_findings(struct collector *c)
{
    const struct verdict *v = &c->result->verdict;
    size_t left = v->left_out, reported = 0;

    for (size_t i = 0; i < v->n; i++) {
        if (!counts(v, &v->findings[i]))
            continue;
        if (reported == FINDINGS_MAX) {
            left++;
            continue;
        }
        collect_text(c, TOPIC_NONE, write_finding(&v->findings[i], v->stage));
        reported++;
    }
    if (left)
        collect_text(c, TOPIC_NONE, xasprintf("%zu more findings were left out.", left));
}

/* "SyntaxError: text" */
static void collect_syntax(struct collector *c)
{
    const struct verdict *v = &c->result->verdict;
    const char *message = v->n ? v->findings[0].message : "";
    long colon = str_find(str_from(message), STR(": "));

    if (v->stage != GUARD_SYNTAX || colon <= 0 || says_more(&v->findings[0], v->stage))
        return;
    AUTO_FREE char *type = xstrndup(message, (size_t)colon);
    const struct advice_error error = {
        .language = c->result->language, .type = type, .message = str_from(message + colon + 2)};
    collect_text(c, TOPIC_SYNTAX, advice_for_error(&error));
    if (!advice_has_types(c->result->language))
        return;
    const char *general = advice_of_type(type);
    collect_text(c, TOPIC_NONE, general ? xstrdup(general) : NULL);
}

static void collect_refusal(struct collector *c)
{
    const struct verdict *v = &c->result->verdict;

    if (!result_refused(c->result))
        return;
    collect_findings(c);
    collect_syntax(c);
    if (!c->to->n && v->reason && *v->reason)
        collect_text(c, TOPIC_NONE, printable_text(str_from(v->reason)));
    if (v->stage == GUARD_IMPORTS || v->stage == GUARD_PATTERNS)
        collect_text(
            c, TOPIC_NONE,
            xstrdup(
                "The program was not started: rewrite the parts that are named "
                "here, or let the owner of the sandbox allow them (--allow-imports, --profile)."));
}

/* ---- all causes ---- */

static void collect_own_failure(struct collector *c)
{
    const struct err *e = &c->result->error;

    if (!e->kind || c->result->limits_hit & LIMIT_GUESTS) /* collect_limits reports it completely */
        return;
    collect_text(c, TOPIC_NONE, printable_text(str_from(e->msg)));
    if (e->kind == ERR_SYSTEM)
        collect_text(c, TOPIC_NONE,
                     xstrdup("The program did not cause this: the sandbox could not run it. Try "
                             "again, or run 'glovebox doctor'."));
}

void collect_ends(struct collector *c)
{
    collect_own_failure(c);
    collect_refusal(c);
    if (c->result->cancelled)
        collect_text(c, TOPIC_NONE, xstrdup("The run was stopped from outside before it ended."));
    collect_limits(c);
    collect_signal(c);
}

bool feedback_end(const struct feedback_input *in, struct buf *b)
{
    const struct result *r = in->result;
    char amount[32];

    if (r->error.kind)
        (void)buf_adds(b, "The program could not be run");
    else if (result_refused(r))
        (void)buf_addf(b, "The program was refused before it started (%s check)",
                       guard_stage_name(r->verdict.stage));
    else if (r->cancelled)
        (void)buf_adds(b, "The program was stopped from outside");
    else if (r->timed_out)
        (void)buf_adds(b, "The program ran out of time");
    else if (r->oom_killed)
        (void)buf_adds(b, "The program ran out of memory");
    else if (r->signal)
        (void)buf_addf(b, "The program was ended by signal %d (%s)", r->signal,
                       strsignal(r->signal));
    else
        return false;
    enum jail_limit_hit hit = !r->timed_out                ? LIMIT_MEMORY
                              : r->limits_hit & LIMIT_WALL ? LIMIT_WALL
                                                           : LIMIT_CPU;
    if ((r->timed_out || r->oom_killed) && amount_of(hit, &r->limits, amount, sizeof amount)[0])
        (void)buf_addf(b, " (%s)", amount);
    return true;
}

/* ---- refused calls ---- */

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct {
    const char *const *calls;
    enum advice_topic topic;
    const char *text;
} denials[] = {
    {NAMES("socket", "socketpair", "connect", "bind", "sendto"), TOPIC_NETWORK,
     "A socket of a kind that is not allowed inside was asked for ({1}). There is no "
     "network. " OPENS_NET},
    {NAMES("ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd"), TOPIC_NONE,
     "Access to other processes is not allowed inside ({1}): debuggers and tracers do not "
     "work."},
    {NAMES("mount", "umount2", "unshare", "setns", "clone", "clone3", "pivot_root", "chroot"),
     TOPIC_NONE,
     "Namespaces, mounts and chroot are not allowed inside ({1}): containers and sandboxes do not "
     "start in here."},
    {NAMES("bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "keyctl", "add_key"),
     TOPIC_NONE, "This interface of the kernel is not allowed inside ({1}). Do without it."},
    {NAMES("kill", "tkill", "tgkill", "pidfd_send_signal"), TOPIC_NONE,
     "Signals may go to the program's own process group only ({1})."},
    {NAMES("chmod", "fchmod", "fchmodat", "chown", "mknod", "mknodat"), TOPIC_PERMISSION,
     "Owners, setuid bits and device files cannot be made inside ({1})."},
};

static const char *denial_text(const char *call, bool net, enum advice_topic *ret_topic)
{
    for (size_t i = 0; i < ARRAY_LEN(denials); i++)
        for (const char *const *name = denials[i].calls; *name; name++)
            if (strcmp(*name, call) == 0 && !(net && denials[i].topic == TOPIC_NETWORK)) {
                *ret_topic = denials[i].topic;
                return denials[i].text;
            }
    *ret_topic = TOPIC_NONE;
    return "The system call {1} is not allowed inside and returned an error. Do without it.";
}

/* The caller frees. */
static char *refused_text(const struct net_row *row)
{
    const bool v6 = strchr(row->host, ':') != NULL;
    AUTO_FREE char *host = xasprintf(v6 ? "[%s]" : "%s", row->host);
    char port[8] = "";

    if (row->port)
        snprintf(port, sizeof port, ":%u", row->port);
    return xasprintf("The network of this sandbox refused %s%s: %s. Use a host that is allowed, or "
                     "ask for this one to be allowed (--net allow:%s%s).",
                     host, port, row->reason, host,
                     row->port == 80 || row->port == 443 ? "" : port);
}

static char *unreached_text(const struct net_row *row)
{
    return xasprintf("The network of this sandbox allows %s, but could not reach it at port %u: "
                     "%s.",
                     row->host, row->port, row->reason);
}

static bool is_unreached(const struct net_row *row)
{
    const struct str reason = str_from(row->reason);

    return row->allowed && !row->bytes_in &&
           (str_starts(reason, "the name cannot be resolved") ||
            str_starts(reason, "cannot connect"));
}

/* Names the first host that the network refused, and how to allow it; or, of a run that failed, the
 * first one that it could not reach, and why. NULL if there is none. The caller frees. */
static char *network_text(const struct result *r)
{
    const struct net_rows *rows = &r->network;

    for (size_t i = 0; i < rows->n; i++)
        if (!rows->list[i].allowed && strcmp(rows->list[i].host, "(others)") != 0)
            return refused_text(&rows->list[i]);
    for (size_t i = 0; i < rows->n && !r->success; i++)
        if (is_unreached(&rows->list[i]))
            return unreached_text(&rows->list[i]);
    return NULL;
}

void collect_network(struct collector *c)
{
    collect_text(c, TOPIC_NETWORK, network_text(c->result));
}

/* True if a peer, or the network in its place, ended the connection. */
static bool is_end(struct str message)
{
    static const char *const ends[] = {
        "Bad Gateway",     "Forbidden",         "Tunnel connection failed", "EOF occurred",
        "onnection reset", "closed connection", "onnection aborted",        "Max retries exceeded"};

    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_find(message, str_from(ends[i])) >= 0)
            return true;
    return false;
}

void feedback_network(struct result *r)
{
    struct result_exception *e = r->exception;
    const struct advice_error error = {r->language, e ? e->type : NULL,
                                       str_from(e ? e->message : NULL), advice_place_of(r)};

    if (!e || !(advice_topic_of(&error) == TOPIC_NETWORK || (!e->hint && is_end(error.message))))
        return;
    char *text = network_text(r);
    if (!text)
        return;
    free(e->hint);
    e->hint = text;
}

/* Calls with the same text in the table are reported once, by the first of them. */
void collect_denied(struct collector *c)
{
    const struct backend_outcome *o = &c->result->outcome;
    const char *reported[4] = {NULL};

    for (size_t i = 0, n = 0; i < o->denied_count && n < ARRAY_LEN(reported); i++) {
        enum advice_topic topic;
        const char *text =
            denial_text(o->denied[i].name, c->result->net_host || c->result->net_named, &topic);
        bool again = false;
        for (size_t k = 0; k < n; k++)
            again |= reported[k] == text;
        if (again)
            continue;
        reported[n++] = text;
        collect_text(c, topic, write_text(text, o->denied[i].name));
    }
}

/* ---- the status ---- */

void collect_status(struct collector *c)
{
    const struct result *r = c->result;

    if (!r->started || r->signal || r->exit_code == 0 || c->to->n)
        return;
    if (r->exit_code == 126 || r->exit_code == 127)
        collect_text(c, TOPIC_NONE,
                     xasprintf("Exit status %d: a command %s.", r->exit_code,
                               r->exit_code == 127 ? "was not found" : "could not be run"));
    else if (r->exit_code > 128 && r->exit_code <= 128 + SIGRTMAX)
        collect_text(c, TOPIC_NONE,
                     xasprintf("Exit status %d is that of a shell when signal %d (%s) ended a "
                               "command.",
                               r->exit_code, r->exit_code - 128, strsignal(r->exit_code - 128)));
    else if (!r->err.total)
        collect_text(
            c, TOPIC_NONE,
            xasprintf(FEEDBACK_SILENT
                      "%d and wrote nothing to its "
                      "error output. Find the place where it exits, and print the reason there.",
                      r->exit_code));
}
