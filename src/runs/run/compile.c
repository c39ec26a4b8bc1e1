/* SPDX-License-Identifier: Apache-2.0 */
#include "run/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "explain/exception.h"
#include "run/compile_parts.h"
#include "run/run.h"

#define KEEP COMPILED_OUT "/.keep" /* makes the folder */

enum { OUTPUT_MAX = 256 << 10 };

/* ---- the run of the compiler ---- */

static void set_limits(const struct compile_call *c, struct run_request *q)
{
    uint32_t cpus = q->limits.cpu_milli;
    struct run_request usual;

    run_request_init(&usual);
    q->limits = usual.limits;
    q->limits.cpu_milli = cpus;
    q->limits.cpu_ms = 0;
    q->limits.memory_bytes = c->how->memory_bytes ? c->how->memory_bytes : COMPILE_MEMORY;
    q->limits.disk_bytes = COMPILE_DISK;
    q->limits.pids = c->how->pids ? c->how->pids : COMPILE_PIDS;
    q->limits.wall_ms = c->how->wall_ms ? c->how->wall_ms : COMPILE_MS;
    if (!c->given) { /* for all programs, and once */
        q->limits.wall_ms = COMPILE_SHARED_MS;
        q->limits.cpu_milli = 0;
    }
    q->asked = 0;
    q->output_limit = OUTPUT_MAX;
}

/* The program's files, and one that makes the product's folder. */
static struct named_bytes *list_inputs(const struct compile_call *c, struct request_workspace *w)
{
    const struct request_workspace *own = &c->in->request->workspace;
    size_t n = c->given ? own->input_count : 0;
    struct named_bytes *inputs = xcalloc(n + 1, sizeof *inputs);

    if (n)
        memcpy(inputs, own->inputs, n * sizeof *inputs);
    inputs[n] = (struct named_bytes){.name = STR(KEEP), .bytes = STR("")};
    w->input_count = n + 1;
    return inputs;
}

static char **list_shown(const struct compile_call *c)
{
    char *const *own = c->given ? c->in->request->workspace.ro : NULL;
    size_t n = 0;

    while (own && own[n])
        n++;
    char **ro = xcalloc(n + 2, sizeof *ro);
    if (n)
        memcpy(ro, own, n * sizeof *ro);
    if (c->shared)
        ro[n] = (char *)c->shared;
    return ro;
}

static void run_compiler(struct compile_call *c, const char *out_dir, struct result *ret)
{
    const struct compile_input *in = c->in;
    const struct run_request *own = in->request;
    struct language *row = &c->row;
    struct language_table table = {.user = &row, .user_count = 1};
    struct run_watch watch = {.cancel_fd = in->reporter->watch->cancel_fd};
    struct run_request q = {
        .program = {.code = c->text,
                    .file = in->name,
                    .language = row->name,
                    .languages = &table,
                    .stdin_fd = -1,
                    .env = c->env},
        .workspace = {.out_dir = out_dir},
        .place = own->place,
        .policy = {.no_check = true},
        .door = own->door,
        .limits = own->limits,
    };

    if (c->given) {
        q.workspace.files = own->workspace.files;
        q.workspace.work_dir = own->workspace.work_dir;
        q.workspace.work_dir_kept = true;
        q.workspace.withheld = own->workspace.withheld;
    }
    q.place.pool = NULL;
    q.place.net_host = false;
    q.place.net_rules = q.place.environment = NULL;
    q.place.pip = NULL;
    q.door.log = "off";
    q.door.sink = NULL;
    set_limits(c, &q);
    AUTO_FREE struct named_bytes *inputs = list_inputs(c, &q.workspace);
    AUTO_FREE char **ro = list_shown(c);
    q.workspace.inputs = inputs;
    q.workspace.ro = ro;
    result_init(ret, OUTPUT_MAX);
    run_program(&q, &watch, ret);
}

/* ---- what came of it ---- */

