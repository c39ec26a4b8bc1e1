/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of the tools, with their arguments and results.
 */
#include <stddef.h>

#include "mcp/tools.h"

#define AT(member)  offsetof(struct tool_arguments, member)
#define RUN(member) offsetof(struct tool_arguments, ask.member)

/* ---- arguments ---- */

#define SESSION_ROW(must, text)                                                                    \
    {                                                                                              \
        .field = "session_id", .opt = {.kind = OPT_STRING, .offset = AT(session_id)},              \
        .code = CODE_NONE, .required = (must) ? V_ANY : 0, .meaning = (text)                       \
    }
#define IN_SESSION SESSION_ROW(true, "The session")
#define MAYBE_SESSION                                                                              \
    SESSION_ROW(false, "The session to run in. Without it, a fresh sandbox is used once")
#define CODE_ROW(text)                                                                             \
    {                                                                                              \
        .field = "code", .shape = SHAPE_TEXT, .json_at = RUN(code_text), .code = CODE_READ,        \
        .required = V_ANY, .meaning = (text)                                                       \
    }
#define LANGUAGE_ROW(text)                                                                         \
    {                                                                                              \
        .field = "language", .opt = {.kind = OPT_STRING, .offset = AT(language)},                  \
        .code = CODE_NONE, .meaning = (text)                                                       \
    }
#define TIMEOUT_ROW(text)                                                                          \
    {                                                                                              \
        .field = "timeout", .opt = {.kind = OPT_MILLI, .offset = AT(timeout)}, .meaning = (text)   \
    }
#define FILES_ROW                                                                                  \
    {                                                                                              \
        .field = "files", .shape = SHAPE_FILES, .json_at = RUN(files), .code = CODE_READ,          \
        .items = &file_form,                                                                       \
        .meaning = "files for the current folder: {name: content}, or a list of {name, content, "  \
                   "encoding}"                                                                     \
    }
#define STDIN_ROW                                                                                  \
    {                                                                                              \
        .field = "stdin", .shape = SHAPE_TEXT, .json_at = RUN(input_text), .code = CODE_NONE,      \
        .meaning = "the standard input"                                                            \
    }
#define FOLDER_ROW                                                                                 \
    {                                                                                              \
        .field = "working_directory", .opt = {.kind = OPT_STRING, .offset = RUN(cwd)},             \
        .code = CODE_NONE, .meaning = "the folder to run in, such as src"                          \
    }
#define PATH_ROW                                                                                   \
    {                                                                                              \
        .field = "path", .opt = {.kind = OPT_STRING, .offset = AT(path)}, .code = CODE_NONE,       \
        .required = V_ANY, .meaning = "path in the session's folder, such as data/a.csv"           \
    }

#define SECONDS "Seconds that it may take, up to the sandbox's own limit"

static const char *const encodings[] = {"utf-8", "base64", NULL};

