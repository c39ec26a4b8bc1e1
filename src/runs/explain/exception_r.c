/* SPDX-License-Identifier: Apache-2.0
 *
 * R's last messages: "Error in CALL : MESSAGE" or "Error: MESSAGE", then perhaps "Calls:" and the
 * warnings, then "Execution halted". They contain no line number: we guess the line from the call,
 * or from the text that could not be parsed, if the program contains it exactly once.
 */
#include <string.h>

#include "explain/exception_parts.h"

static bool is_behind(struct str line)
{
    return str_starts(line, "Calls: ") || str_starts(line, "In addition: ") ||
           str_starts(line, "Execution halted") || str_starts(line, "Backtrace:") ||
           str_starts(line, "Warning message");
}

/* Finds the part of the text from the last "Error" up to the text after it. */
static struct str find_error(struct str text, struct str *ret_all)
{
    struct str rest = text, line, found = {NULL, 0};
    bool open = false;

    while (str_next_line(&rest, &line)) {
        if (str_starts(line, "Error in ") || str_starts(line, "Error: ")) {
            found = line;
            *ret_all = str_slice(text, (size_t)(line.p - text.p), text.n);
            open = true;
        } else if (is_behind(line)) {
            open = false;
        } else if (open) {
            found.n = (size_t)(line.p + line.n - found.p);
        }
    }
    return found;
}

/* Cuts off the call, of which R may print only the first line. */
static struct str split_call(struct str *error)
{
    struct str call = {"", 0};

    if (str_starts(*error, "Error: ")) {
        *error = str_slice(*error, strlen("Error: "), error->n);
        return call;
    }
    struct str body = str_slice(*error, strlen("Error in "), error->n);
    long at = str_find(body, STR(" : "));
    if (at < 0)
        at = str_find(body, STR(" :\n"));
    call = str_slice(body, 0, at < 0 ? 0 : (size_t)at);
    *error = at < 0 ? body : str_slice(body, (size_t)at + 3, body.n);
    return call;
}

/* For a syntax error, R prints the code up to the error: `unexpected '{' in "if (x {"`, or, after
 * "in:", on separate lines. */
static struct str shown_context(struct str message)
{
    struct str rest = message, line, last = STR("");

    if (!str_starts(message, "unexpected "))
        return last;
    while (str_next_line(&rest, &line))
        last = line;
    long in = last.p == message.p ? str_find(last, STR(" in \"")) : -1;
    if (in >= 0)
        last = str_slice(last, (size_t)in + 5, last.n);
    else if (last.p == message.p)
        return STR("");
    if (str_starts(last, "\""))
        last = str_slice(last, 1, last.n);
    return str_trim(str_ends(last, "\"") ? str_slice(last, 0, last.n - 1) : last);
}

bool exception_read_r(struct reading *ret)
{
    struct str error = find_error(ret->in->text, &ret->traceback);

    if (!error.p)
        return false;
    struct str call = split_call(&error), context = shown_context(str_trim(error));
    bool syntax = str_starts(error, "unexpected ");
    int64_t line = reading_line_with(ret->in, syntax ? context : call);

    ret->error.type = syntax ? STR("SyntaxError") : STR("Error");
    ret->error.message = error;
    if (line) {
        const char *program = ret->in->program;
        reading_push(&ret->error, (struct reading_frame){str_from(program), STR(""), line});
    }
    return true;
}
