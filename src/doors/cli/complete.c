/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/complete.h"

#include <string.h>

#include "base/mem.h"
#include "console/help.h"

/* ---- the scripts ---- */

static const char *const scripts[][2] = {
    {"bash",
     "# bash completion for glovebox: source <(glovebox help --completion bash)\n"
     "_glovebox() {\n"
     "    local line=${COMP_LINE:0:COMP_POINT} words cur word rest found=()\n"
     "    read -ra words <<< \"$line\"\n"
     "    if [[ $line == *[[:space:]] ]]; then words+=(''); fi\n"
     "    cur=${words[${#words[@]}-1]}\n"
     "    COMPREPLY=()\n"
     "    while IFS=$'\\t' read -r word rest; do\n"
     "        case $word in\n"
     "        :files|:dirs)\n"
     "            compopt -o filenames 2>/dev/null\n"
     "            mapfile -t found < <(compgen \"-${word:1:1}\" -- \"${cur##*=}\")\n"
     "            COMPREPLY+=(\"${found[@]}\");;\n"
     "        *) COMPREPLY+=(\"$word\");;\n"
     "        esac\n"
     "    done < <(\"${words[0]/#\\~/$HOME}\" help --complete -- \"${words[@]:1}\" 2>/dev/null)\n"
     "    # Bash replaces only what stands behind the last '='.\n"
     "    if [[ $cur == *=* ]]; then COMPREPLY=(\"${COMPREPLY[@]#\"${cur%\"${cur##*=}\"}\"}\"); "
     "fi\n"
     "}\n"
     "complete -F _glovebox glovebox\n"},
    {"zsh",
     "#compdef glovebox\n"
     "# zsh completion for glovebox: source <(glovebox help --completion zsh), after compinit\n"
     "_glovebox() {\n"
     "    local -a replies\n"
     "    local word text files\n"
     "    while IFS=$'\\t' read -r word text; do\n"
     "        case $word in\n"
     "        :files) files=1;;\n"
     "        :dirs) files=-/;;\n"
     "        *) replies+=(\"${word//:/\\\\:}${text:+:$text}\");;\n"
     "        esac\n"
     "    done < <(\"${(Q)words[1]}\" help --complete -- \"${(@Q)words[2,CURRENT]}\" 2>/dev/null)\n"
     "    (( $#replies )) && _describe glovebox replies\n"
     "    if [[ -n $files ]]; then\n"
     "        compset -P '--*='\n"
     "        if [[ $files == -/ ]]; then _files -/; else _files; fi\n"
     "    fi\n"
     "}\n"
     "if [[ $funcstack[1] == _glovebox ]]; then _glovebox \"$@\"; else compdef _glovebox glovebox; "
     "fi\n"},
    {"fish", "# fish completion for glovebox: glovebox help --completion fish | source\n"
             "function __glovebox_complete\n"
             "    set -l words (commandline -opc)\n"
             "    set -l program $words[1]\n"
             "    set -e words[1]\n"
             "    set -l cur (commandline -ct)\n"
             "    set -l option (string match -r '^--[^=]*=' -- \"$cur\")\n"
             "    set -l path (string replace -r '^--[^=]*=' '' -- \"$cur\")\n"
             "    for line in ($program help --complete -- $words \"$cur\" 2>/dev/null)\n"
             "        switch $line\n"
             "            case ':files'\n"
             "                printf \"$option%s\\n\" (__fish_complete_path \"$path\")\n"
             "            case ':dirs'\n"
             "                printf \"$option%s\\n\" (__fish_complete_directories \"$path\")\n"
             "            case '*'\n"
             "                echo $line\n"
             "        end\n"
             "    end\n"
             "end\n"
             "complete -c glovebox -f -a '(__glovebox_complete)'\n"},
};

int complete_print(FILE *out, const char *shell, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(scripts); i++)
        if (!shell || strcmp(shell, scripts[i][0]) == 0) {
            fputs(scripts[i][1], out);
            return 0;
        }
    return err_set(err, ERR_USAGE, "--completion: '%.40s' is not one of bash, zsh, fish", shell);
}

/* ---- candidates ---- */

/* A command line before the cursor. */
struct typed {
    FILE *out;
    const char *cur;    /* the word being completed */
    const char *prefix; /* "--net=" if that is before the word being completed, otherwise "" */
    size_t prefix_n;
    const struct command *command;
    struct command_verb verb; /* .name NULL: none yet */
    /* number of operands before the word being completed, without the verb */
    size_t operands;
};

static void offer(void *ctx, const char *word, const char *meaning)
{
    const struct typed *t = ctx;
    size_t n = strlen(t->cur);

    if (strncmp(word, t->cur, n) != 0)
        return;
    fprintf(t->out, "%.*s%s\t", (int)t->prefix_n, t->prefix, word);
    for (const char *p = meaning ? meaning : ""; *p && p - meaning < 60; p++)
        fputc((unsigned char)*p < ' ' ? ' ' : *p, t->out);
    fputc('\n', t->out);
}

