/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of the tools, with their arguments and results.
 */
#include <stddef.h>

#include "mcp/tools.h"

#define AT(member)  offsetof(struct tool_arguments, member)
#define RUN(member) offsetof(struct tool_arguments, run.member)

/* ---- arguments ---- */

#define SESSION_ROW(must, text)                                                                    \
    {                                                                                              \
        .name = "session_id", .kind = FIELD_WORD, .code = CODE_NONE, .offset = AT(session_id),     \
        .required = (must), .help = (text)                                                         \
    }
#define IN_SESSION SESSION_ROW(true, "The session, as create_session or fork_session named it.")
#define MAYBE_SESSION                                                                              \
    SESSION_ROW(false, "The session to run in, as create_session named it. Without it, a fresh "   \
                       "sandbox is used once.")
#define CODE_ROW(text)                                                                             \
    {                                                                                              \
        .name = "code", .kind = FIELD_TEXT, .code = CODE_READ, .offset = RUN(code),                \
        .required = true, .help = (text)                                                           \
    }
#define LANGUAGE_ROW(text)                                                                         \
    {                                                                                              \
        .name = "language", .kind = FIELD_WORD, .code = CODE_NONE, .offset = RUN(language),        \
        .help = (text)                                                                             \
    }
#define TIMEOUT_ROW(text)                                                                          \
    {                                                                                              \
        .name = "timeout", .kind = FIELD_NUMBER, .offset = AT(timeout), .help = (text)             \
    }
#define FILES_ROW                                                                                  \
    {                                                                                              \
        .name = "files", .kind = FIELD_FILES, .code = CODE_READ, .offset = RUN(files),             \
        .items = file_fields,                                                                      \
        .help = "Files for the current folder: a list of files, or an object of texts by name."    \
    }
#define STDIN_ROW                                                                                  \
    {                                                                                              \
        .name = "stdin", .kind = FIELD_TEXT, .code = CODE_NONE, .offset = RUN(input),              \
        .help = "The standard input."                                                              \
    }
#define PATH_ROW                                                                                   \
    {                                                                                              \
        .name = "path", .kind = FIELD_WORD, .code = CODE_NONE, .offset = AT(path),                 \
        .required = true, .help = "Path in the session's folder, such as data/a.csv."              \
    }

#define SECONDS "Seconds that it may take; the sandbox's own limit may be lower."

static const char *const encodings[] = {"utf-8", "base64", NULL};

static const struct field execute_rows[] = {
    CODE_ROW("The whole program, or the session's next cell. Print the results."),
    LANGUAGE_ROW("python, javascript, bash, sh, r, or one that the server's owner added: the "
                 "program's language. If absent, it is the session's, or guessed from the text."),
    MAYBE_SESSION,
    TIMEOUT_ROW(SECONDS),
    FILES_ROW,
    STDIN_ROW,
    {0},
};
static const struct field command_rows[] = {
    {.name = "command",
     .kind = FIELD_TEXT,
     .code = CODE_READ,
     .offset = AT(command),
     .required = true,
     .help = "A command line for bash."},
    MAYBE_SESSION,
    TIMEOUT_ROW(SECONDS),
    FILES_ROW,
    {0},
};
static const struct field write_rows[] = {
    IN_SESSION,
    PATH_ROW,
    {.name = "content",
     .kind = FIELD_TEXT,
     .code = CODE_READ,
     .offset = AT(content),
     .required = true,
     .help = "The whole content."},
    {.name = "encoding",
     .kind = FIELD_CHOICE,
     .offset = AT(encoding),
     .choices = encodings,
     .initial = "utf-8",
     .help = "base64 for a file that is not text."},
    {0},
};
static const struct field read_rows[] = {
    IN_SESSION,
    PATH_ROW,
    {.name = "offset",
     .kind = FIELD_BYTES,
     .offset = AT(offset),
     .initial = "0",
     .help = "Byte to begin at."},
    {.name = "limit",
     .kind = FIELD_BYTES,
     .offset = AT(limit),
     .initial = "65536",
     .help = "Bytes to read at most; up to 1048576."},
    {0},
};
static const struct field check_rows[] = {
    CODE_ROW("The program."),
    LANGUAGE_ROW("The program's language; guessed from the text if absent."),
    {0},
};
static const struct field test_rows[] = {
    CODE_ROW("The program with the function to test, or a program that reads standard input."),
    LANGUAGE_ROW("The program's language; guessed from the text if absent."),
    {.name = "cases",
     .kind = FIELD_CASES,
     .code = CODE_READ,
     .offset = AT(cases),
     .help = "The cases: {\"args\": [1, 2], \"expected\": 3} for a call of the function, "
             "{\"call\": \"add(1, 2)\", \"expected\": 3} for an expression, {\"stdin\": \"1 2\", "
             "\"expected_stdout\": \"3\"} for a program. The program never sees the expected "
             "values."},
    {.name = "func",
     .kind = FIELD_WORD,
     .code = CODE_READ,
     .offset = AT(func),
     .help = "The function that cases with args call; if absent, the only one in the code."},
    {.name = "setup",
     .kind = FIELD_TEXT,
     .code = CODE_UNJUDGED,
     .offset = AT(setup),
     .help = "Python code that runs before the program, with the same names."},
    TIMEOUT_ROW("Seconds that each case may take; the sandbox's own limit may be lower."),
    FILES_ROW,
    {0},
};
static const struct field create_rows[] = {
    LANGUAGE_ROW("python, javascript, bash or r; if absent: python."),
    FILES_ROW,
    {0},
};
static const struct field session_rows[] = {IN_SESSION, {0}};

