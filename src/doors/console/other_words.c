/* SPDX-License-Identifier: Apache-2.0 */
#include "console/other_words.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "policy/package_words.h"

/* ---- commands ---- */

#define IN_SESSION "'glovebox session exec ID' runs code in a session that stays"
#define PACKAGES   PACKAGE_WAYS "; 'glovebox help packages' has examples"
#define NODES      "'--ro node_modules:/node_modules' shows modules that npm installed outside"
#define PYTHON     "'glovebox run FILE.py' runs a program, 'glovebox repl' is a prompt"
#define SCRIPT     "'glovebox run FILE.js' runs a program, 'glovebox repl --lang js' is a prompt"
#define SHELL      "'glovebox run FILE.sh' runs a script, 'glovebox repl --lang bash' is a prompt"
#define IN_R       "'glovebox run FILE.R' runs a program, 'glovebox repl --lang r' is a prompt"
#define NEW        "'glovebox session new' opens a session; a run needs no preparation"
#define CLOSE      "'glovebox session close ID' closes a session; nothing of a run stays"
#define LISTS      "'glovebox session list' has the daemon's sessions, 'glovebox log list' the runs"
#define STATUS                                                                                     \
    "'glovebox session list' has the daemon's sessions, 'glovebox doctor' this machine's layers"

#define NO_IMAGE "programs use this machine's interpreters; --backend docker has images (--image)"

static const char *const command_words[][2] = {
    {"-c", "'glovebox run -c CODE' runs a text"},
    {"attach", IN_SESSION},
    {"bash", SHELL},
    {"build", NEW},
    {"config",
     "'glovebox run --print-config' shows the settings, 'glovebox help config' how to set "
     "them"},
    {"create", NEW},
    {"daemon",
     "'glovebox serve' is the daemon; --background starts it, --status shows it, --stop ends it"},
    {"delete", CLOSE},
    {"eval", "'glovebox run -c CODE' runs a text, 'glovebox math EXPR' calculates"},
    {"exec", "'glovebox run FILE' runs a program, 'glovebox session exec ID' a cell of a session"},
    {"go", "'glovebox run FILE.go' runs a program"},
    {"images", NO_IMAGE},
    {"info", STATUS},
    {"init", NEW},
    {"install", PACKAGES},
    {"js", SCRIPT},
    {"kill", "'glovebox session interrupt ID' stops a cell, 'glovebox session close ID' a session"},
    {"lint", "'glovebox check FILE' reads a program and runs nothing"},
    {"list", LISTS},
    {"ls", LISTS},
    {"new", NEW},
    {"node", SCRIPT},
    {"npm", NODES},
    {"open", NEW},
    {"pip", PACKAGES},
    {"pip3", PACKAGES},
    {"ps", LISTS},
    {"pull", NO_IMAGE},
    {"r", IN_R},
    {"rm", CLOSE},
    {"rscript", IN_R},
    {"ruby", "'glovebox run FILE.rb' runs a program"},
    {"sh", SHELL},
    {"shell", "'glovebox repl --lang bash' is a shell in a sandbox"},
    {"restart", "'glovebox serve --stop' ends the daemon, 'glovebox serve --background' starts it"},
    {"start", "'glovebox serve --background' starts the daemon"},
    {"status", "'glovebox serve --status' shows the daemon, 'glovebox session list' its sessions, "
               "'glovebox doctor' this machine's layers"},
    {"stop", "'glovebox serve --stop' ends the daemon, 'glovebox session close ID' a session"},
    {"top", LISTS},
};

char *other_command_advice(const char *word)
{
    struct stat st;

    for (size_t i = 0; i < ARRAY_LEN(command_words); i++)
        if (strcasecmp(word, command_words[i][0]) == 0)
            return xstrdup(command_words[i][1]);
    if (str_starts(str_from(word), "python") && strspn(word + 6, "0123456789.") == strlen(word + 6))
        return xstrdup(PYTHON);
    if (word[0] == '-')
        return xstrdup("options come after a command, as in 'glovebox run FILE'");
    if (stat(word, &st) == 0 && S_ISREG(st.st_mode))
        return xasprintf("did you mean 'glovebox run %s'?", word);
    return NULL;
}

/* ---- verbs ---- */

