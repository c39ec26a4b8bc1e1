/* SPDX-License-Identifier: Apache-2.0
 *
 * The built-in languages, a row each.
 */
#include "languages/language_rows.h"

#include "base/mem.h"
#include "guests/guests.h"

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

/* -S: site's work (1 to 5 ms) is done by the runner when something outside the standard library is
 * first asked for. -s: no user's own packages. */
const struct language language_rows[] = {
    {
        .name = "python",
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
                       guest_cells_hooks_py, guest_cells_values_py, guest_cells_compile_py,
                       guest_cells_tools_py, guest_cells_process_py, guest_cells_python_py),
        .cells_magic = guest_cells_magic,
        .cells_code = guest_cells_code,
        .cells_code_size = &guest_cells_code_size,
        .rich = &python_rich,
        .extension = ".py",
        .install = "apt-get install python3",
    },
    {
        .name = "javascript",
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
    },
    {
        .name = "r",
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
    },
    {
        .name = "bash",
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
    },
    {
        .name = "sh",
        .aliases = WORDS("dash", "posix"),
        .extensions = WORDS(".dash"),
        .programs = WORDS("sh"),
        .args = WORDS("{file}"),
        .check_args = WORDS("-c", "echo POSIX shell"),
        .syntax_args = WORDS("-n", "{file}"),
        .extension = ".sh",
        .install = "apt-get install dash",
    },
};

const size_t language_row_count = ARRAY_LEN(language_rows);