static const struct setting execute_rows[] = {
    CODE_ROW("The whole program<create_session:, or the session's next cell>"),
    LANGUAGE_ROW(
        "python, javascript, bash, sh, r, go, or one that the server's owner added: if absent, "
        "<create_session:the session's, or >guessed from the text"),
    MAYBE_SESSION,
    TIMEOUT_ROW(SECONDS),
    FILES_ROW,
    STDIN_ROW,
    FOLDER_ROW,
    {.field = NULL},
};
static const struct setting command_rows[] = {
    {.field = "command",
     .shape = SHAPE_TEXT,
     .json_at = AT(command),
     .code = CODE_READ,
     .required = V_ANY,
     .meaning = "A command line for bash"},
    MAYBE_SESSION,
    TIMEOUT_ROW(SECONDS),
    FILES_ROW,
    FOLDER_ROW,
    {.field = NULL},
};
static const struct setting write_rows[] = {
    IN_SESSION,
    PATH_ROW,
    {.field = "content",
     .shape = SHAPE_TEXT,
     .json_at = AT(content),
     .code = CODE_READ,
     .required = V_ANY,
     .meaning = "the whole content"},
    {.field = "encoding",
     .opt = {.kind = OPT_CHOICE, .offset = AT(encoding), .choices = encodings},
     .unset = "utf-8",
     .meaning = "base64 for a file that is not text"},
    {.field = NULL},
};
static const struct setting read_rows[] = {
    IN_SESSION,
    PATH_ROW,
    {.field = "offset",
     .opt = {.kind = OPT_SIZE, .offset = AT(offset)},
     .unset = "0",
     .meaning = "the first byte to read"},
    {.field = "limit",
     .opt = {.kind = OPT_SIZE, .offset = AT(limit)},
     .unset = "65536",
     .meaning = "maximum number of bytes to read, up to 1048576"},
    {.field = NULL},
};
static const struct setting check_rows[] = {
    CODE_ROW("The program"),
    LANGUAGE_ROW("Guessed from the text if absent"),
    {.field = NULL},
};
static const struct setting test_rows[] = {
    CODE_ROW("The program with the function to test, or a program that reads standard input"),
    LANGUAGE_ROW("Guessed from the text if absent"),
    {.field = "cases",
     .shape = SHAPE_CASES,
     .json_at = RUN(cases_json),
     .code = CODE_READ,
     .meaning =
         "the cases: {\"args\": [1, 2], \"expected\": 3} for a call of the function, "
         "{\"call\": \"add(1, 2)\", \"expected\": 3} for an expression, {\"stdin\": \"1 2\", "
         "\"expected_stdout\": \"3\"} for a program. The program never sees the expected "
         "values"},
    {.field = "func",
     .opt = {.kind = OPT_STRING, .offset = RUN(func)},
     .code = CODE_READ,
     .meaning = "the function that the cases with args call; not needed if the code has only one"},
    {.field = "setup",
     .shape = SHAPE_TEXT,
     .json_at = RUN(setup_text),
     .code = CODE_UNJUDGED,
     .meaning = "python code that runs before the program, with the same names"},
    TIMEOUT_ROW("Seconds that each case may take"),
    FILES_ROW,
    {.field = NULL},
};
static const struct setting create_rows[] = {
    LANGUAGE_ROW("python, javascript, bash or r; if absent: python"),
    FILES_ROW,
    {.field = NULL},
};
static const struct setting session_rows[] = {IN_SESSION, {.field = NULL}};

/* ---- results ---- */

static const struct tool_output run_outputs[] = {
    {"session_id", "string", true},
    {"run_id", "string", true},
#define RESULT_SHOWN(name, type, value, mcp, as, maybe) {mcp, as, maybe},
#include "result/result.def"
    {"error", "string", true},
    {"stdout", "string", false},
    {"stderr", "string", false},
    {"stdout_uri", "string", true},
    {"stderr_uri", "string", true},
    {"files", "array", false},
    {"files_left_out", "integer", false},
    {"session_ended", "boolean", false},
    {0},
};
static const struct tool_output write_outputs[] = {
    {"session_id", "string", false},
    {"path", "string", false},
    {"size", "integer", false},
    {"uri", "string", false},
    {0},
};
static const struct tool_output read_outputs[] = {
    {"session_id", "string", false}, {"path", "string", false},
    {"size", "integer", false},      {"mime_type", "string", false},
    {"offset", "integer", false},    {"encoding", "string", false},
    {"content", "string", false},    {"next_offset", "integer", true},
    {"uri", "string", false},        {0},
};
static const struct tool_output list_outputs[] = {
    {"session_id", "string", false},
    {"files", "array", false},
    {"files_left_out", "integer", false},
    {0},
};
static const struct tool_output check_outputs[] = {
    {"allowed", "boolean", false}, {"language", "string", true}, {"reason", "string", true},
    {"risk", "integer", false},    {"findings", "array", false}, {0},
};
static const struct tool_output test_outputs[] = {
    {"all_passed", "boolean", false}, {"outcome", "string", false}, {"total", "integer", false},
    {"passed", "integer", false},     {"errors", "integer", false}, {"error", "string", true},
    {"advice", "string", false},      {"cases", "array", false},    {0},
};
static const struct tool_output session_outputs[] = {
    {"session_id", "string", false},
    {"language", "string", false},
    {"parent", "string", true},
    {"idle_seconds", "integer", false},
    {0},
};
static const struct tool_output close_outputs[] = {
    {"session_id", "string", false},
    {"closed", "boolean", false},
    {0},
};