static void add_text_of(const struct capture *c, struct buf *out)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, OUTPUT_MAX + 256);
    capture_text(c, &text);
    (void)buf_add_str(out, buf_str(&text));
}

/* Compilers report errors on either stream. */
static char *report_of(const struct result *r)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 2 * OUTPUT_MAX + 1024);
    add_text_of(&r->out, &text);
    add_text_of(&r->err, &text);
    return buf_take(&text);
}

static char *limit_message(const struct result *r)
{
    char amount[32];

    if (r->timed_out)
        return xasprintf("the compiler was not done after %s",
                         num_format_duration(r->limits.wall_ms, amount, sizeof amount));
    if (r->oom_killed)
        return xasprintf("the compiler needs more memory than %s",
                         num_format_size(r->limits.memory_bytes, amount, sizeof amount));
    if (r->signal)
        return xasprintf("the compiler was ended by signal %d", r->signal);
    return xasprintf("the compiler exited with %d", r->exit_code);
}

static struct result_exception *compile_exception(const struct compile_call *c,
                                                  const struct result *r, const char *report)
{
    const char *const *forms = c->how->errors ? c->how->errors : c->in->prepared->language->errors;
    struct result_exception *e = exception_find(&(struct exception_input){
        .language = "",
        .text = str_from(report),
        .work = backend_inside(r->guest),
        .program = c->in->name,
        .code = c->in->text,
        .prelude = c->in->prelude_lines,
        .errors = r->timed_out || r->oom_killed || r->signal ? NULL : forms,
        .first_error = true,
    });

    if (!e) {
        e = xcalloc(1, sizeof *e);
        e->message = limit_message(r);
        e->traceback = xstrdup("");
    }
    free(e->type);
    e->type = xstrdup("CompileError");
    return e;
}

static void set_report(struct result *result, const char *report, int64_t duration_ms, bool cached)
{
    struct result_compile *r = &result->compile;

    *r = (struct result_compile){.happened = true,
                                 .success = true,
                                 .cached = cached,
                                 .duration_ms = duration_ms,
                                 .report = xstrdup(report)};
}

/* The program did not compile: its result is the compiler's. */
static void set_failure(const struct compile_call *c, const struct result *r, const char *report)
{
    struct result *result = c->in->reporter->result;

    set_report(result, report, r->duration_ms, false);
    result->compile.success = false;
    result->compile.exit_code = r->exit_code;
    result->exit_code = r->exit_code ? r->exit_code : 1;
    result->exception = compile_exception(c, r, report);
    reporter_output(c->in->reporter, 2, report, strlen(report));
}

/* 0, 1 or -1, as compile_program. */
static int conclude(const struct compile_call *c, const struct result *r,
                    struct compiled_making *making, const char *key, struct compiled *ret,
                    struct err *err)
{
    AUTO_FREE char *report = report_of(r);

    if (r->cancelled) {
        c->in->reporter->result->cancelled = true;
        return 1;
    }
    if (r->error.kind) {
        *err = r->error;
        return err_wrap(err, "the compiler");
    }
    if (!r->success) {
        set_failure(c, r, report);
        return 1;
    }
    /* Files that changed while the compiler read them do not belong to the key. */
    char now[SHA256_HEX];
    if (key && c->given && !(compile_call_key(c, c->in->laid, now) && strcmp(key, now) == 0))
        key = NULL;
    if (compiled_end(making, key, report, r->duration_ms, ret, err) == 0)
        return 0;
    if (err->kind != ERR_GUEST)
        return -1;
    AUTO_FREE char *why = xasprintf("%s%s\n", report, err->msg);
    *err = (struct err){0};
    set_failure(c, r, why);
    return 1;
}

/* ---- the step ---- */

/* *ret_cached: another process made it meanwhile. */
static int make_product(struct compile_call *c, const char *key, bool *ret_cached,
                        struct compiled *ret, struct err *err)
{
    const int cancel_fd = c->in->reporter->watch->cancel_fd;
    struct compiled_making making;
    struct result r;
    int status = compiled_begin(key, cancel_fd, &making, err);

