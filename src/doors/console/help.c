/* SPDX-License-Identifier: Apache-2.0 */
#include "console/help.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/suggestion.h"
#include "base/utf8.h"
#include "llm/provider.h"
#include "registry/registry.h"

enum { TEXT_LIMIT = 1 << 20, MAX_COLUMN = 30, MANY_OPTIONS = 20, BRIEF_EXAMPLES = 6 };

/* ---- a page ---- */

struct page {
    FILE *out;
    size_t width;
};

static size_t page_width(FILE *out)
{
    struct winsize size;
    int64_t columns;

    if (!num_int64(str_from(getenv("COLUMNS")), &columns) || columns <= 0)
        columns = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
    return columns < 40 ? 40 : columns > 200 ? 200 : (size_t)columns;
}

static void put_spaces(FILE *out, size_t n)
{
    fprintf(out, "%*s", (int)n, "");
}

/* Prints the words of a text, beginning at `column`; further lines begin at `indent`. Ends the
 * line. */
static void put_wrapped(const struct page *page, size_t column, size_t indent, struct str text)
{
    bool first = true;

    for (size_t at = 0; at < text.n;) {
        size_t end = at;
        while (end < text.n && text.p[end] != ' ' && text.p[end] != '\n')
            end++;
        struct str word = str_slice(text, at, end);
        at = end + 1;
        if (!word.n)
            continue;
        size_t wide = utf8_count(word);
        if (!first && column + 1 + wide > page->width) {
            fputc('\n', page->out);
            put_spaces(page->out, indent);
            column = indent;
            first = true;
        }
        if (!first)
            fputc(' ', page->out);
        fwrite(word.p, 1, word.n, page->out);
        column += wide + !first;
        first = false;
    }
    fputc('\n', page->out);
}

/* Prints "  label     text". The text begins at `column`; on the next line if the label is too
 * long. */
static void put_labelled(const struct page *page, struct str label, size_t column, struct str text)
{
    size_t wide = utf8_count(label);

    put_spaces(page->out, 2);
    fwrite(label.p, 1, label.n, page->out);
    if (wide + 4 > column) {
        fputc('\n', page->out);
        put_spaces(page->out, column);
    } else {
        put_spaces(page->out, column - wide - 2);
    }
    put_wrapped(page, column, column, text);
}

/* ---- help texts ---- */

static bool is_item(struct str line)
{
    return str_starts(line, "* ") && str_find(line, STR(" | ")) > 0;
}

static bool ends_paragraph(struct str line)
{
    return !line.n || str_starts(line, "  ") || is_item(line);
}

bool help_next_block(struct str *rest, struct help_block *ret)
{
    struct str line, before = *rest;

    while (str_next_line(rest, &line) && !line.n)
        before = *rest;
    if (!before.n)
        return false;
    if (is_item(line)) {
        size_t bar = (size_t)str_find(line, STR(" | "));
        *ret = (struct help_block){HELP_ITEM, str_slice(line, 2, bar),
                                   str_slice(line, bar + 3, line.n)};
        return true;
    }
    bool verbatim = str_starts(line, "  ");
    struct str ahead = *rest, next;
    while (str_next_line(&ahead, &next)) {
        if (verbatim ? !str_starts(next, "  ") : ends_paragraph(next))
            break;
        *rest = ahead;
        line.n = (size_t)(next.p + next.n - line.p);
    }
    *ret = (struct help_block){.kind = verbatim ? HELP_VERBATIM : HELP_PARAGRAPH, .text = line};
    return true;
}

static size_t widest_term(struct str text)
{
    struct help_block block;
    size_t widest = 0;

    while (help_next_block(&text, &block)) {
        size_t n = block.kind == HELP_ITEM ? utf8_count(block.term) : 0;
        widest = n > widest ? n : widest;
    }
    return widest + 4 < MAX_COLUMN ? widest + 4 : MAX_COLUMN;
}

