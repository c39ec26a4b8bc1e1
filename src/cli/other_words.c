/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/other_words.h"

#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

/* ---- commands ---- */

static const char *const command_words[][2] = {
    {"-c", "'glovebox run -c CODE' runs a text"},
    {"config",
     "'glovebox run --print-config' shows the settings, 'glovebox help config' how to set "
     "them"},
    {"daemon",
     "'glovebox serve' is the daemon; --background starts it, --status shows it, --stop ends it"},
    {"eval", "'glovebox run -c CODE' runs a text, 'glovebox math EXPR' calculates"},
    {"exec", "'glovebox run FILE' runs a program, 'glovebox session exec ID' a cell of a session"},
    {"install", "programs use the packages of the interpreter in $PATH: install them there"},
    {"js", "'glovebox run FILE.js' runs a program, 'glovebox repl --lang js' is a prompt"},
    {"kill", "'glovebox session interrupt ID' stops a cell, 'glovebox session close ID' a session"},
    {"lint", "'glovebox check FILE' reads a program and runs nothing"},
    {"node", "'glovebox run FILE.js' runs a program, 'glovebox repl --lang js' is a prompt"},
    {"pip", "programs use the packages of the Python in $PATH: install them there"},
    {"ps", "'glovebox session list' has the daemon's sessions, 'glovebox log list' the runs"},
    {"python", "'glovebox run FILE.py' runs a program, 'glovebox repl' is a prompt"},
    {"python3", "'glovebox run FILE.py' runs a program, 'glovebox repl' is a prompt"},
    {"shell", "'glovebox repl --lang bash' is a shell in a sandbox"},
    {"bash", "'glovebox run FILE.sh' runs a script, 'glovebox repl --lang bash' is a prompt"},
    {"restart", "'glovebox serve --stop' ends the daemon, 'glovebox serve --background' starts it"},
    {"start", "'glovebox serve --background' starts the daemon"},
    {"status", "'glovebox serve --status' shows the daemon, 'glovebox session list' its sessions, "
               "'glovebox doctor' this machine's layers"},
    {"stop", "'glovebox serve --stop' ends the daemon, 'glovebox session close ID' a session"},
};

char *other_command_advice(const char *word)
{
    struct stat st;

    for (size_t i = 0; i < ARRAY_LEN(command_words); i++)
        if (strcmp(word, command_words[i][0]) == 0)
            return xstrdup(command_words[i][1]);
    if (word[0] == '-')
        return xstrdup("options come after a command, as in 'glovebox run FILE'");
    if (stat(word, &st) == 0 && S_ISREG(st.st_mode))
        return xasprintf("did you mean 'glovebox run %s'?", word);
    return NULL;
}

/* ---- options ---- */

static const struct opt_other other_options[] = {
    {"bind", "--ro SRC[:DST] shows a folder inside, --file puts a file in"},
    {"cwd", "did you mean --work-dir?"},
    {"eval", "did you mean --code?"},
    {"image", "there are no images: programs use this machine's interpreters"},
    {"language", "did you mean --lang?"},
    {"mem", "did you mean --memory?"},
    {"mount", "--ro SRC[:DST] shows a folder inside, --file puts a file in"},
    {"network", "--net host opens the network; without it there is none"},
    {"no-network", "there is no network unless you give --net host"},
    {"packages", "programs use the packages of the interpreter in $PATH: install them there"},
    {"python", "programs use the first python3 in $PATH, as of a virtual environment"},
    {"requirements", "programs use the packages of the interpreter in $PATH: install them there"},
    {"rm", "nothing of a run stays, so it is not needed"},
    {"user", "programs have a user of their own inside"},
    {"verbose", "--json has all of a result, --trace-time the time of each phase"},
    {"volume", "--ro SRC[:DST] shows a folder inside, --file puts a file in"},
    {"v", "--ro SRC[:DST] shows a folder inside, --file puts a file in"},
    {"workdir", "did you mean --work-dir?"},
    {NULL, NULL},
};

const struct opt_other *other_options_of(const char *command)
{
    static const char *const runs[] = {"run", "repl", "session", "test"};

    for (size_t i = 0; i < ARRAY_LEN(runs); i++)
        if (strcmp(command, runs[i]) == 0)
            return other_options;
    return NULL;
}

/* ---- languages ---- */

static const char *const language_ends[][2] = {
    {".c", "C"},           {".cc", "C++"},         {".cpp", "C++"},        {".cs", "C#"},
    {".go", "Go"},         {".html", "HTML"},      {".htm", "HTML"},       {".ipynb", "a notebook"},
    {".java", "Java"},     {".jl", "Julia"},       {".kt", "Kotlin"},      {".lua", "Lua"},
    {".php", "PHP"},       {".pl", "Perl"},        {".ps1", "PowerShell"}, {".rb", "Ruby"},
    {".rs", "Rust"},       {".scala", "Scala"},    {".sql", "SQL"},        {".swift", "Swift"},
    {".ts", "TypeScript"}, {".tsx", "TypeScript"},
};

const char *other_language(const char *file)
{
    for (size_t i = 0; i < ARRAY_LEN(language_ends); i++)
        if (str_ends(str_from(file), language_ends[i][0]))
            return language_ends[i][1];
    return NULL;
}