    if (status > 0)
        c->in->reporter->result->cancelled = true;
    *ret_cached = status == 0 && key && compiled_find(key, ret);
    if (*ret_cached) {
        compiled_abandon(&making);
        return 0;
    }
    if (status == 0) {
        run_compiler(c, making.folder, &r);
        status = conclude(c, &r, &making, key, ret, err);
        result_done(&r);
    }
    compiled_abandon(&making);
    return status;
}

/* Makes what all programs of the language share, once. */
static int find_shared(const struct compile_input *in, struct compiled *ret, struct err *err)
{
    const struct language *language = in->prepared->language;
    struct compile_call c = {.in = in, .args = language->compile->shared, .text = STR("")};
    struct compile_input plain = *in;
    bool cached = false;
    AUTO_FREE char *name = xasprintf("shared%s", language->extension);
    char key[SHA256_HEX];
    int status = 0;

    plain.name = name;
    c.in = &plain;
    if (compile_call_make(&c, err) < 0)
        status = -1;
    else if (!compile_call_key(&c, NULL, key))
        status = 1; /* in an image: each program is compiled without it */
    else if (!compiled_find(key, ret)) {
        AUTO_FREE char *line =
            xasprintf("compiling the standard library of %s, once", language->name);
        reporter_event(in->reporter,
                       (struct run_event){.kind = RUN_PREPARING, .text = str_from(line)});
        status = make_product(&c, key, &cached, ret, err);
    }
    compile_call_done(&c);
    return status;
}

static int compile_with(struct compile_call *c, struct compiled *ret, struct err *err)
{
    struct result *result = c->in->reporter->result;
    char key[SHA256_HEX];
    bool cached = false;

    if (compile_call_make(c, err) < 0)
        return -1;
    bool kept = compile_call_key(c, c->in->laid, key);
    if (kept && compiled_find(key, ret)) {
        set_report(result, ret->report, ret->duration_ms, true);
        return 0;
    }
    int status = make_product(c, kept ? key : NULL, &cached, ret, err);
    if (status == 0)
        set_report(result, ret->report, ret->duration_ms, cached);
    return status;
}

int compile_program(const struct compile_input *in, struct compiled *ret, struct err *err)
{
    const struct language_compile *how = in->prepared->language->compile;
    struct compiled shared = {.lock_fd = -1};
    struct compile_call c = {.in = in, .args = how->args, .text = in->text, .given = in->laid};
    int status = how->shared ? find_shared(in, &shared, err) : 0;

    *ret = (struct compiled){.lock_fd = -1};
    if (status == 0 || (status > 0 && !in->reporter->result->cancelled &&
                        !in->reporter->result->compile.happened)) {
        c.shared = shared.folder;
        status = compile_with(&c, ret, err);
        compile_call_done(&c);
    }
    compiled_done(&shared);
    return status;
}

char *compile_show(struct prepared *p, const struct compiled *compiled, struct lay_list *laid,
                   struct err *err)
{
    bool native = p->language->compile->native;
    AUTO_FREE char *product = xasprintf("%s/%s", compiled->folder, COMPILED_PROGRAM);

    p->compiled = true;
    if (p->backend->interpreter) {
        AUTO_FREE char *spec = xasprintf("%s:%s", compiled->folder, COMPILED_OUT);
        if (lay_add_file(laid, spec, err) < 0)
            return NULL;
        free(mem_take(&product));
        product = xstrdup(COMPILE_OUT);
        if (native) {
            free(p->interpreter.path);
            p->interpreter.path = xstrdup(COMPILE_OUT);
        }
        return mem_take(&product);
    }
    if (native) {
        interpreter_done(&p->interpreter);
        p->interpreter.path = xstrdup(product);
    }
    interpreter_show(&p->interpreter, compiled->folder);
    return mem_take(&product);
}