const char *other_verb(const char *command, const char *verb)
{
    static const char *const words[][3] = {
        {"session", "create", "new"},   {"session", "open", "new"},
        {"session", "start", "new"},    {"session", "run", "exec"},
        {"session", "eval", "exec"},    {"session", "ls", "list"},
        {"session", "ps", "list"},      {"session", "rm", "close"},
        {"session", "stop", "close"},   {"session", "kill", "close"},
        {"session", "end", "close"},    {"session", "delete", "close"},
        {"session", "upload", "put"},   {"session", "cp", "put"},
        {"session", "download", "get"}, {"session", "cancel", "interrupt"},
        {"session", "info", "show"},    {"session", "reset", "restart"},
        {"env", "ls", "list"},          {"env", "rm", "remove"},
        {"env", "delete", "remove"},    {"env", "new", "create"},
        {"env", "make", "create"},      {"env", "add", "create"},
        {"env", "info", "show"},        {"env", "clean", "prune"},
        {"env", "lock", "export"},      {"env", "freeze", "export"},
        {"env", "check", "verify"},     {"log", "ls", "list"},
        {"log", "tail", "list"},        {"log", "last", "list"},
        {"log", "rm", "prune"},         {"log", "delete", "prune"},
        {"log", "clean", "prune"},      {"log", "get", "show"},
    };

    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strcmp(words[i][0], command) == 0 && strcmp(words[i][1], verb) == 0)
            return words[i][2];
    return NULL;
}

/* ---- options ---- */

#define SHOWS    "--ro SRC[:DST] shows a folder inside, --file puts a file in"
#define NO_NET   "there is no network unless you give --net host"
#define OPENS    "--net host opens the network; without it there is none"
#define NOT_ROOT "programs have a user of their own inside"

static const struct opt_other other_options[] = {
#define OTHER_OPTION(word, option) {word, "did you mean --" option "?"},
#define OTHER_FIELD(word, field)
#include "request/other_names.def"
    {"allow-net", OPENS},
    {"args", "arguments for the program come after --"},
    {"arg", "arguments for the program come after --"},
    {"bash", "did you mean --lang bash?"},
    {"bind", SHOWS},
    {"cap-add", "no program gets rights; 'glovebox help layers' has what holds"},
    {"cap-drop", "no program has rights; 'glovebox help layers' has what holds"},
    {"cpu", "did you mean --cpus?"},
    {"cpu-limit", "did you mean --cpus, or --cpu-time?"},
    {"d", "a run ends with its program; 'glovebox session new' opens a session that stays"},
    {"debug", "--json has all of a result, --trace-time the time of each phase"},
    {"detach", "a run ends with its program; 'glovebox session new' opens a session that stays"},
    {"dir", "did you mean --work-dir, or --cwd?"},
    {"dns", OPENS},
    {"dry-run", "'glovebox check FILE' reads a program and runs nothing"},
    {"entrypoint", "--lang chooses the interpreter"},
    {"env-file", "--env K=V sets one variable; may be repeated"},
    {"eval", "did you mean --code?"},
    {"format", "did you mean --json?"},
    {"gpus", "there are no graphics processors inside"},
    {"hostname", "programs have a host name of their own inside"},
    {"i", "programs read this command's standard input already"},
    {"input", "did you mean --stdin, for standard input, or --file?"},
    {"internet", OPENS},
    {"interpreter", "--python chooses a Python; other languages use the first program in $PATH"},
    {"js", "did you mean --lang js?"},
    {"limit", "did you mean --timeout, --memory or --disk? 'glovebox help limits' has them all"},
    {"mount", SHOWS},
    {"name", "a run has no name; its id is in --json"},
    {"network", OPENS},
    {"no-net", NO_NET},
    {"no-network", NO_NET},
    {"no-timeout", "did you mean --timeout 0?"},
    {"offline", NO_NET},
    {"output", "did you mean --out?"},
    {"packages", PACKAGES},
    {"platform", NO_IMAGE},
    {"port", "nothing reaches a program from outside"},
    {"privileged", "no program gets rights; 'glovebox help layers' has what holds"},
    {"publish", "nothing reaches a program from outside"},
    {"pull", NO_IMAGE},
    {"read-only", "programs see nothing of the host that they could write"},
    {"requirements", PACKAGES},
    {"rm", "nothing of a run stays, so it is not needed"},
    {"samples", "'glovebox test --suite FILE' tests samples"},
    {"security-opt", "'glovebox help layers' has what holds"},
    {"shell", "did you mean --lang bash?"},
    {"timeout-ms", "did you mean --timeout 500ms?"},
    {"tmpfs", "programs have a /tmp of their own; --disk limits it"},
    {"u", NOT_ROOT},
    {"user", NOT_ROOT},
    {"v", SHOWS},
    {"V", "'glovebox --version' prints it"},
    {"venv", "did you mean --python venv/?"},
    {"verbose", "--json has all of a result, --trace-time the time of each phase"},
    {"version", "'glovebox --version' prints it"},
    {"volume", SHOWS},
    {"workdir", "did you mean --work-dir, or --cwd?"},
    {"workspace", "did you mean --work-dir?"},
    {NULL, NULL},
};

