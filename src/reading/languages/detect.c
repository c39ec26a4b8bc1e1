/* SPDX-License-Identifier: Apache-2.0
 *
 * Text that parses as Python is Python, unless it is one of the few forms that other languages
 * share: `ls -la` is a subtraction, `x <- 1` a comparison, `console.log(1)` a call. Only programs
 * of bare expressions and assignments can be ambiguous, and the names in them decide.
 *
 * All other text is judged by marks (words and signs), each with a weight. The language with the
 * greatest sum wins; without any mark, it is Python. (Python with an error in it must be recognised
 * this way, too.)
 */
#include "languages/detect.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "python/python.h"

enum { LOOK_AT = 1 << 16, MARKS_AT = 1 << 14 };

enum guess { PYTHON, JAVASCRIPT, BASH, R, GO, GUESSES };

static const char *const names[GUESSES] = {"python", "javascript", "bash", "r", "go"};

/* First words of lines of shell scripts; sorted. */
static const char *const commands[] = {
    "alias",  "apt",     "apt-get", "awk",    "basename", "bash",   "brew",    "cargo",  "cat",
    "cd",     "chmod",   "chown",   "conda",  "cp",       "curl",   "cut",     "date",   "df",
    "diff",   "dirname", "docker",  "du",     "echo",     "env",    "export",  "find",   "git",
    "grep",   "gunzip",  "gzip",    "head",   "id",       "kill",   "kubectl", "less",   "ln",
    "ls",     "make",    "mkdir",   "mktemp", "mv",       "nl",     "node",    "npm",    "npx",
    "pip",    "pip3",    "printf",  "ps",     "pwd",      "python", "python3", "read",   "rm",
    "rmdir",  "rsync",   "scp",     "sed",    "seq",      "set",    "sh",      "sleep",  "sort",
    "source", "ssh",     "sudo",    "tail",   "tar",      "tee",    "test",    "touch",  "tr",
    "uname",  "uniq",    "unset",   "unzip",  "wc",       "wget",   "which",   "whoami", "xargs",
    "yarn",   "zip",
};

static int compare_command(const void *key, const void *item)
{
    const struct str *word = key;
    const char *command = *(const char *const *)item;
    size_t n = strlen(command);
    int order = memcmp(word->p, command, word->n < n ? word->n : n);

    return order ? order : word->n < n ? -1 : word->n > n;
}

static bool is_command(struct str word)
{
    return word.n &&
           bsearch(&word, commands, ARRAY_LEN(commands), sizeof *commands, compare_command) != NULL;
}

/* ---- text that parses as Python ---- */

/* clang-format off */
static const struct {
    const char *object, *members; /* object.member(), or object() when there are none */
    enum guess language;
} calls[] = {
    {"console", " log error warn info debug table dir time timeEnd ", JAVASCRIPT},
    {"process", " stdout stderr stdin exit env argv nextTick ", JAVASCRIPT},
    {"document", " getElementById querySelector createElement write body ", JAVASCRIPT},
    {"module", " exports ", JAVASCRIPT}, {"exports", NULL, JAVASCRIPT}, {"require", NULL, JAVASCRIPT},
    {"Math", " max min floor ceil round random sqrt abs pow PI ", JAVASCRIPT},
    {"JSON", " parse stringify ", JAVASCRIPT}, {"alert", NULL, JAVASCRIPT},
    {"Object", " keys values entries assign freeze defineProperty ", JAVASCRIPT},
    {"library", NULL, R}, {"cat", NULL, R}, {"paste", NULL, R}, {"paste0", NULL, R}, {"rnorm", NULL, R},
    {"runif", NULL, R}, {"ggplot", NULL, R}, {"sapply", NULL, R}, {"lapply", NULL, R}, {"nrow", NULL, R},
    {"set", " seed ", R}, {"data", " frame ", R}, {"read", " csv ", R}, {"install", " packages ", R},
    {"fmt", " Println Printf Print Sprintf Errorf ", GO},
};
/* clang-format on */

struct look {
    bool python;        /* it has a statement that no other language writes this way */
    bool arrow;         /* x <- 1 */
    bool dollar;        /* x="$1" */
    bool words;         /* it is only names, as in `ls -la` */
    enum guess foreign; /* the language of a call, or PYTHON if no call is known */
};

