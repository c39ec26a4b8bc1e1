/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox repl`: cells typed one after another.
 */
#include "remote/cmd_repl.h"
#include "console/model_review.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "console/commands.h"
#include "report/report.h"
#include "request/setting.h"
#include "terminal/colours.h"
#include "workspace/workspace.h"

enum { HISTORY_LINES = 20 };

#define AT(member) offsetof(struct session_settings, member)

static const struct opt repl_options[] = {
    {.name = "session",
     .kind = OPT_STRING,
     .offset = AT(session),
     .arg = "ID",
     .values = "sessions",
     .group = "The session",
     .help = "use this session of a daemon; it stays open afterwards"},
    {0},
};

static const struct opt *const tables[] = {repl_options, quiet_option, daemon_options,
                                           general_options, NULL};

static int cmd_repl_check_options(const struct session_call *call, struct err *err)
{
    const struct session_settings *set = call->set;

    return set->session ? cmd_session_check_options(call, V_ATTACH, "repl --session", err)
           : set->cli.daemon
               ? cmd_session_check_options(call, V_OPEN | V_ATTACH, "repl --daemon", err)
               : cmd_session_check_options(call, V_REPL, "repl", err);
}

struct repl {
    struct repl_host host;
    struct repl_reader reader;
    struct cell_show show;
    struct printer printer;
    int cancel_pipe[2];
    bool progress_drawn, quit;
};

/* ---- the progress of a long cell ---- */

static void progress(void *ctx, int64_t elapsed_ms, uint64_t memory)
{
    struct repl *r = ctx;

    if (!isatty(2) || r->host.set->cli.quiet || (elapsed_ms < 0 && !r->progress_drawn))
        return;
    fputs("\r\x1b[K", stderr);
    r->progress_drawn = elapsed_ms >= 0;
    if (r->progress_drawn)
        fprintf(stderr, "%lld s, %llu MiB", (long long)(elapsed_ms / 1000),
                (unsigned long long)(memory >> 20));
    fflush(stderr);
}

/* ---- commands ---- */

static int on_help(struct repl *r, struct str word, struct err *err);

static int on_try(struct repl *r, struct str word, struct err *err)
{
    return repl_host_run(&r->host, word, true, err);
}

static int on_timeout(struct repl *r, struct str word, struct err *err)
{
    return num_duration_ms(word, &r->host.wall_ms, err);
}

static int on_save(struct repl *r, struct str word, struct err *err)
{
    AUTO_FREE char *name = xstrndup(word.p, word.n);

    return repl_host_save(&r->host, name, err);
}

static int on_commit(struct repl *r, struct str word, struct err *err)
{
    AUTO_FREE char *image = xstrndup(word.p, word.n);

    if (repl_host_commit(&r->host, image, err) < 0)
        return -1;
    puts(image);
    return 0;
}

static int on_history(struct repl *r, struct str word, struct err *err)
{
    (void)r;
    (void)word;
    (void)err;
    repl_history_show(HISTORY_LINES);
    return 0;
}

static int on_quit(struct repl *r, struct str word, struct err *err)
{
    (void)word;
    (void)err;
    r->quit = true;
    return 0;
}

static const struct repl_command {
    const char *name, *word, *help;
    int (*run)(struct repl *r, struct str word, struct err *err);
    int (*host)(struct repl_host *host, struct err *err); /* instead of `run` */
} commands_here[] = {
    {"help", NULL, "print this list", .run = on_help},
    {"files", NULL, "list the files of the workspace", .host = repl_host_files},
    {"vars", NULL, "list the variables: name, type, value", .host = repl_host_variables},
    {"reset", NULL, "start a new guest: files stay, variables do not", .host = repl_host_reset},
    {"fork", NULL, "continue in a copy of the session", .host = repl_host_fork},
    {"back", NULL, "end the copy, and return to the original session", .host = repl_host_back},
    {"try", "CODE", "run a cell, and undo everything that it did unless it succeeds",
     .run = on_try},
    {"timeout", "TIME", "set the time limit of later cells: 5s, 2m", .run = on_timeout},
    {"save", "NAME", "copy a file of the workspace into the current folder", .run = on_save},
    {"commit", "IMAGE", "make an image of the session, for --image (with --backend docker)",
     .run = on_commit},
    {"history", NULL, "list the cells that you typed", .run = on_history},
    {"quit", NULL, "end the prompt, as exit() and Ctrl-D do", .run = on_quit},
};

static int on_help(struct repl *r, struct str word, struct err *err)
{
    (void)r;
    (void)word;
    (void)err;
    for (size_t i = 0; i < ARRAY_LEN(commands_here); i++) {
        const struct repl_command *c = &commands_here[i];
        printf(":%-8s %-5s %s\n", c->name, c->word ? c->word : "", c->help);
    }
    puts("Ctrl-C interrupts a cell; a block ends with an empty line.");
    return 0;
}

static int run_command(struct repl *r, struct str line, struct err *err)
{
    size_t n = 1;

    while (n < line.n && line.p[n] != ' ' && line.p[n] != '\n')
        n++;
    struct str name = str_slice(line, 1, n), word = str_trim(str_slice(line, n, line.n));
    for (size_t i = 0; i < ARRAY_LEN(commands_here); i++) {
        const struct repl_command *c = &commands_here[i];
        if (!str_is(name, c->name))
            continue;
        if (!word.n != !c->word)
            return err_set(err, ERR_USAGE, "usage: :%s%s%s", c->name, c->word ? " " : "",
                           c->word ? c->word : "");
        return c->host ? c->host(&r->host, err) : c->run(r, word, err);
    }
    return err_set(err, ERR_USAGE, "there is no command :%.*s; :help lists them",
                   (int)(name.n < 40 ? name.n : 40), name.p);
}

/* ---- the line editor ---- */

static bool is_whole(void *ctx, struct str text)
{
    return !repl_goes_on(((struct repl *)ctx)->host.traits, text);
}

static json_t *complete_command(struct str before, size_t *ret_n)
{
    AUTO_FREE char *typed = xstrndup(before.p, before.n);
    json_t *words = json_array();

    *ret_n = before.n;
    for (size_t i = 0; i < ARRAY_LEN(commands_here); i++) {
        AUTO_FREE char *word = xasprintf(":%s", commands_here[i].name);
        if (str_starts(str_from(word), typed))
            json_array_append_new(words, json_string(word));
    }
    return words;
}

static json_t *cmd_repl_complete(void *ctx, struct str before, size_t *ret_n)
{
    struct repl *r = ctx;

    if (str_starts(before, ":") && !memchr(before.p, ' ', before.n))
        return complete_command(before, ret_n);
    return repl_host_complete(&r->host, before, ret_n);
}

static void open_editor(struct repl *r)
{
    bool colours = terminal_colours(stdout);
    struct line_editor_use use = {.prompt = colours ? "\1\033[1;32m\1>>>\1\033[0m\1 " : ">>> ",
                                  .cancel_fd = r->cancel_pipe[0],
                                  .whole = is_whole,
                                  .complete = cmd_repl_complete,
                                  .ctx = r};

    r->reader.editor = line_editor_open(&use);
    if (r->reader.editor)
        repl_history_load(r->reader.editor);
}

/* ---- the command ---- */

static void run_one(struct repl *r, struct str cell)
{
    struct str line = str_trim(cell);
    struct err err;
    int result;

    if (!line.n)
        return;
    bool tries = str_starts(line, ":try ") || str_starts(line, ":try\n");
    bool command = tries || (line.p[0] == ':' && !memchr(line.p, '\n', line.n));
    if (r->reader.terminal)
        repl_history_add(line);
    if (r->reader.editor)
        line_editor_remember(r->reader.editor, line);
    const char *hint = command ? NULL : repl_foreign_hint(r->host.traits, line);
    if (command)
        result = run_command(r, line, &err);
    else if (hint)
        result = err_set(&err, ERR_USAGE, "%s", hint);
    else if (r->reader.terminal && repl_leaves(r->host.traits, line))
        result = on_quit(r, line, &err);
    else
        result = repl_host_run(&r->host, cell, false, &err);
    progress(r, -1, 0);
    if (result < 0)
        report_complain(err.msg);
    fflush(stdout);
}

static int loop(struct repl *r, struct err *err)
{
    AUTO_BUF struct buf cell = {0};
    enum repl_input input;

    buf_init(&cell, RUN_SOURCE_MAX);
    if (r->reader.terminal && !r->host.set->cli.quiet)
        printf("glovebox %s, %s; :help lists the commands\n", GLOVEBOX_VERSION, r->host.language);
    fflush(stdout);
    for (;;) {
        if (repl_read(&r->reader, &cell, &input, err) < 0)
            return -1;
        if (input == REPL_END)
            return 0;
        if (input == REPL_CELL)
            run_one(r, buf_str(&cell));
        bool reported = cancel_signal() && cancel_signal() != 2; /* not SIGINT */
        cancel_drain(r->cancel_pipe[0]);
        if (r->host.exited)
            return r->host.status;
        if (r->quit || reported || r->printer.failed)
            return 0;
    }
}

static int cmd_repl_begin(struct repl *r, struct session_call *call, struct err *err)
{
    const struct session_settings *set = r->host.set;
    bool there = set->session || set->cli.daemon;

    if (cancel_catch_signals(r->cancel_pipe, err) < 0)
        return -1;
    if (set->cli.common.out &&
        (r->show.out_fd = workspace_open_dir(set->cli.common.out, true, err)) < 0)
        return -1;
    if (there && cmd_session_open_daemon(call, err) < 0)
        return -1;
    printer_init(&r->printer, PRINT_OUTPUT, r->cancel_pipe);
    r->printer.quiet = set->cli.quiet;
    r->host.cancel_fd = r->cancel_pipe[0];
    return repl_host_open(&r->host, there ? call : NULL, err);
}

static int at_prompt(struct repl *r, struct err *err)
{
    repl_reader_init(&r->reader, r->host.traits, r->cancel_pipe[0]);
    open_editor(r);
    int result = loop(r, err);
    repl_reader_done(&r->reader);
    return result;
}

static int run_repl(struct session_call *call, const struct opt_args *args, struct err *err)
{
    struct repl r = {
        .show = {.place = {.settings = &call->set->cli, .printer = &r.printer}, .out_fd = -1}};
    int result = -1;

    if (args->operand_n || args->rest_n)
        return err_set(err, ERR_USAGE,
                       "'glovebox repl' takes no arguments; cells come from "
                       "standard input");
    if (cmd_repl_check_options(call, err) < 0)
        return -1;
    r.host = (struct repl_host){
        .set = call->set, .printer = &r.printer, .show = &r.show, .progress = progress, .ctx = &r};
    int began = cmd_repl_begin(&r, call, err);
    if (cancel_signal()) /* Ctrl-C before there was a prompt */
        result = 128 + cancel_signal();
    else if (began == 0)
        result = at_prompt(&r, err);
    repl_host_close(&r.host);
    printer_done(&r.printer);
    http_client_done(&call->client);
    return result;
}

static int cmd_repl_run(int argc, char **argv)
{
    return cmd_session_main(&command_repl, argc, argv, run_repl);
}

const struct command command_repl = {
    .name = "repl",
    .summary = "type cells at a prompt, and see their values",
    .usage = "glovebox repl [--lang NAME] [OPTION]...\n"
             "glovebox repl --session ID\n"
             "glovebox repl [OPTION]... < CELLS",
    .verbs = V_REPL | V_OPEN | V_ATTACH,
    .tables = tables,
    .run = cmd_repl_run,
};