#define TABLES(rows)                                                                               \
    (const struct field *const[])                                                                  \
    {                                                                                              \
        rows, NULL                                                                                 \
    }

/* ---- results ---- */

static const struct tool_output file_outputs[] = {
    {"path", "string", "Path in the current folder.", false, NULL},
    {"size", "integer", "Bytes.", false, NULL},
    {"mime_type", "string", "Kind of its content.", false, NULL},
    {"uri", "string", "The resource with its content; null if it was not kept.", true, NULL},
    {0},
};
static const struct tool_output run_outputs[] = {
    {"session_id", "string", "The session; null after a run in a sandbox of its own.", true, NULL},
    {"run_id", "string", "Name of this run in the log.", true, NULL},
    {"language", "string", "The language that it ran in.", true, NULL},
    {"success", "boolean", "It ran to its end without an error.", false, NULL},
    {"exit_code", "integer",
     "Exit status; 124 after a timeout, 137 out of memory, -1 if nothing ran.", false, NULL},
    {"error_type", "string",
     "Cause of a failure: guest (the program), refused (before it ran), limit, or ours.", true,
     NULL},
    {"error", "string", "Why it failed.", true, NULL},
    {"advice", "array", "What to do about the failure, the most useful first.", false, NULL},
    {"stdout", "string", "Standard output; the middle of a long one is left out.", false, NULL},
    {"stderr", "string", "Standard error; the middle of a long one is left out.", false, NULL},
    {"stdout_uri", "string", "The resource with the longer output, if some was left out.", true,
     NULL},
    {"stderr_uri", "string", "The same of standard error.", true, NULL},
    {"value", NULL, "The value of the last expression of a session's cell; null for none.", true,
     NULL},
    {"files", "array", "New and changed files.", false, file_outputs},
    {"files_left_out", "integer", "Number of files beyond the ones listed.", false, NULL},
    {"timed_out", "boolean", "The time ran out.", false, NULL},
    {"out_of_memory", "boolean", "The memory ran out.", false, NULL},
    {"session_ended", "boolean", "The session is over; create another one.", false, NULL},
    {"duration_ms", "integer", "Elapsed time.", false, NULL},
    {0},
};
static const struct tool_output write_outputs[] = {
    {"session_id", "string", "The session.", false, NULL},
    {"path", "string", "The file.", false, NULL},
    {"size", "integer", "Bytes.", false, NULL},
    {"uri", "string", "The resource with its content.", false, NULL},
    {0},
};
static const struct tool_output read_outputs[] = {
    {"session_id", "string", "The session.", false, NULL},
    {"path", "string", "The file.", false, NULL},
    {"size", "integer", "Bytes of the whole file.", false, NULL},
    {"mime_type", "string", "Kind of its content.", false, NULL},
    {"offset", "integer", "Byte where the content begins.", false, NULL},
    {"encoding", "string", "utf-8 or base64.", false, NULL},
    {"content", "string", "The content.", false, NULL},
    {"next_offset", "integer", "Offset of the rest; null at the end.", true, NULL},
    {"uri", "string", "The resource with all of it.", false, NULL},
    {0},
};
static const struct tool_output list_outputs[] = {
    {"session_id", "string", "The session.", false, NULL},
    {"files", "array", "The files.", false, file_outputs},
    {"files_left_out", "integer", "Number of files beyond the ones listed.", false, NULL},
    {0},
};
static const struct tool_output finding_outputs[] = {
    {"rule", "string", "Name of the rule.", false, NULL},
    {"severity", "string", "info, low, medium, high or critical.", false, NULL},
    {"refuses", "boolean", "It is a reason for not running the program.", false, NULL},
    {"message", "string", "What was found.", false, NULL},
    {"hint", "string", "What to do.", true, NULL},
    {"line", "integer", "Line, from 1.", true, NULL},
    {"column", "integer", "Column, from 1.", true, NULL},
    {0},
};
static const struct tool_output check_outputs[] = {
    {"allowed", "boolean", "The program would be run.", false, NULL},
    {"language", "string", "The language that it was read as.", true, NULL},
    {"reason", "string", "Why it would not be run.", true, NULL},
    {"risk", "integer", "Points of all findings.", false, NULL},
    {"findings", "array", "What was found.", false, finding_outputs},
    {0},
};
static const struct tool_output case_outputs[] = {
    {"name", "string", "The case.", false, NULL},
    {"passed", "boolean", "It has the expected result.", false, NULL},
    {"call", "string", "The call.", true, NULL},
    {"output", "string", "The result.", true, NULL},
    {"detail", "string", "What is wrong.", true, NULL},
    {"hint", "string", "What may help.", true, NULL},
    {0},
};
static const struct tool_output test_outputs[] = {
    {"all_passed", "boolean", "Every case passed.", false, NULL},
    {"total", "integer", "Number of cases.", false, NULL},
    {"passed", "integer", "Number of cases that passed.", false, NULL},
    {"errors", "integer", "Number of cases that could not be judged.", false, NULL},
    {"error", "string", "Why the program could not be tested.", true, NULL},
    {"advice", "string", "What to do about the failures.", false, NULL},
    {"cases", "array", "The first 200 cases.", false, case_outputs},
    {0},
};
static const struct tool_output session_outputs[] = {
    {"session_id", "string", "Name of the session for the other tools.", false, NULL},
    {"language", "string", "The language of its cells.", false, NULL},
    {"parent", "string", "The session that it is a copy of.", true, NULL},
    {"idle_seconds", "integer", "It is closed after this time without use.", false, NULL},
    {0},
};
static const struct tool_output close_outputs[] = {
    {"session_id", "string", "The session.", false, NULL},
    {"closed", "boolean", "It is closed.", false, NULL},
    {0},
};