static bool name_is(const struct node *node, const char *text)
{
    return node->kind == N_NAME &&
           str_is((struct str){node->name.id->text, node->name.id->n}, text);
}

static bool has_member(const char *members, const struct name *member)
{
    AUTO_FREE char *word = xasprintf(" %s ", member->text);

    return strstr(members, word) != NULL;
}

static void look_at_name(struct look *look, const struct node *object, const struct name *member)
{
    for (size_t i = 0; i < ARRAY_LEN(calls); i++)
        if (name_is(object, calls[i].object) && (member != NULL) == (calls[i].members != NULL) &&
            (!member || has_member(calls[i].members, member)))
            look->foreign = calls[i].language;
}

/* The first word of `ls`, `ls -la`, `git - status`. */
static const struct node *leftmost(const struct node *e)
{
    while (e->kind == N_BIN_OP)
        e = e->bin_op.left;
    return e;
}

/* x <- 1 and x<-1; in Python people write x < -1. */
static bool is_arrow(const struct node *e)
{
    if (e->kind != N_COMPARE || e->compare.comparators.n != 1 || e->compare.ops[0] != OP_LT)
        return false;
    const struct node *right = leftmost(e->compare.comparators.at[0]);
    return right->kind == N_UNARY_OP && right->op == OP_USUB &&
           right->column <= e->compare.left->end_column + 2;
}

static bool is_command_name(const struct node *e)
{
    return e->kind == N_NAME && is_command((struct str){e->name.id->text, e->name.id->n});
}

static bool is_dollar(const struct node *statement)
{
    const struct node *value = statement->kind == N_ASSIGN ? statement->assign.value : NULL;

    return value && value->kind == N_CONSTANT && value->op == CONST_STR &&
           str_starts(value->constant.text, "$") &&
           value->column == statement->assign.targets.at[0]->end_column + 1;
}

/* `cat <<EOF`: the following lines may be anything. */
static bool is_here_document(const struct node *statement)
{
    if (statement->kind != N_EXPR || statement->value_of.value->kind != N_BIN_OP)
        return false;
    const struct node *e = statement->value_of.value;
    return e->op == OP_LSHIFT && is_command_name(leftmost(e)) && e->bin_op.right->kind == N_NAME;
}

static int look_inside(void *ctx, struct node *node)
{
    struct look *look = ctx;

    switch (node->kind) {
    case N_CALL:
        look_at_name(look, node->call.func, NULL);
        break;
    case N_ATTRIBUTE:
        look_at_name(look, node->attribute.value, node->attribute.attr);
        break;
    default:
        break;
    }
    return node_each_child(node, look_inside, look);
}

static void detect_look_at(struct look *look, struct node *statement)
{
    if (statement->kind == N_EXPR) {
        const struct node *e = statement->value_of.value;
        const struct node *left = leftmost(e);
        look->arrow |= is_arrow(e);
        look->words &= is_command_name(left);
    } else {
        look->words = false;
        look->dollar |= is_dollar(statement);
        look->python |= statement->kind != N_ASSIGN && statement->kind != N_AUG_ASSIGN;
    }
    (void)look_inside(look, statement);
}

static enum guess by_tree(const struct node *module)
{
    const struct node_list *body = &module->module.body;
    struct look look = {.words = body->n > 0, .foreign = PYTHON};

    if (body->n && is_here_document(body->at[0]))
        return BASH;
    for (size_t i = 0; i < body->n && !look.python; i++)
        detect_look_at(&look, body->at[i]);
    if (look.python)
        return PYTHON;
    return look.arrow ? R : look.words || look.dollar ? BASH : look.foreign;
}

/* ---- other text ---- */

enum where {
    ANYWHERE,
    BEGINS, /* the start of a line, after its indentation */
    WHOLE,  /* a whole line */
    ENDS,   /* the end of a line */
};