static void help_put_text(const struct page *page, struct str text)
{
    size_t column = widest_term(text);
    enum help_kind last = HELP_PARAGRAPH;
    struct help_block block;

    for (bool first = true; help_next_block(&text, &block); first = false) {
        if (!first && !(block.kind == HELP_ITEM && last == HELP_ITEM))
            fputc('\n', page->out);
        if (block.kind == HELP_ITEM)
            put_labelled(page, block.term, column, block.text);
        else if (block.kind == HELP_PARAGRAPH)
            put_wrapped(page, 0, 0, block.text);
        else
            fprintf(page->out, "%.*s\n", (int)block.text.n, block.text.p);
        last = block.kind;
    }
}

/* ---- options ---- */

const char *help_value_name(const struct opt *row)
{
    if (!opt_takes_value(row))
        return NULL;
    return row->arg ? row->arg : row->kind == OPT_CHOICE ? "WORD" : "VALUE";
}

static void add_choices(struct buf *b, const struct opt *row)
{
    (void)buf_adds(b, ": ");
    for (size_t i = 0; row->choices[i]; i++)
        (void)buf_addf(b, "%s%s", !i ? "" : row->choices[i + 1] ? ", " : " or ", row->choices[i]);
}

/* A mark in a row's help is replaced by the rows of another table. */
static const struct {
    const char *mark;
    void (*add)(struct buf *b);
} lists[] = {{"{backends}", backend_describe_all}, {"{providers}", provider_list}};

static void add_help(struct buf *b, struct str text)
{
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        long at = str_find(text, str_from(lists[i].mark));
        if (at < 0)
            continue;
        (void)buf_add_str(b, str_slice(text, 0, (size_t)at));
        lists[i].add(b);
        text = str_slice(text, (size_t)at + strlen(lists[i].mark), text.n);
    }
    (void)buf_add_str(b, text);
}

void help_add_option(struct buf *b, const struct opt *row)
{
    const char *initial = row->kind == OPT_CHOICE && !row->initial ? row->choices[0] : row->initial;

    add_help(b, str_from(row->help ? row->help : ""));
    if (row->kind == OPT_CHOICE && !row->arg)
        add_choices(b, row);
    if (initial && *initial && opt_takes_value(row))
        (void)buf_addf(b, " (default %s)", initial);
}

static void add_label(struct buf *b, const struct opt *row)
{
    const char *value = help_value_name(row);

    if (row->letter)
        (void)buf_addf(b, "-%c, ", row->letter);
    else
        (void)buf_adds(b, "    ");
    (void)buf_addf(b, "--%s%s%s", row->name, value ? " " : "", value ? value : "");
}

static const char *group_of(const struct opt *row)
{
    return row->group ? row->group : "Options";
}

static void put_option(const struct page *page, const struct opt *row)
{
    AUTO_BUF struct buf label = {0}, text = {0};

    buf_init(&label, TEXT_LIMIT);
    buf_init(&text, TEXT_LIMIT);
    add_label(&label, row);
    help_add_option(&text, row);
    put_labelled(page, buf_str(&label), MAX_COLUMN, buf_str(&text));
}

static bool is_often(const struct command *command, const struct opt *row)
{
    return !(row->flags & OPT_HIDDEN) &&
           (command->often ? command_lists(command->often, row) : row->often);
}

/* True if the options used most come first, which only commands with many options need. */
static bool has_often(const struct command *command)
{
    struct opt_walk walk = {0};
    const struct opt *row;
    size_t shown = 0, often = 0;

    while ((row = opt_next(command_tables(command), &walk))) {
        shown += !(row->flags & OPT_HIDDEN);
        often += is_often(command, row);
    }
    return often && shown > MANY_OPTIONS;
}

static void put_named(const struct page *page, const struct command *command, struct str name)
{
    struct opt_walk walk = {0};
    const struct opt *row;

    while ((row = opt_next(command_tables(command), &walk)))
        if (str_is(name, row->name) && !(row->flags & OPT_HIDDEN))
            put_option(page, row);
}

