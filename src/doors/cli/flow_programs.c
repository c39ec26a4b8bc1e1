/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports of commands whose result is a program: the diff, the file, or why there is none.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/flow_call.h"
#include "console/save_file.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "report/check_report.h"
#include "report/print_json.h"
#include "terminal/colours.h"
#include "terminal/safe_text.h"
#include "text/diff.h"

enum { DIFF_MAX = 4 << 20, NO_CODE = 1 };

/* ---- the result ---- */

/* A file's name may have line ends, which would end the header of a diff. */
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

/* Makes the new program's text: with a line end, and with the line ends of Windows if the old text
 * has them. */
static void make_text(const struct flow_call *call, struct str code, struct buf *ret)
{
    bool crlf = has_crlf(buf_str(&call->code)) && !has_crlf(code);
    struct str line;

    buf_init(ret, 2 * code.n + 2);
    while (code.n && str_next(&code, '\n', &line)) {
        (void)buf_add_str(ret, line);
        (void)buf_adds(ret, crlf ? "\r\n" : "\n");
    }
}

static void make_diff(const struct flow_call *call, struct str text, struct buf *ret)
{
    AUTO_FREE char *before = header_name("a", call->shown);
    AUTO_FREE char *after = header_name("b", call->shown);

    buf_init(ret, DIFF_MAX);
    diff_add(&(struct diff_side){before, buf_str(&call->code)}, &(struct diff_side){after, text},
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
    bool colour = terminal_colours(stdout), safe = isatty(STDOUT_FILENO);
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

/* Returns the file of --save or --in-place; NULL for none. */
static const char *flow_programs_target_of(const struct flow_call *call)
{
    return call->set->common.in_place ? call->file : call->set->common.save;
}

static int save(const struct flow_call *call, struct str text, struct err *err)
{
    const char *path = flow_programs_target_of(call);

    return path ? save_file(path, text, err) : 0;
}

static void print_success(struct flow_call *call, const json_t *document, struct str text,
                          struct str diff)
{
    const struct settings *s = &call->set->common;
    const char *target = flow_programs_target_of(call);
    bool terminal = isatty(STDOUT_FILENO);

    if (s->diff || ((target || (terminal && call->code.n)) && !call->set->quiet))
        print_diff(diff);
    else if (!target)
        flow_print_code(text);
    if (diff.n == 0 && call->code.n && json_get_int(document, "attempts"))
        flow_say(call, "the model changed nothing");
    else if (terminal && !target && call->code.n && diff.n)
        flow_say(call, "nothing was written; --in-place or --save FILE does that");
    if (target && (diff.n || s->save)) {
        AUTO_FREE char *line = xasprintf("%s is written", target);
        flow_say(call, line);
    }
}

/* Reports the doubt, if the candidate could have reached its judge. */
static void say_doubt(struct flow_call *call, const json_t *document)
{
    const char *doubt = json_get_text(json_object_get(flow_last_step(document), "result"), "doubt");

    if (doubt) {
        AUTO_FREE char *line = xasprintf("the cases passed, but: %s", doubt);
        flow_say(call, line);
    }
}

static void say_works(struct flow_call *call, const struct flow_output *output)
{
    if (output->end != AGENT_DONE || json_get_int(output->document, "attempts"))
        return;
    AUTO_FREE char *line = xasprintf("%s works as it is; no model was asked", call->shown);
    flow_say(call, line);
}

static void finish_document(const struct flow_call *call, bool saved, struct str diff,
                            json_t *document)
{
    const char *target = saved ? flow_programs_target_of(call) : NULL;

    json_object_set_new(document, "diff", json_text(diff));
    json_object_set_new(document, "saved", target ? json_text(str_from(target)) : json_null());
}

int flow_report_program(struct flow_call *call, const struct flow_output *output, struct err *err)
{
    json_t *document = output->document;
    bool good = output->end == AGENT_DONE;
    AUTO_BUF struct buf text = {0}, diff = {0};

    make_text(call, json_str(json_object_get(document, "code")), &text);
    make_diff(call, buf_str(&text), &diff);
    say_works(call, output);
    int status = good ? save(call, buf_str(&text), err) : flow_status(output, err);
    finish_document(call, good && status == 0, buf_str(&diff), document);
    if (call->set->json) {
        print_document(document);
        return status;
    }
    if (good && status < 0)
        flow_print_code(buf_str(&text)); /* the program was paid for, so it is printed */
    else if (good)
        print_success(call, document, buf_str(&text), buf_str(&diff));
    else if (status > 0)
        flow_report_failure(call, output);
    if (good)
        say_doubt(call, document);
    flow_report_usage(call);
    return status;
}

/* ---- a program that was written without cases ---- */

static void show_findings(const struct flow_call *call, const json_t *document)
{
    const struct finding_style style = {
        .out = stderr, .colour = terminal_colours(stderr), .least = RANK_WARNING, .max = 20};
    const json_t *verdict = json_object_get(document, "verdict");

    if (!call->set->quiet && json_is_object(verdict))
        check_text_findings(&style, call->set->common.save ? call->set->common.save : call->shown,
                            verdict);
}

static int put_code(const struct flow_call *call, struct str code, struct err *err)
{
    const char *path = call->set->common.save;
    int status = path && save_file(path, code, err) < 0 ? err_wrap(err, "--save") : 0;

    if (!call->set->json && (!path || status < 0)) /* the program was paid for, so it is printed */
        flow_print_code(code);
    return status;
}

static int say_no_program(struct flow_call *call, const json_t *document)
{
    const char *why = json_get_text(document, "error");
    AUTO_FREE char *line = xasprintf("no program: %.400s", why ? why : "");

    flow_say(call, line);
    if (!call->set->json)
        flow_report_reply(call, json_str(json_object_get(document, "reply")));
    return NO_CODE;
}

int flow_report_written(struct flow_call *call, const struct flow_output *output, struct err *err)
{
    const json_t *document = output->document;
    struct str code = json_str(json_object_get(document, "code"));

    if (call->task.has_cases)
        return flow_report_program(call, output, err);
    if (call->set->json)
        print_document(document);
    if (flow_status(output, err) < 0 || (code.n && put_code(call, code, err) < 0))
        return -1;
    if (!call->set->json) {
        show_findings(call, document);
        flow_report_usage(call);
    }
    if (str_is(json_str(json_object_get(document, "finish")), "length"))
        flow_say(call, "the reply was cut at its maximum of tokens (--max-tokens)");
    return code.n ? 0 : say_no_program(call, document);
}