/* clang-format off */
static const struct {
    const char *text;
    enum where where;
    enum guess language;
    int weight;
} marks[] = {
    {"def ", BEGINS, PYTHON, 4}, {"async def ", BEGINS, PYTHON, 5}, {"class ", BEGINS, PYTHON, 1},
    {"import ", BEGINS, PYTHON, 2}, {"from ", BEGINS, PYTHON, 2}, {"print(", ANYWHERE, PYTHON, 1},
    {"print ", BEGINS, PYTHON, 2}, {"if __name__", BEGINS, PYTHON, 5}, {"elif ", BEGINS, PYTHON, 3},
    {"except", BEGINS, PYTHON, 4}, {"try:", WHOLE, PYTHON, 4}, {"else:", WHOLE, PYTHON, 3},
    {" in range(", ANYWHERE, PYTHON, 3}, {"self.", ANYWHERE, PYTHON, 2}, {">>> ", BEGINS, PYTHON, 5},
    {"lambda ", ANYWHERE, PYTHON, 2}, {"):", ENDS, PYTHON, 3}, {":", ENDS, PYTHON, 2},
    {"%matplotlib", BEGINS, PYTHON, 5}, {"!pip ", BEGINS, PYTHON, 5}, {"None", ANYWHERE, PYTHON, 1},
    {"\"\"\"", ANYWHERE, PYTHON, 2}, {"@", BEGINS, PYTHON, 1}, {"with open(", BEGINS, PYTHON, 4},
    {" not in ", ANYWHERE, PYTHON, 2}, {"raise ", BEGINS, PYTHON, 3},

    {"console.", ANYWHERE, JAVASCRIPT, 4}, {"const ", BEGINS, JAVASCRIPT, 3},
    {"let ", BEGINS, JAVASCRIPT, 3}, {"var ", BEGINS, JAVASCRIPT, 3},
    {"function ", BEGINS, JAVASCRIPT, 3}, {"function* ", BEGINS, JAVASCRIPT, 4},
    {"async function", ANYWHERE, JAVASCRIPT, 4}, {"async (", ANYWHERE, JAVASCRIPT, 4},
    {"function(", ANYWHERE, JAVASCRIPT, 2}, {"function (", ANYWHERE, JAVASCRIPT, 3},
    {"=>", ANYWHERE, JAVASCRIPT, 3}, {"===", ANYWHERE, JAVASCRIPT, 4}, {"!==", ANYWHERE, JAVASCRIPT, 4},
    {"require(", ANYWHERE, JAVASCRIPT, 2}, {"} from ", ANYWHERE, JAVASCRIPT, 5},
    {" from '", ANYWHERE, JAVASCRIPT, 4}, {" from \"", ANYWHERE, JAVASCRIPT, 4},
    {"import '", BEGINS, JAVASCRIPT, 5}, {"import \"", BEGINS, JAVASCRIPT, 1},
    {"export default", BEGINS, JAVASCRIPT, 5}, {"export const", BEGINS, JAVASCRIPT, 5},
    {"export function", BEGINS, JAVASCRIPT, 5}, {"export class", BEGINS, JAVASCRIPT, 5},
    {"new ", ANYWHERE, JAVASCRIPT, 1}, {"});", ENDS, JAVASCRIPT, 3}, {";", ENDS, JAVASCRIPT, 2},
    {"typeof ", ANYWHERE, JAVASCRIPT, 4}, {"throw new ", ANYWHERE, JAVASCRIPT, 4},
    {"catch (", ANYWHERE, JAVASCRIPT, 3}, {"for (let ", BEGINS, JAVASCRIPT, 4},
    {"for (var ", BEGINS, JAVASCRIPT, 4}, {"for (const ", BEGINS, JAVASCRIPT, 4},
    {"this.", ANYWHERE, JAVASCRIPT, 3}, {"document.", ANYWHERE, JAVASCRIPT, 3},
    {"process.", ANYWHERE, JAVASCRIPT, 2}, {"++", ANYWHERE, JAVASCRIPT, 2}, {"--;", ANYWHERE, JAVASCRIPT, 2},
    {"switch (", BEGINS, JAVASCRIPT, 3}, {"do {", BEGINS, JAVASCRIPT, 3}, {"//", BEGINS, JAVASCRIPT, 1},
    {"/*", BEGINS, JAVASCRIPT, 2}, {"undefined", ANYWHERE, JAVASCRIPT, 2}, {"`", ANYWHERE, JAVASCRIPT, 1},
    {"constructor(", BEGINS, JAVASCRIPT, 4}, {"await ", ANYWHERE, JAVASCRIPT, 1}, {"{", ENDS, JAVASCRIPT, 1},

    {"fi", WHOLE, BASH, 4}, {"done", WHOLE, BASH, 4}, {"done ", BEGINS, BASH, 3}, {"esac", WHOLE, BASH, 5},
    {"; do", ENDS, BASH, 4}, {"; do ", ANYWHERE, BASH, 4}, {"then", ENDS, BASH, 4}, {"; then", ANYWHERE, BASH, 4},
    {"if [", BEGINS, BASH, 4}, {"[[ ", ANYWHERE, BASH, 3}, {"[ ", BEGINS, BASH, 1}, {"$(", ANYWHERE, BASH, 3},
    {"$1", ANYWHERE, BASH, 2}, {"\"$", ANYWHERE, BASH, 3}, {" | ", ANYWHERE, BASH, 2}, {" && ", ANYWHERE, BASH, 1},
    {"2>", ANYWHERE, BASH, 2}, {"/dev/null", ANYWHERE, BASH, 2}, {"<<EOF", ANYWHERE, BASH, 4},
    {"<<'EOF'", ANYWHERE, BASH, 4}, {"<< ", ANYWHERE, BASH, 1}, {";;", ENDS, BASH, 4},
    {"case \"$", BEGINS, BASH, 4}, {"while read", BEGINS, BASH, 5}, {"until ", BEGINS, BASH, 2},
    {"export ", BEGINS, BASH, 1}, {"$#", ANYWHERE, BASH, 2}, {"${", ANYWHERE, BASH, 1}, {"./", BEGINS, BASH, 3},
    {"exit ", ANYWHERE, BASH, 1},

    {" <- ", ANYWHERE, R, 4}, {"<<-", ANYWHERE, R, 3}, {"%>%", ANYWHERE, R, 5}, {"%in%", ANYWHERE, R, 4},
    {"|>", ANYWHERE, R, 3}, {"library(", BEGINS, R, 5}, {"function(", ANYWHERE, R, 2}, {" c(", ANYWHERE, R, 2},
    {"(c(", ANYWHERE, R, 2}, {"TRUE", ANYWHERE, R, 2}, {"FALSE", ANYWHERE, R, 2}, {"NULL", ANYWHERE, R, 2},
    {"data.frame(", ANYWHERE, R, 5}, {"ggplot(", ANYWHERE, R, 4}, {"cat(", BEGINS, R, 3},
    {"paste0(", ANYWHERE, R, 4}, {"is.na(", ANYWHERE, R, 4}, {"set.seed(", ANYWHERE, R, 5},
    {"read.csv(", ANYWHERE, R, 4}, {"sapply(", ANYWHERE, R, 4}, {"lapply(", ANYWHERE, R, 4},
    {" in 1:", ANYWHERE, R, 5}, {"(1:", ANYWHERE, R, 3}, {"install.packages(", ANYWHERE, R, 5},

    {"package ", BEGINS, GO, 7}, {"func ", BEGINS, GO, 4}, {"fmt.", ANYWHERE, GO, 4}, {":=", ANYWHERE, GO, 3},
    {"import (", BEGINS, GO, 6}, {"go func", ANYWHERE, GO, 4}, {"chan ", ANYWHERE, GO, 2},
    {"defer ", BEGINS, GO, 3}, {" struct {", ENDS, GO, 5}, {" interface {", ENDS, GO, 4},
    {"!= nil", ANYWHERE, GO, 5}, {"== nil", ANYWHERE, GO, 4}, {"range ", ANYWHERE, GO, 1},
    {"//", BEGINS, GO, 1}, {"func (", BEGINS, GO, 4}, {"map[", ANYWHERE, GO, 3}, {"interface{", ANYWHERE, GO, 3},
    {"[]byte", ANYWHERE, GO, 3}, {"const (", BEGINS, GO, 5}, {"var (", BEGINS, GO, 5}, {"nil", ANYWHERE, GO, 1},
};
/* clang-format on */

