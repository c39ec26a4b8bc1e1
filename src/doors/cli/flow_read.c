/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the operands of a command that asks a model: they name a program or data, or are a task in
 * words.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/flow_call.h"
#include "console/other_words.h"
#include "console/save_file.h"
#include "text/notebook.h"

enum { TASK_MAX = 1 << 20 };

/* ---- the program ---- */

static int read_stdin(struct flow_call *call, struct err *err)
{
    if (fd_read_all(STDIN_FILENO, &call->code) == 0)
        return 0;
    return errno == EFBIG
               ? err_set(err, ERR_USAGE, "the program is larger than %u MiB", RUN_SOURCE_MAX >> 20)
               : err_sys(err, "read standard input");
}

static int flow_read_file(struct flow_call *call, const struct run_request *run, struct err *err)
{
    if (fd_read_file(call->file, &call->code, err) < 0) {
        err->kind = ERR_USAGE;
        return -1;
    }
    return notebook_is_name(call->file)
               ? err_set(err, ERR_USAGE, "%s: is a notebook; give one program", call->file)
               : other_language_refuse(call->file, run->program.language, run->program.languages,
                                       err);
}

/* Reads the existing program that the first operand names; *args are the operands after it. */
static int read_program(struct flow_call *call, const struct run_request *run,
                        struct opt_args *args, struct err *err)
{
    const struct settings *s = &call->set->common;
    bool named = !s->code && args->operand_n, from_stdin;

    call->file = named ? args->operands[0] : NULL;
    from_stdin = call->file && strcmp(call->file, "-") == 0;
    args->operands += named;
    args->operand_n -= named;
    if (!s->code && !call->file)
        return err_set(
            err, ERR_USAGE,
            "there is no program; name a FILE, or give -c CODE, or - for standard input");
    if (from_stdin && s->cases && strcmp(s->cases, "-") == 0)
        return err_set(err, ERR_USAGE, "standard input (-) can be given only once");
    call->shown = from_stdin ? "<stdin>" : call->file ? call->file : "<string>";
    if (s->in_place && from_stdin)
        return err_set(err, ERR_USAGE, "--in-place needs a file, and - is standard input");
    int status = s->code      ? buf_adds(&call->code, s->code)
                 : from_stdin ? read_stdin(call, err)
                              : flow_read_file(call, run, err);
    if (status < 0)
        return s->code ? err_set(err, ERR_USAGE, "-c: the program is too large") : -1;
    if (s->in_place && save_file_check(call->file, err) < 0)
        return err_wrap(err, "--in-place");
    if (!str_ends(buf_str(&call->code), "\n"))
        (void)buf_addc(&call->code, '\n');
    return flow_check_code(buf_str(&call->code), err) < 0 ? err_wrap(err, "%s", call->shown) : 0;
}

static int refuse_second(const struct opt_args *args, struct err *err)
{
    return args->operand_n
               ? err_set(err, ERR_USAGE,
                         "'%s' is one program too many; arguments for the program come after --",
                         args->operands[0])
               : 0;
}

/* ---- the data ---- */

/* Returns the file's name with '_' for each colon: in SRC:NAME the last colon separates the name.
 */
static char *flow_read_name_of(const char *path)
{
    char *name = xstrdup(str_after_last(path, '/'));

    for (char *p = name; (p = strchr(p, ':'));)
        *p = '_';
    return name;
}

static int check_data(const struct flow_call *call, const char *path, const char *name,
                      struct err *err)
{
    struct stat st;

    if (stat(path, &st) < 0 || access(path, R_OK) < 0) {
        (void)err_sys(err, "read %s", path);
        err->kind = ERR_USAGE;
        return -1;
    }
    if (!S_ISREG(st.st_mode))
        return err_set(err, ERR_USAGE, "%s: is not a regular file", path);
    if (!utf8_valid(str_from(name)))
        return err_set(err, ERR_USAGE, "%s: the name is not UTF-8", path);
    for (size_t i = 0; i < call->name_n; i++)
        if (strcmp(call->names[i], name) == 0)
            return err_set(err, ERR_USAGE, "%s: two data files have the name '%s'", path, name);
    return 0;
}