static void put_often(const struct page *page, const struct command *command)
{
    struct str names = str_from(command->often ? command->often : ""), name;
    struct opt_walk walk = {0};
    const struct opt *row;

    fputs("\nMost used:\n", page->out);
    while (names.n && str_next(&names, ',', &name))
        put_named(page, command, name);
    while (!command->often && (row = opt_next(command_tables(command), &walk)))
        if (is_often(command, row))
            put_option(page, row);
}

/* Prints the group of `first`, if that is the first row of its group. With `often`, without the
 * options that were printed as used most. */
static void put_group(const struct page *page, const struct command *command,
                      const struct opt *first, bool often)
{
    struct opt_walk walk = {0};
    const struct opt *row;
    bool begun = false;

    while ((row = opt_next(command_tables(command), &walk))) {
        if (row->flags & OPT_HIDDEN || (often && is_often(command, row)) ||
            strcmp(group_of(row), group_of(first)) != 0)
            continue;
        if (!begun && row != first)
            return;
        if (!begun)
            fprintf(page->out, "\n%s:\n", group_of(row));
        begun = true;
        put_option(page, row);
    }
}

/* ---- pages ---- */

const struct help_text *help_find_text(const char *name)
{
    const struct help_text *row = help_texts;

    while (row->name && strcmp(row->name, name) != 0)
        row++;
    return row;
}

static void put_usage(const struct page *page, const char *usage)
{
    struct str rest = str_from(usage), line;

    for (bool first = true; str_next_line(&rest, &line); first = false)
        fprintf(page->out, "%s%.*s\n", first ? "Usage: " : "       ", (int)line.n, line.p);
}

static void put_section(const struct page *page, const char *heading, const char *text)
{
    if (!text)
        return;
    fputc('\n', page->out);
    if (heading)
        fprintf(page->out, "%s:\n", heading);
    help_put_text(page, str_from(text));
}

/* The names of a group's options that are not used most: "The wall: --backend, --image". */
static void put_group_names(const struct page *page, const struct command *command,
                            const struct opt *first)
{
    AUTO_BUF struct buf line = {0};
    struct opt_walk walk = {0};
    const struct opt *row;
    const char *between = " ";

    buf_init(&line, TEXT_LIMIT);
    (void)buf_addf(&line, "%s:", group_of(first));
    while ((row = opt_next(command_tables(command), &walk))) {
        if (row->flags & OPT_HIDDEN || is_often(command, row) ||
            strcmp(group_of(row), group_of(first)) != 0)
            continue;
        if (*between == ' ' && row != first)
            return;
        (void)buf_addf(&line, "%s--%s", between, row->name);
        between = ", ";
    }
    put_wrapped(page, 0, 2, buf_str(&line));
}

static void put_other_names(const struct page *page, const struct command *command)
{
    struct opt_walk walk = {0};
    const struct opt *row;

    fprintf(page->out, "\nOthers ('glovebox %s --help-all' explains them):\n", command->name);
    while ((row = opt_next(command_tables(command), &walk)))
        if (!(row->flags & OPT_HIDDEN) && !is_often(command, row))
            put_group_names(page, command, row);
}

/* The first paragraph of the command's text, and its first examples. */
static void put_brief(const struct page *page, const struct command *command)
{
    const struct help_text *text = help_find_text(command->name);
    struct str rest = str_from(text->text), examples = str_from(text->examples), line;
    struct help_block block;

    put_often(page, command);
    if (help_next_block(&rest, &block)) {
        fputc('\n', page->out);
        put_wrapped(page, 0, 0, block.text);
    }
    put_other_names(page, command);
    fputs(text->examples ? "\nExamples:\n" : "", page->out);
    for (int i = 0; i < BRIEF_EXAMPLES && text->examples && str_next_line(&examples, &line); i++)
        fprintf(page->out, "%.*s\n", (int)line.n, line.p);
}