const struct opt_other *other_options_of(const char *command)
{
    static const char *const runs[] = {"run", "repl", "session", "test", NULL};

    return str_one_of(str_from(command), runs) ? other_options : NULL;
}

/* ---- languages ---- */

static const char *const language_ends[][2] = {
    {".dart", "Dart"}, {".ex", "Elixir"},        {".f90", "Fortran"}, {".html", "HTML"},
    {".htm", "HTML"},  {".ipynb", "a notebook"}, {".scala", "Scala"}, {".zig", "Zig"},
};

static const char *const data_ends[] = {".csv", ".tsv", ".json", ".jsonl"};
static const char *const markdown_ends[] = {".md", ".markdown", ".mdx", ".qmd", ".rmd"};

static const char *language_of_end(const char *file)
{
    for (size_t i = 0; i < ARRAY_LEN(language_ends); i++)
        if (str_ends_nocase(str_from(file), language_ends[i][0]))
            return language_ends[i][1];
    return NULL;
}

static bool ends_with_one(const char *file, const char *const *ends, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_ends_nocase(str_from(file), ends[i]))
            return true;
    return false;
}

int other_language_refuse(const char *file, const char *asked, const struct language_table *table,
                          struct err *err)
{
    const char *other = language_of_end(file);
    bool data = ends_with_one(file, data_ends, ARRAY_LEN(data_ends));
    bool markdown = ends_with_one(file, markdown_ends, ARRAY_LEN(markdown_ends));

    if ((!other && !data && !markdown) || (asked && strcmp(asked, "auto") != 0) ||
        language_stated(table, file, (struct str){0}))
        return 0;
    if (markdown)
        return err_set(err, ERR_USAGE,
                       "%s: is Markdown, not a program; 'glovebox blocks %s | glovebox run -' runs "
                       "its code",
                       file, file);
    if (data)
        return err_set(err, ERR_USAGE,
                       "%s: is data, not a program; --file %s gives it to a program", file, file);
    return err_set(err, ERR_USAGE,
                   "%s: %s is not a known language; --lang names another one, and 'glovebox help "
                   "languages' how to add a language",
                   file, other);
}

/* ---- formats ---- */

enum { LOOKED_AT = 4096 };

static const struct {
    const char *begin, *what;
} formats[] = {
    {"\177ELF", "a compiled program"}, {"\x89PNG", "an image"},
    {"\xff\xd8\xff", "an image"},      {"PK\3\4", "a ZIP archive"},
    {"\x1f\x8b", "a compressed file"}, {"%PDF-", "a PDF document"},
    {"SQLite format 3", "a database"},
};

static const char *format_of(struct str bytes)
{
    for (size_t i = 0; i < ARRAY_LEN(formats); i++)
        if (str_starts(bytes, formats[i].begin))
            return formats[i].what;
    return NULL;
}

/* True for bytes with a NUL that are not valid UTF-8; in a text, the guard reports a NUL. The last
 * character may be incomplete. */
static bool is_binary(struct str head)
{
    enum { LONGEST_CHARACTER = 4 };

    return head.n && memchr(head.p, '\0', head.n) &&
           utf8_valid_prefix(head) + LONGEST_CHARACTER <= head.n;
}

int other_format_refuse(const char *file, struct str bytes, struct err *err)
{
    struct str head = str_slice(bytes, 0, bytes.n < LOOKED_AT ? bytes.n : LOOKED_AT);
    const char *format = format_of(head);

    if (str_starts(head, "\xff\xfe") || str_starts(head, "\xfe\xff"))
        return err_set(err, ERR_USAGE, "%s: is text in UTF-16; save it in UTF-8", file);
    if (!format && !is_binary(head))
        return 0;
    return err_set(err, ERR_USAGE, "%s: is not text%s%s; --file %s gives it to a program", file,
                   format ? ", but " : "", format ? format : "", file);
}