/* ---- the tools ---- */

const struct mcp_tool mcp_tools[] = {
    {.name = "execute_code",
     .title = "Run a program",
     .about = "Runs a program in a sandbox and returns its output, its figures and the files that "
              "it wrote. Without session_id each call has a fresh sandbox, and nothing lasts. With "
              "session_id, variables, imports and files last from call to call.",
     .fields = TABLES(execute_rows),
     .output = run_outputs,
     .work = tool_execute_code,
     .session = TOOL_MAY_HAVE_SESSION,
     .runs = true},
    {.name = "run_command",
     .title = "Run a shell command",
     .about =
         "Runs a command line with bash in a sandbox and returns its output. With session_id, "
         "it runs in that session's folder, beside its files. Without, in a fresh sandbox, and "
         "nothing lasts.",
     .fields = TABLES(command_rows),
     .output = run_outputs,
     .work = tool_run_command,
     .session = TOOL_MAY_HAVE_SESSION,
     .runs = true},
    {.name = "write_file",
     .title = "Write a file",
     .about = "Writes a file into a session's folder; missing folders are made, and an old file of "
              "that name is replaced.",
     .fields = TABLES(write_rows),
     .output = write_outputs,
     .work = tool_write_file,
     .session = TOOL_IN_SESSION,
     .hints = TOOL_DESTROYS | TOOL_REPEATS},
    {.name = "read_file",
     .title = "Read a file",
     .about = "Reads a file of a session's folder. A picture is also returned as an image.",
     .fields = TABLES(read_rows),
     .output = read_outputs,
     .work = tool_read_file,
     .session = TOOL_IN_SESSION,
     .hints = TOOL_READS | TOOL_REPEATS},
    {.name = "list_files",
     .title = "List files",
     .about = "Lists the files of a session's folder.",
     .fields = TABLES(session_rows),
     .output = list_outputs,
     .work = tool_list_files,
     .session = TOOL_IN_SESSION,
     .hints = TOOL_READS | TOOL_REPEATS},
    {.name = "check_code",
     .title = "Check a program",
     .about = "Reads a program without running it: syntax errors with line and column, doubtful "
              "calls and imports, and whether execute_code would run it.",
     .fields = TABLES(check_rows),
     .output = check_outputs,
     .work = tool_check_code,
     .hints = TOOL_READS | TOOL_REPEATS},
    {.name = "test_code",
     .title = "Test a program",
     .about =
         "Runs a program against cases with expected results, each in the sandbox, and returns "
         "which passed, with advice. Without cases, the program only has to succeed.",
     .fields = TABLES(test_rows),
     .output = test_outputs,
     .work = tool_test_code,
     .runs = true},
    {.name = "create_session",
     .title = "Open a session",
     .about = "Opens a session: a sandbox in which variables, imports and files last from call to "
              "call. Close it when it is not needed any more.",
     .fields = TABLES(create_rows),
     .output = session_outputs,
     .work = tool_create_session,
     .opens = true},
    {.name = "fork_session",
     .title = "Copy a session",
     .about = "Copies a Python session with its variables and files. The copy and the original "
              "share nothing, so one can try something and be thrown away.",
     .fields = TABLES(session_rows),
     .output = session_outputs,
     .work = tool_fork_session,
     .session = TOOL_IN_SESSION,
     .opens = true},
    {.name = "close_session",
     .title = "Close a session",
     .about = "Closes a session; its variables and files are lost.",
     .fields = TABLES(session_rows),
     .output = close_outputs,
     .session = TOOL_IN_SESSION,
     .hints = TOOL_DESTROYS,
     .closes = true},
    {0},
};