static bool takes(const struct typed *t, const struct opt *row)
{
    if (row->flags & OPT_HIDDEN)
        return false;
    return !t->verb.name || (t->verb.takes ? command_lists(t->verb.takes, row)
                                           : command_verb_takes(t->verb.verbs, row));
}

static void offer_options(struct typed *t)
{
    struct opt_walk walk = {0};
    const struct opt *row;
    char name[80];

    while ((row = opt_next(command_tables(t->command), &walk))) {
        if (!takes(t, row))
            continue;
        AUTO_BUF struct buf help = {0};
        buf_init(&help, 4096);
        help_add_option(&help, row);
        snprintf(name, sizeof name, "--%.70s", row->name);
        offer(t, name, help.p);
    }
}

static void offer_value(struct typed *t, const struct opt *row)
{
    const char *value = help_value_name(row);

    for (size_t i = 0; row->kind == OPT_CHOICE && row->choices[i]; i++)
        offer(t, row->choices[i], NULL);
    if (row->values)
        complete_values(row->values, offer, t);
    if (strstr(value, "FILE") || strstr(value, "SRC"))
        fputs(":files\n", t->out);
    else if (strstr(value, "DIR"))
        fputs(":dirs\n", t->out);
}

static void offer_verbs(struct typed *t)
{
    struct command_verb verb;

    for (size_t i = 0; t->command->verb(i, &verb); i++)
        offer(t, verb.name, verb.meaning);
}

/* Offers words that are not options. */
static void offer_operands(struct typed *t)
{
    const char *what = t->verb.name ? t->verb.operand : t->command->operands;

    if (t->command->verb && !t->verb.name)
        offer_verbs(t);
    else if (what && (!t->verb.name || !t->operands))
        complete_values(what, offer, t);
    else if (t->verb.name && t->verb.files && t->operands == (what != NULL))
        fputs(":files\n", t->out);
    if (!what && !t->command->verb && t->command->files)
        fputs(":files\n", t->out);
}

/* ---- the words before the cursor ---- */

static const struct opt *option_of(const struct command *command, const char *word)
{
    struct opt_walk walk = {0};
    const struct opt *row;
    size_t n = strcspn(word, "=");

    if (word[0] != '-' || !word[1])
        return NULL;
    while ((row = opt_next(command_tables(command), &walk)))
        if (word[1] == '-' ? strncmp(row->name, word + 2, n - 2) == 0 && !row->name[n - 2]
                           : row->letter == word[1] && !word[2])
            return row;
    return NULL;
}

static void take_operand(struct typed *t, const char *word)
{
    struct command_verb verb;

    if (!t->command->verb || t->verb.name) {
        t->operands++;
        return;
    }
    for (size_t i = 0; t->command->verb(i, &verb); i++)
        if (strcmp(verb.name, word) == 0)
            t->verb = verb;
}

/* Returns the option whose value is being completed, or NULL. *ret_ended is true after "--". */
static const struct opt *take_words(struct typed *t, char **words, size_t n, bool *ret_ended)
{
    const struct opt *open = NULL;

    for (size_t i = 1; i < n; i++) {
        if (open) {
            open = NULL;
            continue;
        }
        if (strcmp(words[i], "--") == 0) {
            *ret_ended = true;
            return NULL;
        }
        const struct opt *row = option_of(t->command, words[i]);
        if (row && opt_takes_value(row) && !strchr(words[i], '='))
            open = row;
        else if (words[i][0] != '-' || !words[i][1])
            take_operand(t, words[i]);
    }
    return open;
}

static void offer_commands(struct typed *t)
{
    for (size_t i = 0; commands[i]; i++)
        offer(t, commands[i]->name, commands[i]->summary);
    if (t->cur[0] == '-') {
        offer(t, "--help", "explain the commands");
        offer(t, "--version", "print the version");
    }
}

void complete_words(FILE *out, char **words, size_t n)
{
    struct typed t = {.out = out, .cur = n ? words[n - 1] : "", .prefix = ""};
    bool ended = false;

    if (n < 2) {
        offer_commands(&t);
        return;
    }
    t.command = help_find_command(words[0]);
    if (!t.command)
        return;
    const struct opt *row = take_words(&t, words, n - 1, &ended);
    const char *equals = strncmp(t.cur, "--", 2) == 0 ? strchr(t.cur, '=') : NULL;
    if (!ended && !row && equals && (row = option_of(t.command, t.cur)) && opt_takes_value(row)) {
        t.prefix = t.cur;
        t.prefix_n = (size_t)(equals + 1 - t.cur);
        t.cur = equals + 1;
    }
    if (ended)
        fputs(":files\n", out);
    else if (row && opt_takes_value(row))
        offer_value(&t, row);
    else if (t.cur[0] == '-' && !equals)
        offer_options(&t);
    else if (!equals)
        offer_operands(&t);
}