/* ---- the tools ---- */

const struct mcp_tool mcp_tools[] = {
    {.name = "execute_code",
     .title = "Run a program",
     .about =
         "Runs a program in a sandbox and returns its output, the value of its last "
         "expression, figures and the files that it wrote. <!create_session:Nothing lasts from "
         "call to call.><create_session:Without session_id, nothing lasts. With it, "
         "variables, imports and files last from call to call.>",
     .form = {.own = execute_rows},
     .output = run_outputs,
     .work = tool_execute_code,
     .session = TOOL_MAY_HAVE_SESSION,
     .runs = true},
    {.name = "run_command",
     .title = "Run a shell command",
     .about = "Runs a command line with bash in <!execute_code:a sandbox><execute_code:the same "
              "kind of sandbox as execute_code>.<create_session: With session_id, it runs in that "
              "session's folder.>",
     .form = {.own = command_rows},
     .output = run_outputs,
     .work = tool_run_command,
     .session = TOOL_MAY_HAVE_SESSION,
     .runs = true},
    {.name = "write_file",
     .title = "Write a file",
     .about = "Writes a file into a session's folder; missing folders are made, and an old file of "
              "that name is replaced.",
     .form = {.own = write_rows},
     .output = write_outputs,
     .work = tool_write_file,
     .session = TOOL_IN_SESSION,
     .hints = TOOL_DESTROYS | TOOL_REPEATS},
    {.name = "read_file",
     .title = "Read a file",
     .about = "Reads a file of a session's folder. A picture is also returned as an image.",
     .form = {.own = read_rows},
     .output = read_outputs,
     .work = tool_read_file,
     .session = TOOL_IN_SESSION,
     .hints = TOOL_READS | TOOL_REPEATS},
    {.name = "list_files",
     .title = "List files",
     .about = "Lists the files of a session's folder.",
     .form = {.own = session_rows},
     .output = list_outputs,
     .work = tool_list_files,
     .session = TOOL_IN_SESSION,
     .hints = TOOL_READS | TOOL_REPEATS},
    {.name = "check_code",
     .title = "Check a program",
     .about = "Reads a program without running it: syntax errors with line and column, doubtful "
              "calls and imports, and whether the sandbox would run it.",
     .form = {.own = check_rows},
     .output = check_outputs,
     .work = tool_check_code,
     .hints = TOOL_READS | TOOL_REPEATS},
    {.name = "test_code",
     .title = "Test a program",
     .about =
         "Runs a program against cases with expected results, each in the sandbox, and returns "
         "which passed, with advice. Without cases, the program only has to succeed.",
     .form = {.own = test_rows},
     .output = test_outputs,
     .work = tool_test_code,
     .runs = true},
    {.name = "create_session",
     .title = "Open a session",
     .about = "Opens a session: a sandbox in which variables, imports and files last from call to "
              "call.<close_session: Close it when it is not needed any more.>",
     .form = {.own = create_rows},
     .output = session_outputs,
     .work = tool_create_session,
     .opens = true},
    {.name = "fork_session",
     .title = "Copy a session",
     .about =
         "Copies a Python session with its variables and files. The copy and the original "
         "share nothing, so you can try something in the copy<close_session: and then close it>.",
     .form = {.own = session_rows},
     .output = session_outputs,
     .work = tool_fork_session,
     .session = TOOL_IN_SESSION,
     .opens = true},
    {.name = "close_session",
     .title = "Close a session",
     .about = "Closes a session; its variables and files are lost.",
     .form = {.own = session_rows},
     .output = close_outputs,
     .session = TOOL_IN_SESSION,
     .hints = TOOL_DESTROYS,
     .closes = true},
    {0},
};