static bool has_mark(size_t i, struct str line)
{
    switch (marks[i].where) {
    case BEGINS:
        return str_starts(line, marks[i].text);
    case WHOLE:
        return str_is(line, marks[i].text);
    case ENDS:
        return str_ends(line, marks[i].text);
    case ANYWHERE:
        break;
    }
    return str_find(line, str_from(marks[i].text)) >= 0;
}

/* `grep -r x`, but not `date = 1` or `sort(x)`. */
static bool begins_with_command(struct str line)
{
    size_t n = 0;

    while (n < line.n && (ascii_is_word(line.p[n]) || (n && line.p[n] == '-')))
        n++;
    if (!is_command(str_slice(line, 0, n)))
        return false;
    if (n == line.n || line.p[n] == ';' || line.p[n] == '|')
        return true;
    return line.p[n] == ' ' && n + 1 < line.n && !strchr("=(+*,:<!", line.p[n + 1]) &&
           (line.p[n + 1] != '-' || (n + 2 < line.n && line.p[n + 2] != ' '));
}

/* NAME=value without spaces, which only shells have at the beginning of a line. */
static bool assigns_tightly(struct str line)
{
    size_t n = 0;

    while (n < line.n && ascii_is_word(line.p[n]))
        n++;
    return n && !str_ends(line, ",") && !str_ends(line, "(") && n + 1 < line.n &&
           line.p[n] == '=' && line.p[n + 1] != ' ' && line.p[n + 1] != '=';
}

