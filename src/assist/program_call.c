/* SPDX-License-Identifier: Apache-2.0 */
#include "assist/program_call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/encoded.h"
#include "base/fd.h"
#include "base/json_get.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "console/other_words.h"
#include "console/print_json.h"
#include "console/save_file.h"
#include "session/check.h"
#include "terminal/safe_text.h"
#include "text/diff.h"
#include "text/notebook.h"
#include "verdicts/check_report.h"

enum { DIFF_MAX = 4 << 20 };

/* ---- the program ---- */

static int read_stdin(struct program_call *pc, struct err *err)
{
    if (fd_read_all(STDIN_FILENO, &pc->code) == 0)
        return 0;
    return errno == EFBIG
               ? err_set(err, ERR_USAGE, "the program is larger than %u MiB", RUN_SOURCE_MAX >> 20)
               : err_sys(err, "standard input");
}

static int read_file(struct program_call *pc, const char *path, struct err *err)
{
    if (fd_read_file(path, &pc->code, err) < 0) {
        err->kind = ERR_USAGE;
        return -1;
    }
    return notebook_is_name(path)
               ? err_set(err, ERR_USAGE, "%s: is a notebook; give one program", path)
               : other_language_refuse(path, pc->call.run.language, pc->call.run.languages, err);
}

/* A model is shown text, and what it writes takes the text's place: nothing of it may be lost. */
static int check_code(const struct program_call *pc, struct err *err)
{
    struct str code = buf_str(&pc->code);

    if (str_trim(code).n == 0)
        return err_set(err, ERR_USAGE, "%s: the program is empty", pc->shown);
    if (memchr(code.p, '\0', code.n) || !utf8_valid(code))
        return err_set(err, ERR_USAGE, "%s: is not UTF-8 text, so no model can be shown it",
                       pc->shown);
    return 0;
}

static int read_code(struct program_call *pc, const struct opt_args *args, struct err *err)
{
    const struct cli_settings *set = pc->call.set;
    const char *path = !set->code && args->operand_n ? args->operands[0] : NULL;
    bool from_stdin = path && strcmp(path, "-") == 0;

    if (!set->code && !path)
        return err_set(err, ERR_USAGE,
                       "no program; name a FILE, or give -c CODE, or - for standard input");
    pc->call.run.file = path;
    pc->shown = from_stdin ? "<stdin>" : path ? path : "<string>";
    if (set->in_place && from_stdin)
        return err_set(err, ERR_USAGE, "--in-place needs a file, and - is standard input");
    int status = set->code    ? buf_adds(&pc->code, set->code)
                 : from_stdin ? read_stdin(pc, err)
                              : read_file(pc, path, err);
    if (status < 0)
        return set->code ? err_set(err, ERR_USAGE, "-c: the program is too large") : -1;
    if (set->in_place && save_file_check(path, err) < 0)
        return err_wrap(err, "--in-place");
    if (!str_ends(buf_str(&pc->code), "\n"))
        (void)buf_addc(&pc->code, '\n');
    return check_code(pc, err);
}

/* Named by the user, or else found by the file's name and its text. */
static int find_language(struct program_call *pc, struct err *err)
{
    const char *named = pc->call.set->common.lang;
    struct run_request q = pc->call.run;

    if (named && strcmp(named, "auto") != 0)
        return 0;
    q.code = buf_str(&pc->code);
    if (check_find_language(&q, &pc->call.language, err) < 0)
        return -1;
    pc->call.request.language = pc->call.language->name;
    return 0;
}

/* ---- cases and samples ---- */

static int read_cases(struct program_call *pc, struct err *err)
{
    const struct cli_settings *set = pc->call.set;

    if (!set->cases)
        return set->func ? err_set(err, ERR_USAGE, "--func is the function that --cases calls") : 0;
    if (case_file_load(set->cases, &pc->cases, err) < 0)
        return -1;
    if (pc->cases.n == 0)
        return err_set(err, ERR_USAGE, "%s: has no cases", set->cases);
    pc->judge =
        (struct judge_request){.cases = &pc->cases, .func = set->func, .compare = COMPARE_EXACT};
    pc->trial = (struct trial_request){.kind = TRIAL_CASES, .judge = &pc->judge};
    pc->withheld[0] = set->cases;
    pc->call.run.withheld = pc->withheld;
    return 0;
}

int program_call_cases(struct program_call *pc, const struct cli_options *options, struct err *err)
{
    if (read_cases(pc, err) < 0)
        return -1;
    if (pc->call.set->samples <= 1 &&
        opt_source_of(&options->set, "temperature")->from == OPT_FROM_DEFAULT)
        pc->call.request.temperature = pc->temperature;
    return 0;
}

int program_call_read(struct program_call *pc, const struct cli_options *options, struct err *err)
{
    const char *path = options->args.operand_n ? options->args.operands[0] : "";

    buf_init(&pc->code, RUN_SOURCE_MAX);
    if (options->settings.cases && strcmp(options->settings.cases, "-") == 0 &&
        !options->settings.code && strcmp(path, "-") == 0)
        return err_set(err, ERR_USAGE, "standard input (-) can be given only once");
    if (model_call_prepare(&pc->call, options, err) < 0 || read_code(pc, &options->args, err) < 0 ||
        find_language(pc, err) < 0)
        return -1;
    return program_call_cases(pc, options, err);
}

void program_call_done(struct program_call *pc)
{
    buf_done(&pc->code);
    case_file_done(&pc->cases);
}

/* ---- the task ---- */

static void on_event(void *ctx, const struct agent_event *event)
{
    struct program_call *pc = ctx;

    model_call_event(&pc->call, event);
    if (event->kind == AGENT_STEP)
        model_call_step(&pc->call, event, pc->shown);
}