static int add_data(struct flow_call *call, const char *path, struct err *err)
{
    AUTO_FREE char *name = flow_read_name_of(path);

    if (check_data(call, path, name, err) < 0)
        return -1;
    call->files[call->file_n++] = xasprintf("%s:%s", path, name);
    call->names[call->name_n++] = mem_take(&name);
    return 0;
}

/* All operands are data; the last one is the question unless it comes after "--". */
static int read_data(struct flow_call *call, struct run_request *run, struct opt_args *args,
                     struct err *err)
{
    const struct opt_list *others = &call->set->common.file;
    size_t n = args->operand_n && !args->rest_n ? args->operand_n - 1 : args->operand_n;

    if (n == 0)
        return err_set(err, ERR_USAGE, "there is no data; name the files, and then the question");
    call->files = xcalloc(n + others->n + 1, sizeof *call->files);
    call->names = xcalloc(n + 1, sizeof *call->names);
    for (size_t i = 0; i < n; i++)
        if (add_data(call, args->operands[i], err) < 0)
            return -1;
    for (size_t i = 0; i < others->n; i++)
        call->files[call->file_n++] = xstrdup(others->items[i]);
    run->workspace.files = call->files;
    call->task.names = call->names;
    args->operands += n;
    args->operand_n -= n;
    return args->operand_n && strcmp(args->operands[0], "-") != 0 &&
                   access(args->operands[0], F_OK) == 0
               ? err_set(err, ERR_USAGE, "there is no question after the data; '%s' is a file",
                         args->operands[0])
               : 0;
}

/* ---- words ---- */

static int flow_read_words(const struct opt_args *args, const char *what, struct buf *ret,
                           struct err *err)
{
    const char *only = args->operand_n == 1 && !args->rest_n ? args->operands[0] : NULL;

    buf_init(ret, TASK_MAX);
    if (only && strcmp(only, "-") == 0) {
        if (fd_read_all(STDIN_FILENO, ret) < 0 && !ret->overflow)
            return err_sys(err, "read standard input");
    } else {
        for (size_t i = 0; i < args->operand_n + args->rest_n; i++)
            (void)buf_addf(ret, "%s%s", i ? " " : "",
                           i < args->operand_n ? args->operands[i]
                                               : args->rest[i - args->operand_n]);
    }
    if (ret->overflow)
        return err_set(err, ERR_USAGE, "the text is longer than %d KiB", TASK_MAX >> 10);
    if (str_trim(buf_str(ret)).n == 0)
        return err_set(err, ERR_USAGE, "no %s, or give - for standard input", what);
    return memchr(ret->p, '\0', ret->n) ? err_set(err, ERR_USAGE, "the text has a NUL byte") : 0;
}

/* Reads the remaining operands, or --instruction. */
static int read_task_words(struct flow_call *call, struct opt_args *args, struct err *err)
{
    char *given = call->set->common.instruction;

    if (!given)
        return flow_read_words(args, call->command->words, &call->words, err);
    if (args->operand_n || args->rest_n)
        return err_set(err, ERR_USAGE,
                       "give the instruction once: '%s' is a second one beside --instruction",
                       args->operand_n ? args->operands[0] : args->rest[0]);
    const struct opt_args own = {.operands = &given, .operand_n = 1};
    return flow_read_words(&own, "instruction", &call->words, err);
}

int flow_read(struct flow_call *call, struct run_request *run, struct err *err)
{
    unsigned operands = call->command->operands;
    struct opt_args args = call->options->args;

    buf_init(&call->code, RUN_SOURCE_MAX);
    call->shown = "<generated>";
    if ((operands & OPERAND_PROGRAM && read_program(call, run, &args, err) < 0) ||
        (operands & OPERAND_ARGS && refuse_second(&args, err) < 0) ||
        (operands & OPERAND_DATA && read_data(call, run, &args, err) < 0) ||
        (operands & OPERAND_WORDS && read_task_words(call, &args, err) < 0))
        return -1;
    run->program.file = call->file;
    if (call->code.n)
        run->program.code = buf_str(&call->code);
    if (operands & OPERAND_ARGS)
        run->program.args = args.rest_n ? args.rest : NULL;
    call->options->settings.common.task = call->words.p;
    return 0;
}

static void free_all(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

void flow_read_done(struct flow_call *call)
{
    call->options->settings.common.task = NULL;
    buf_done(&call->code);
    buf_done(&call->words);
    free_all(call->files);
    free_all(call->names);
}