static void put_whole(const struct page *page, const struct command *command, bool often)
{
    const struct help_text *text = help_find_text(command->name);
    struct opt_walk walk = {0};
    const struct opt *row;

    if (often)
        put_often(page, command);
    put_section(page, NULL, text->text);
    while ((row = opt_next(command_tables(command), &walk)))
        if (!(row->flags & OPT_HIDDEN) && !(often && is_often(command, row)))
            put_group(page, command, row, often);
    put_section(page, "Examples", text->examples);
}

void help_print_command(FILE *out, const struct command *command, const struct opt_help *asked)
{
    struct page page = {out, page_width(out)};
    bool often = has_often(command);

    put_usage(&page, command->usage);
    fputc('\n', out);
    put_wrapped(&page, 0, 0, str_from(command->summary));
    if (often && asked && !asked->whole)
        put_brief(&page, command);
    else
        put_whole(&page, command, often);
}

void help_print_short(FILE *out, const struct command *command)
{
    struct page page = {out, page_width(out)};

    put_usage(&page, command->usage);
    put_often(&page, command);
    fprintf(out, "\n'glovebox %s --help-all' has all options and examples.\n", command->name);
}

static size_t longest_name(void)
{
    size_t longest = 0;

    for (size_t i = 0; commands[i]; i++)
        longest = strlen(commands[i]->name) > longest ? strlen(commands[i]->name) : longest;
    for (size_t i = 0; help_topics[i].name; i++)
        longest = strlen(help_topics[i].name) > longest ? strlen(help_topics[i].name) : longest;
    return longest;
}

void help_print_overview(FILE *out)
{
    struct page page = {out, page_width(out)};
    size_t column = longest_name() + 4;

    put_usage(&page, "glovebox COMMAND [OPTION]... [ARGUMENT]...");
    fputs("\nRuns code you did not write behind the kernel's own locks.\n\nCommands:\n", out);
    for (size_t i = 0; commands[i]; i++)
        put_labelled(&page, str_from(commands[i]->name), column, str_from(commands[i]->summary));
    fputs("\nTopics:\n", out);
    for (size_t i = 0; help_topics[i].name; i++)
        put_labelled(&page, str_from(help_topics[i].name), column,
                     str_from(help_topics[i].summary));
    fputc('\n', out);
    put_wrapped(&page, 0, 0, STR("'glovebox help NAME' explains a command or a topic."));
}

void help_add_topic(struct buf *b, const struct topic *topic)
{
    const struct help_text *text = help_find_text(topic->name);

    (void)buf_adds(b, text->text ? text->text : "");
    if (topic->more)
        topic->more(b);
    if (text->examples)
        (void)buf_addf(b, "\nExamples:\n%s", text->examples);
}

void help_print_text(FILE *out, struct str text)
{
    struct page page = {out, page_width(out)};

    help_put_text(&page, text);
}

static void print_topic(FILE *out, const struct topic *topic)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, TEXT_LIMIT);
    help_add_topic(&text, topic);
    help_print_text(out, buf_str(&text));
}

const struct command *help_find_command(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

int help_print_named(FILE *out, const char *asked, struct err *err)
{
    const char *name = help_other_name(asked);
    const struct command *command = help_find_command(name);
    struct suggestion near = {.word = str_from(name)};

    if (command) {
        help_print_command(out, command, NULL);
        return 0;
    }
    for (size_t i = 0; commands[i]; i++)
        suggestion_try(&near, commands[i]->name);
    for (size_t i = 0; help_topics[i].name; i++) {
        suggestion_try(&near, help_topics[i].name);
        if (strcmp(help_topics[i].name, name) != 0)
            continue;
        print_topic(out, &help_topics[i]);
        return 0;
    }
    return err_set(err, ERR_USAGE, "no help for '%.60s'; %s%s%s", name,
                   near.best ? "did you mean '" : "'glovebox help' lists commands and topics",
                   near.best ? near.best : "", near.best ? "'?" : "");
}
