/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "console/help.h"

enum { TEXT_LIMIT = 1 << 20 };

/* ---- roff ---- */

/* Escapes characters that groff would interpret, or replace by typographic ones. See groff_char(7).
 */
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

/* A line of roff must not begin with a dot that is text. `\&` prints nothing, and is put
 * before it. */
static void man_put(FILE *out, struct str text, bool upper)
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
    man_put(out, str_from(s), false);
}

static void heading(FILE *out, const char *macro, const char *title)
{
    fprintf(out, "%s \"", macro);
    man_put(out, str_from(title), strcmp(macro, ".SH") == 0);
    fputs("\"\n", out);
}

static void man_put_text(FILE *out, struct str text)
{
    struct help_block block;

    while (help_next_block(&text, &block)) {
        if (block.kind == HELP_ITEM) {
            fputs(".TP\n\\fB", out);
            man_put(out, block.term, false);
            fputs("\\fR\n", out);
            man_put(out, block.text, false);
        } else if (block.kind == HELP_VERBATIM) {
            fputs(".PP\n.nf\n", out);
            man_put(out, block.text, false);
            fputs("\n.fi", out);
        } else {
            fputs(".PP\n", out);
            man_put(out, block.text, false);
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
    man_put(out, buf_str(&text), false);
    fputc('\n', out);
}

static void put_usage(FILE *out, const char *usage)
{
    struct str rest = str_from(usage), line;

    fputs(".nf\n", out);
    while (str_next_line(&rest, &line)) {
        man_put(out, line, false);
        fputc('\n', out);
    }
    fputs(".fi\n", out);
}

/* ---- pages ---- */

static void put_title(FILE *out, const char *name, const char *does)
{
    fputs(".TH \"", out);
    man_put(out, str_from(name), true);
    fputs("\" 1 \"\" \"glovebox " GLOVEBOX_VERSION "\" \"\"\n", out);
    fputs(".nh\n.ad l\n", out); /* a hyphen at a line end would look like part of an option */
    heading(out, ".SH", "Name");
    put_s(out, name);
    fputs(" \\- ", out);
    put_s(out, does);
    fputc('\n', out);
    heading(out, ".SH", "Synopsis");
}

static void put_options(FILE *out, const struct command *command)
{
    struct opt_walk walk = {0};
    const struct opt *row;

    heading(out, ".SH", "Options");
    while ((row = opt_next(command_tables(command), &walk)))
        put_option(out, row);
}

void man_print_command(FILE *out, const struct command *command)
{
    const struct help_text *text = help_find_text(command->name);
    AUTO_FREE char *name = xasprintf("glovebox-%s", command->name);

    put_title(out, name, command->summary);
    put_usage(out, command->usage);
    heading(out, ".SH", "Description");
    man_put_text(out, str_from(text->text));
    put_options(out, command);
    if (text->examples)
        heading(out, ".SH", "Examples");
    man_put_text(out, str_from(text->examples));
    heading(out, ".SH", "See also");
    fputs("\\fBglovebox\\fR(1)\n", out);
}

static void put_command(FILE *out, const struct command *command)
{
    fputs(".TP\n\\fBglovebox\\-", out);
    put_s(out, command->name);
    fputs("\\fR(1)\n", out);
    put_s(out, command->summary);
    fputc('\n', out);
}

static void put_topic(FILE *out, const struct topic *topic)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, TEXT_LIMIT);
    help_add_topic(&text, topic);
    heading(out, ".SH", topic->name);
    man_put_text(out, buf_str(&text));
}

void man_print(FILE *out)
{
    put_title(out, "glovebox", "run code you did not write behind the kernel's own locks");
    fputs("\\fBglovebox\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n", out);
    heading(out, ".SH", "Commands");
    fputs("Each has a page of its own.\n", out);
    for (size_t i = 0; commands[i]; i++)
        put_command(out, commands[i]);
    for (size_t i = 0; help_topics[i].name; i++)
        put_topic(out, &help_topics[i]);
}
