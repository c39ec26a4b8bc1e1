/* SPDX-License-Identifier: Apache-2.0
 *
 * The traits of the built-in languages.
 */
#include "languages/language_rows.h"
#include "languages/prompt.h"
#include "python/python.h"

const struct language_traits no_traits = {
    .exits = WORDS("exit", "quit"),
    .continues = prompt_continues_other,
};

const struct language_traits python_traits = {
    .errors = ERRORS_PYTHON,
    .cells_trace = true,
    .has_calls = true,
    .has_final_answer = true,
    .long_strings = true,
    .is_notebook = true,
    .has_versions = true,
    .whole_replies = true,
    .has_data = true,
    .first = FIRST_BY_RUNNER,
    .judge_args = WORDS("-I", "-S", "-c", "{boot}", "{runner}", "--judge", "{file}"),
    .command_cell = "__import__('subprocess').run(['bash', '-c', %s], stdin=-3).returncode",
    .exits = WORDS("exit", "quit"),
    .continues = prompt_continues_python,
    .is_variable = python_is_variable,
};

/* A program with a line that begins with `import` or `export` is a module. */
static const char *javascript_extension(struct str code)
{
    struct str line;

    while (str_next_line(&code, &line)) {
        line = str_trim(line);
        if (str_starts(line, "import ") || str_starts(line, "export ") ||
            str_starts(line, "import{"))
            return ".mjs";
    }
    return NULL;
}

const struct language_traits javascript_traits = {
    .errors = ERRORS_NODE,
    .crash_in_words = true,
    .first = FIRST_BY_FILE,
    .command_cell =
        "((r) => r.status ?? 128)(require('child_process').spawnSync('bash', ['-c', %s],"
        " {stdio: ['ignore', 'inherit', 'inherit']}))",
    .exits = WORDS("exit", "quit", ".exit"),
    .continues = prompt_continues_javascript,
    .extension_for = javascript_extension,
};

const struct language_traits r_traits = {
    .errors = ERRORS_R,
    .errors_of_others = true,
    .crash_in_words = true,
    .command_cell = "system2('bash', c('-c', shQuote(%s)), stdin = '/dev/null')",
    .exits = WORDS("exit", "quit"),
    .continues = prompt_continues_r,
};

/* `exit` is a command in a shell. */
const struct language_traits shell_traits = {
    .errors = ERRORS_SHELL,
    .errors_of_others = true,
    .calls_python = true,
    .exits = WORDS(NULL),
    .continues = prompt_continues_shell,
};

const struct language_traits go_traits = {
    .exits = WORDS("exit", "quit"),
    .continues = prompt_continues_other,
    .complete = go_complete,
};

const struct language_traits java_traits = {
    .exits = WORDS("exit", "quit"),
    .continues = prompt_continues_other,
    .names = java_names,
};

const struct language_traits kotlin_traits = {
    .exits = WORDS("exit", "quit"),
    .continues = prompt_continues_other,
    .names = kotlin_names,
};

/* What runs is JavaScript. */
const struct language_traits typescript_traits = {
    .errors = ERRORS_NODE,
    .crash_in_words = true,
    .exits = WORDS("exit", "quit", ".exit"),
    .continues = prompt_continues_javascript,
};