int program_call_samples(struct program_call *pc, int (*flow)(void *ctx, struct agent *agent),
                         void *ctx, struct samples_request *request, struct samples *ret,
                         struct err *err)
{
    struct model_call *call = &pc->call;

    call->watch.event = on_event;
    call->watch.ctx = pc;
    return model_call_samples(call, flow, ctx, request, ret, err);
}

/* ---- what came of it ---- */

/* Names of files may have line ends, which would end the header of a diff. */
static char *header_name(const char *folder, const char *name)
{
    AUTO_BUF struct buf safe = {0};

    buf_init(&safe, 8 << 10);
    safe_text_add(&safe, str_from(name), false);
    return xasprintf("%s/%s", folder, safe.p);
}

static bool has_crlf(struct str text)
{
    long end = str_find(text, STR("\n"));

    return end > 0 && text.p[end - 1] == '\r';
}

/* The new program with a line end, and with the line ends of Windows where the old one has them. */
static void make_text(const struct program_call *pc, struct str code, struct buf *ret)
{
    bool crlf = has_crlf(buf_str(&pc->code)) && !has_crlf(code);
    struct str line;

    buf_init(ret, 2 * code.n + 2);
    while (code.n && str_next(&code, '\n', &line)) {
        (void)buf_add_str(ret, line);
        (void)buf_adds(ret, crlf ? "\r\n" : "\n");
    }
}

static void make_diff(const struct program_call *pc, struct str text, struct buf *ret)
{
    AUTO_FREE char *before = header_name("a", pc->shown);
    AUTO_FREE char *after = header_name("b", pc->shown);

    buf_init(ret, DIFF_MAX);
    diff_add(&(struct diff_side){before, buf_str(&pc->code)}, &(struct diff_side){after, text},
             ret);
}

static const char *colour_of(struct str line)
{
    if (str_starts(line, "@"))
        return "\033[36m";
    return str_starts(line, "+") ? "\033[32m" : str_starts(line, "-") ? "\033[31m" : "";
}

static void print_diff(struct str diff)
{
    bool colour = check_colour(stdout), safe = isatty(STDOUT_FILENO);
    struct str line;

    if (!safe) {
        fwrite(diff.p, 1, diff.n, stdout);
        return;
    }
    while (diff.n && str_next(&diff, '\n', &line)) {
        AUTO_BUF struct buf shown = {0};
        buf_init(&shown, 10 * line.n + 16);
        safe_text_add(&shown, line, true);
        printf("%s%s%s\n", colour ? colour_of(line) : "", shown.p, colour ? "\033[m" : "");
    }
}

/* A file for --save or --in-place; NULL for none. */
static const char *target_of(const struct program_call *pc)
{
    return pc->call.set->in_place ? pc->call.run.file : pc->call.set->save;
}

static int save(const struct program_call *pc, struct str text, struct err *err)
{
    const char *path = target_of(pc);

    return path ? save_file(path, text, err) : 0;
}

static void print_success(struct program_call *pc, const struct agent *agent, struct str text,
                          struct str diff)
{
    const struct cli_settings *set = pc->call.set;
    const char *target = target_of(pc);
    bool terminal = isatty(STDOUT_FILENO);

    if (set->diff || ((target || (terminal && pc->code.n)) && !set->quiet))
        print_diff(diff);
    else if (!target)
        model_call_print_code(text);
    if (diff.n == 0 && pc->code.n && agent->step)
        model_call_say(&pc->call, "the model changed nothing");
    else if (terminal && !target && pc->code.n && diff.n)
        model_call_say(&pc->call, "nothing was written; --in-place or --save FILE does that");
    if (target && (diff.n || set->save)) {
        AUTO_FREE char *line = xasprintf("%s is written", target);
        model_call_say(&pc->call, line);
    }
}

/* Judged where the candidate could reach its judge. */
static void say_doubt(struct program_call *pc, const struct agent *agent)
{
    const json_t *step = json_array_get(agent->steps, json_array_size(agent->steps) - 1);
    const char *doubt = json_get_text(json_object_get(step, "result"), "doubt");

    if (doubt) {
        AUTO_FREE char *line = xasprintf("the cases passed, but: %s", doubt);
        model_call_say(&pc->call, line);
    }
}

static void finish_document(const struct program_call *pc, const struct samples *samples,
                            bool saved, struct str diff, json_t *document)
{
    const char *target = saved ? target_of(pc) : NULL;

    json_object_set_new(document, "diff", json_text(diff));
    json_object_set_new(document, "saved", target ? json_text(str_from(target)) : json_null());
    samples_add_json(samples, document);
}

int program_call_report(struct program_call *pc, const struct samples *samples, json_t *document,
                        struct err *err)
{
    const struct agent *agent = samples_best(samples);
    bool good = agent->end == AGENT_DONE;
    AUTO_BUF struct buf text = {0}, diff = {0};

    make_text(pc, buf_str(&agent->code), &text);
    make_diff(pc, buf_str(&text), &diff);
    int status = good ? save(pc, buf_str(&text), err) : model_call_status(agent, err);
    finish_document(pc, samples, good && status == 0, buf_str(&diff), document);
    if (pc->call.set->json) {
        print_document(document);
    } else {
        if (good && status < 0)
            model_call_print_code(buf_str(&text)); /* it was paid for */
        else if (good)
            print_success(pc, agent, buf_str(&text), buf_str(&diff));
        else if (status > 0)
            model_call_failure(&pc->call, agent, samples->n > 1);
        if (good)
            say_doubt(pc, agent);
        model_call_usage(&pc->call);
    }
    json_decref(document);
    return status;
}
