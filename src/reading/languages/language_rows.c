/* SPDX-License-Identifier: Apache-2.0
 *
 * The built-in languages, one row each.
 */
#include "languages/language_rows.h"

#include "base/mem.h"
#include "languages/guests.h"
#include "languages/prompt.h"
#include "python/python.h"

#define WORDS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

static const struct language_rich python_rich = {
    .begin = guest_rich_begin_py,
    .later =
        WORDS(guest_cells_charts_py, guest_cells_rich_py, guest_cells_hooks_py, guest_rich_run_py),
    .magic = guest_rich_magic,
    .begin_code = guest_rich_begin_code,
    .later_code = guest_rich_later_code,
    .begin_size = &guest_rich_begin_code_size,
    .later_size = &guest_rich_later_code_size,
};

const struct language_traits no_traits = {
    .exits = WORDS("exit", "quit"),
    .continues = prompt_continues_other,
};

static const struct language_traits python_traits = {
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

static const struct language_traits javascript_traits = {
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

static const struct language_traits r_traits = {
    .errors = ERRORS_R,
    .errors_of_others = true,
    .crash_in_words = true,
    .command_cell = "system2('bash', c('-c', shQuote(%s)), stdin = '/dev/null')",
    .exits = WORDS("exit", "quit"),
    .continues = prompt_continues_r,
};

/* `exit` is a command in a shell. */
static const struct language_traits shell_traits = {
    .errors = ERRORS_SHELL,
    .errors_of_others = true,
    .exits = WORDS(NULL),
    .continues = prompt_continues_shell,
};

static const struct language_traits go_traits = {
    .exits = WORDS("exit", "quit"),
    .continues = prompt_continues_other,
    .complete = go_complete,
};

/* -S: the runner does the work of `site` (1 to 5 ms) at the first import from outside the standard
 * library. -s: without the packages in the user's home folder. */
const struct language language_rows[] = {
    {
        .name = "python",
        .traits = &python_traits,
        .aliases = WORDS("py", "python3", "tool_code"),
        .extensions = WORDS(".py", ".pyw"),
        .programs = WORDS("python3", "python"),
        .args = WORDS("-S", "-s", "-c", "{boot}", "{runner}", "{file}"),
        .check_args = WORDS("--version"),
        .runner = guest_python_runner_py,
        .boot = guest_python_boot,
        .zygote = guest_zygote_python_py,
        .cells_args = WORDS("-S", "-s", "-c", "{cells}"),
        .cells_boot = guest_cells_boot_py,
        .cells = WORDS(guest_judge_codec_py, guest_cells_charts_py, guest_cells_rich_py,
                       guest_cells_hooks_py, guest_cells_values_py, guest_cells_frames_py,
                       guest_cells_decode_py, guest_cells_compile_py, guest_cells_tools_py,
                       guest_packages_py, guest_cells_process_py, guest_cells_python_py),
        .cells_magic = guest_cells_magic,
        .cells_code = guest_cells_code,
        .cells_code_size = &guest_cells_code_size,
        .rich = &python_rich,
        .extension = ".py",
        .install = "apt-get install python3",
        .image = "python:3.11-slim",
        .system_files = WORDS("/etc/matplotlibrc", "/etc/python3", "/etc/python3.11",
                              "/etc/python3.12", "/etc/python3.13", "/etc/python3.14"),
    },
    {
        .name = "javascript",
        .traits = &javascript_traits,
        .aliases = WORDS("js", "node", "nodejs", "mjs", "cjs"),
        .extensions = WORDS(".js", ".mjs", ".cjs"),
        .programs = WORDS("node", "nodejs"),
        .args = WORDS("{file}"),
        .check_args = WORDS("--version"),
        .syntax_args = WORDS("--check", "{file}"),
        .cells_args = WORDS("-e", "{cells}"),
        .cells_boot = guest_cells_node_boot_js,
        .cells = WORDS(guest_cells_node_js),
        .early = WORDS("NODE", "UV_", "OPENSSL_", "SSL_", "ICU_", "LC_", "LANG", "LD_", "MALLOC_",
                       "GLIBC_", "TZ", "NO_COLOR", "FORCE_COLOR"),
        .waits_for = WORDS("main.js", "main.mjs"),
        .extension = ".js",
        .install = "apt-get install nodejs",
        .image = "node:22-slim",
    },
    {
        .name = "r",
        .traits = &r_traits,
        .aliases = WORDS("rscript"),
        .extensions = WORDS(".r", ".R"),
        .programs = WORDS("Rscript"),
        .args = WORDS("--vanilla", "{file}"),
        .check_args = WORDS("--version"),
        .syntax_args =
            WORDS("--vanilla", "-e",
                  "invisible(parse(file = commandArgs(TRUE)[1], keep.source = FALSE))", "{file}"),
        .cells_args = WORDS("--vanilla", "-e", "{cells}"),
        .cells_boot = guest_cells_r_boot_R,
        .cells = WORDS(guest_cells_r_R),
        .interrupt_again = true,
        .early = WORDS(""),
        .extension = ".R",
        .install = "apt-get install r-base-core",
        .image = "r-base:4.4.3",
        .system_files = WORDS("/etc/R"),
    },
    {
        .name = "bash",
        .traits = &shell_traits,
        .aliases = WORDS("shell"),
        .extensions = WORDS(".bash", ".sh"),
        .programs = WORDS("bash"),
        .args = WORDS("{file}"),
        .check_args = WORDS("--version"),
        .syntax_args = WORDS("-n", "{file}"),
        .cells_args = WORDS("-c", "{cells}"),
        .cells_boot = guest_cells_shell_boot_sh,
        .cells = WORDS(guest_cells_shell_sh),
        .interrupt_again = true,
        .early = WORDS("BASH", "POSIX", "SHELLOPTS", "ENV", "IFS", "PS", "PWD", "OLDPWD", "SHLVL",
                       "OPT", "_", "UID", "EUID", "PPID", "GROUPS", "RANDOM", "SRANDOM", "SECONDS",
                       "EPOCH", "LINENO", "FUNC", "DIRSTACK", "HIST", "COMP", "LC_", "LANG", "LD_",
                       "MALLOC_", "GLIBC_", "TZ"),
        .extension = ".sh",
        .install = "apt-get install bash",
        .image = "debian:bookworm-slim",
    },
    {
        .name = "sh",
        .traits = &shell_traits,
        .aliases = WORDS("dash", "posix"),
        .extensions = WORDS(".dash"),
        .programs = WORDS("sh"),
        .args = WORDS("{file}"),
        .check_args = WORDS("-c", "echo POSIX shell"),
        .syntax_args = WORDS("-n", "{file}"),
        .extension = ".sh",
        .install = "apt-get install dash",
        .image = "debian:bookworm-slim",
    },
    {
        .name = "go",
        .traits = &go_traits,
        .aliases = WORDS("golang"),
        .extensions = WORDS(".go"),
        .programs = WORDS("go"),
        .args = WORDS("run", "{file}"),
        .check_args = WORDS("version"),
        .extension = ".go",
        .install = "apt-get install golang-go",
        .image = "golang:1.25",
    },
};

const size_t language_row_count = ARRAY_LEN(language_rows);