/* Lines that only one language has. Text of these languages does not parse as Python. */
static const struct {
    const char *begins, *language;
} signs[] = {
    {"<?php", "php"},
    {"#include <iostream>", "cpp"},
    {"using namespace std;", "cpp"},
    {"template <", "cpp"},
    {"template<", "cpp"},
    {"#include <bits/", "cpp"},
    {"std::", "cpp"},
    {"public static void main(", "java"},
    {"import java.", "java"},
    {"fn main() {", "rust"},
    {"using System;", "csharp"},
    {"static void Main(", "csharp"},
    {"use strict;", "perl"},
    {"my ($", "perl"},
    {"fun main(", "kotlin"},
    {"#include <", "c"},
};

/* The language of the first row in the table that a line begins with; NULL if there is none. */
static const char *by_sign(struct str code)
{
    size_t best = sizeof signs / sizeof *signs;
    struct str line;

    while (str_next_line(&code, &line))
        for (size_t i = 0; i < best; i++)
            if (str_starts(str_trim(line), signs[i].begins))
                best = i;
    return best < sizeof signs / sizeof *signs ? signs[best].language : NULL;
}

/* Each mark counts at most twice, so that one habit in a long program does not decide. */
static enum guess by_marks(struct str code)
{
    int sums[GUESSES] = {0}, seen[ARRAY_LEN(marks)] = {0}, shell = 0;
    struct str line;
    enum guess best = PYTHON;

    while (str_next_line(&code, &line)) {
        line = str_trim(line);
        /* The words of a comment are not code: of a // comment, only the // is a mark. */
        line = str_slice(line, 0, str_starts(line, "#") ? 0 : str_starts(line, "//") ? 2 : line.n);
        for (size_t i = 0; i < ARRAY_LEN(marks); i++)
            if (seen[i] < 2 && has_mark(i, line)) {
                sums[marks[i].language] += marks[i].weight;
                seen[i]++;
            }
        if (shell < 9)
            shell += begins_with_command(line) ? 3 : assigns_tightly(line) ? 2 : 0;
    }
    sums[BASH] += shell;
    for (int guess = 0; guess < GUESSES; guess++)
        if (sums[guess] > sums[best])
            best = (enum guess)guess;
    return best;
}

/* Tries the newest version of Python, if the caller's tree was read with an older one. */
static enum guess by_newest_tree(struct str code, enum guess otherwise)
{
    struct python_text text = {0};
    enum guess guess = python_text_parse(&text, code) ? by_tree(text.tree.module) : otherwise;

    python_text_done(&text);
    return guess;
}

static const char *guess_language(struct str code, struct python_text *text)
{
    bool newest = python_text_fits(text, &(struct python_options){0});

    if (code.n <= LOOK_AT && python_text_parse(text, code))
        return names[by_tree(text->tree.module)];
    struct str head = str_slice(code, 0, MARKS_AT);
    const char *sure = by_sign(head);
    if (sure)
        return sure;
    enum guess guess = by_marks(head);
    /* A program for a newer Python than this host's is still Python. */
    return names[guess == PYTHON || newest || code.n > LOOK_AT ? guess
                                                               : by_newest_tree(code, guess)];
}

const char *detect_language(struct str code, struct python_text *text)
{
    return code.n ? guess_language(code, text) : names[PYTHON];
}
