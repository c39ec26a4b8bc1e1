/* SPDX-License-Identifier: Apache-2.0
 *
 * Error messages of bash and sh: "FILE: line 3: foo: command not found", "FILE: 3: foo: not found".
 * They are not exceptions; most scripts continue. In a failed script, the last one is the likely
 * reason.
 */
#include <string.h>

#include "base/mem.h"
#include "explain/exception_parts.h"
#include "explain/feedback_advice.h"
#include "languages/language.h"

/* A message of the shell, and our name for that type of error. */
static const struct {
    const char *words, *type;
} types[] = {
    {"command not found", "CommandNotFound"},
    {"yntax error", "SyntaxError"},
    {"unexpected EOF", "SyntaxError"},
    {"unbound variable", "UnboundVariable"},
    {"parameter not set", "UnboundVariable"},
    {"No such file or directory", "FileNotFound"},
    {"can't open", "FileNotFound"},
    {"can't cd to", "FileNotFound"},
    {"Permission denied", "PermissionDenied"},
    {"division by", "ArithmeticError"},
    {"integer expression expected", "ArithmeticError"},
    {"Illegal number", "ArithmeticError"},
    {"readonly variable", "ReadonlyVariable"},
    {"is read only", "ReadonlyVariable"},
    {"Read-only file system", "ReadonlyFile"},
    {": not found", "CommandNotFound"},
};

static struct str exception_shell_type_of(struct str message)
{
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (str_find(message, str_from(types[i].words)) >= 0)
            return str_from(types[i].type);
    return STR("Error");
}

/* Reads "WORK/main.sh: line 3: text". */
static bool read_complaint(struct str line, const char *work, struct reading_error *ret)
{
    if (!str_starts(line, work))
        return false;
    line = str_slice(line, strlen(work), line.n);
    long colon = str_find(line, STR(": "));
    if (colon <= 0)
        return false;
    struct str place = str_slice(line, (size_t)colon + 2, line.n);
    if (str_starts(place, "line "))
        place = str_slice(place, strlen("line "), place.n);
    int64_t number = reading_number(place);
    long end = str_find(place, STR(": "));
    if (number <= 0 || end < 0)
        return false;
    *ret = (struct reading_error){.message = str_slice(place, (size_t)end + 2, place.n)};
    ret->type = exception_shell_type_of(ret->message);
    reading_push(ret, (struct reading_frame){str_slice(line, 0, (size_t)colon), STR(""), number});
    return true;
}

/* True for "FILE: line 3: `fi'", which repeats the line of the previous message. */
static bool is_echo(const struct reading_error *e)
{
    return str_starts(e->message, "`");
}

const char *exception_line_ends(const char *language, struct str code)
{
    struct str rest = code, line;
    size_t lines = 0, with_cr = 0;

    if (language_traits_of(language)->errors != ERRORS_SHELL)
        return NULL;
    while (rest.n && str_next(&rest, '\n', &line)) {
        lines++;
        with_cr += str_ends(line, "\r");
    }
    return with_cr && 2 * with_cr >= lines ? ADVICE_LINE_ENDS : NULL;
}

bool exception_read_shell(struct reading *ret)
{
    struct str rest = ret->in->text, line;
    struct reading_error e;

    while (str_next_line(&rest, &line)) {
        if (!read_complaint(line, ret->in->work, &e) || is_echo(&e))
            continue;
        ret->error = e;
        ret->traceback =
            str_slice(ret->in->text, (size_t)(line.p - ret->in->text.p), ret->in->text.n);
    }
    return ret->error.type.n > 0;
}
