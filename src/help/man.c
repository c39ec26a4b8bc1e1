/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "help/help.h"

enum { TEXT_LIMIT = 1 << 20 };

/* ---- roff ---- */

/* Escapes characters that groff would interpret, or set as a typographer's sign. See
 * groff_char(7). */
static const char *escaped(char c)
{
    switch (c) {
    case '\\':
        return "\\(rs";
    case '-':
        return "\\-";
    case '~':
        return "\\(ti";
    case '^':
        return "\\(ha";
    case '`':
        return "\\(ga";
    case '\'':
        return "\\(aq";
    case '"':
        return "\\(dq";
    default:
        return NULL;
    }
}

/* A line of roff cannot begin with a dot or a quote that is text. `\&` prints nothing, and goes in
 * front of one. */
static void put(FILE *out, struct str text, bool upper)
{
    bool line_start = true;

    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        const char *safe = escaped(c);
        if (line_start && c == '.')
            fputs("\\&", out);
        line_start = c == '\n';
        if (safe)
            fputs(safe, out);
        else
            fputc(upper && c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c, out);
    }
}

static void put_s(FILE *out, const char *s)
{
    put(out, str_from(s), false);
}

static void heading(FILE *out, const char *macro, const char *title)
{
    fprintf(out, "%s \"", macro);
    put(out, str_from(title), strcmp(macro, ".SH") == 0);
    fputs("\"\n", out);
}

static void put_text(FILE *out, struct str text)
{
    struct help_block block;

    while (help_next_block(&text, &block)) {
        if (block.kind == HELP_ITEM) {
            fputs(".TP\n\\fB", out);
            put(out, block.term, false);
            fputs("\\fR\n", out);
            put(out, block.text, false);
        } else if (block.kind == HELP_VERBATIM) {
            fputs(".PP\n.nf\n", out);
            put(out, block.text, false);
            fputs("\n.fi", out);
        } else {
            fputs(".PP\n", out);
            put(out, block.text, false);
        }
        fputc('\n', out);
    }
}

/* ---- options ---- */

static void put_option(FILE *out, const struct opt *row)
{
    const char *value = help_value_name(row);
    AUTO_BUF struct buf text = {0};

    if (row->flags & OPT_HIDDEN)
        return;
    fputs(".TP\n", out);
    if (row->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
    fputs("\\fB\\-\\-", out);
    put_s(out, row->name);
    fputs("\\fR", out);
    if (value) {
        fputs(" \\fI", out);
        put_s(out, value);
        fputs("\\fR", out);
    }
    buf_init(&text, TEXT_LIMIT);
    help_add_option(&text, row);
    fputc('\n', out);
    put(out, buf_str(&text), false);
    fputc('\n', out);
}

static void put_table(FILE *out, const struct opt *table)
{
    for (const struct opt *row = table; row->name; row++)
        put_option(out, row);
}

static bool has_table(const struct command *command, const struct opt *table)
{
    for (size_t i = 0; command->tables[i]; i++)
        if (command->tables[i] == table)
            return true;
    return false;
}

/* A table that several commands share is described once, in a section of its own. */
static bool is_shared(const struct opt *table)
{
    size_t users = 0;

    for (size_t i = 0; commands[i]; i++)
        users += has_table(commands[i], table);
    return users > 1;
}

static bool described_before(size_t command, const struct opt *table)
{
    for (size_t i = 0; i < command; i++)
        if (has_table(commands[i], table))
            return true;
    return false;
}

static void put_shared_tables(FILE *out)
{
    heading(out, ".SH", "Common options");
    fputs("Those that mean the same in every command that has them.\n", out);
    for (size_t i = 0; commands[i]; i++)
        for (size_t j = 0; commands[i]->tables[j]; j++)
            if (is_shared(commands[i]->tables[j]) && !described_before(i, commands[i]->tables[j]))
                put_table(out, commands[i]->tables[j]);
}

/* ---- commands and topics ---- */

static void put_usage(FILE *out, const char *usage)
{
    struct str rest = str_from(usage), line;

    fputs(".nf\n", out);
    while (str_next_line(&rest, &line)) {
        put(out, line, false);
        fputc('\n', out);
    }
    fputs(".fi\n", out);
}

static void put_command(FILE *out, const struct command *command)
{
    const struct help_text *text = help_find_text(command->name);
    AUTO_BUF struct buf title = {0};

    buf_init(&title, TEXT_LIMIT);
    (void)buf_addf(&title, "glovebox %s", command->name);
    heading(out, ".SS", title.p);
    put_usage(out, command->usage);
    fputs(".PP\n", out);
    put_s(out, command->summary);
    fputs(".\n", out);
    put_text(out, str_from(text->text));
    for (size_t i = 0; command->tables[i]; i++)
        if (!is_shared(command->tables[i]))
            put_table(out, command->tables[i]);
    if (text->examples)
        fputs(".PP\nExamples:\n", out);
    put_text(out, str_from(text->examples));
}

static void put_topic(FILE *out, const struct topic *topic)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, TEXT_LIMIT);
    help_add_topic(&text, topic);
    heading(out, ".SH", topic->name);
    put_text(out, buf_str(&text));
}

void man_print(FILE *out)
{
    fputs(".TH GLOVEBOX 1 \"\" \"glovebox " GLOVEBOX_VERSION "\" \"\"\n", out);
    fputs(".nh\n.ad l\n", out); /* a hyphen at a line end would look like part of an option */
    heading(out, ".SH", "Name");
    fputs("glovebox \\- run code you did not write behind the kernel\\(aqs own locks\n", out);
    heading(out, ".SH", "Synopsis");
    fputs("\\fBglovebox\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n", out);
    heading(out, ".SH", "Commands");
    for (size_t i = 0; commands[i]; i++)
        put_command(out, commands[i]);
    put_shared_tables(out);
    for (size_t i = 0; help_topics[i].name; i++)
        put_topic(out, &help_topics[i]);
}
