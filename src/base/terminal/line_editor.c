/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal/line_editor.h"

#if !__has_include(<histedit.h>)
#error "libedit is missing: run tools/setup build, or apt-get install libedit-dev"
#endif
#include <errno.h>
#include <histedit.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "base/mem.h"
#include "terminal/safe_text.h"

enum { HISTORY_ENTRIES = 2000, PASTE_MAX = 4 << 20, LISTED_MAX = 120, INDENT = 4 };

#define PASTE_ON    "\033[?2004h"
#define PASTE_OFF   "\033[?2004l"
#define PASTE_BEGIN "\033[200~"
#define PASTE_END   "\033[201~"
/* Sequences that no key sends. A key's function pushes one as its last step to call libedit's
 * function.
 */
#define DO_NEWLINE  "\033[7001~"
#define DO_PREVIOUS "\033[7002~"
#define DO_NEXT     "\033[7003~"
/* On the screen, each line after the first begins with this. libedit has no prompt for such lines,
 * so the mark is in the text that libedit edits, and add_without_more removes it from the
 * result. */
#define MORE        "... "

struct line_editor {
    struct line_editor_use use;
    EditLine *el;
    History *history;
    HistEvent event;
    bool cancelled;
};

static struct line_editor *editor_of(EditLine *el)
{
    struct line_editor *e = NULL;

    (void)el_get(el, EL_CLIENTDATA, &e);
    return e;
}

static char *prompt_of(EditLine *el)
{
    return (char *)editor_of(el)->use.prompt;
}

/* The edited text, and the part of it before the cursor. */
static struct str line_editor_text_of(EditLine *el, struct str *ret_before)
{
    const LineInfo *line = el_line(el);

    *ret_before = (struct str){line->buffer, (size_t)(line->cursor - line->buffer)};
    return (struct str){line->buffer, (size_t)(line->lastchar - line->buffer)};
}

static void add_with_more(struct buf *b, struct str text)
{
    struct str line;

    for (bool first = true; text.n && str_next(&text, '\n', &line); first = false)
        (void)buf_addf(b, "%s%.*s", first ? "" : "\n" MORE, (int)line.n, line.p);
}

static void add_without_more(struct buf *b, struct str text)
{
    struct str line;

    for (bool first = true; text.n && str_next(&text, '\n', &line); first = false) {
        size_t skip = !first && str_starts(line, MORE) ? strlen(MORE) : 0;
        (void)buf_addf(b, "%s%.*s", first ? "" : "\n", (int)(line.n - skip), line.p + skip);
    }
}

/* ---- keys ---- */

/* 1; 0 at the end of input; -1 when cancelled. */
static int wait_for_key(struct line_editor *e)
{
    struct pollfd p[] = {{.fd = 0, .events = POLLIN}, {.fd = e->use.cancel_fd, .events = POLLIN}};

    while (poll(p, 2, -1) < 0)
        if (errno != EINTR)
            return 0;
    e->cancelled = p[1].revents != 0;
    return e->cancelled ? -1 : 1;
}

static int get_key(EditLine *el, wchar_t *ret)
{
    struct line_editor *e = editor_of(el);
    mbstate_t state = {0};
    int ready;

    while ((ready = wait_for_key(e)) > 0) {
        char c;
        ssize_t n = read(0, &c, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return 0;
        size_t got = mbrtowc(ret, &c, 1, &state);
        if (got == (size_t)-2)
            continue;
        if (got == (size_t)-1)
            *ret = 0xFFFD;
        return 1;
    }
    return ready;
}

/* ---- Enter ---- */

/* Appends the indentation of the cursor's line, plus one step after a colon or an opening bracket.
 */
static void add_indent(struct buf *b, struct str before)
{
    const char *end = before.n ? memrchr(before.p, '\n', before.n) : NULL;
    struct str line = end ? str_slice(before, (size_t)(end - before.p) + 1, before.n) : before;
    struct str words = str_trim(line);
    size_t n = 0;

    while (words.n && n < line.n && line.p[n] == ' ')
        n++;
    if (str_ends(words, ":") || str_ends(words, "{"))
        n += INDENT;
    (void)buf_addf(b, "\n" MORE "%*s", (int)n, "");
}

static unsigned char on_enter(EditLine *el, wint_t key)
{
    struct line_editor *e = editor_of(el);
    struct str before, text = line_editor_text_of(el, &before);
    AUTO_BUF struct buf b = {0}, plain = {0};

    (void)key;
    buf_init(&plain, text.n + 1);
    add_without_more(&plain, text);
    if (e->use.whole(e->use.ctx, buf_str(&plain))) {
        el_push(el, DO_NEWLINE);
        return CC_NORM;
    }
    buf_clear(&plain);
    add_without_more(&plain, before);
    buf_init(&b, before.n + 64);
    add_indent(&b, buf_str(&plain));
    return el_insertstr(el, b.p) < 0 ? CC_ERROR : CC_REFRESH;
}

/* ---- a paste ---- */

static unsigned char on_paste(EditLine *el, wint_t key)
{
    AUTO_BUF struct buf b = {0};
    wchar_t c;

    (void)key;
    buf_init(&b, PASTE_MAX);
    while (!str_ends(buf_str(&b), PASTE_END) && get_key(el, &c) > 0) {
        char bytes[MB_LEN_MAX];
        size_t n = wcrtomb(bytes, c == L'\r' ? L'\n' : c, &(mbstate_t){0});
        if (n == (size_t)-1 || buf_add(&b, bytes, n) < 0)
            return CC_ERROR;
    }
    struct str text = buf_str(&b);
    text.n -= str_ends(text, PASTE_END) ? strlen(PASTE_END) : 0;
    while (str_ends(text, "\n"))
        text.n--;
    AUTO_BUF struct buf pasted = {0};
    buf_init(&pasted, PASTE_MAX * (1 + strlen(MORE)));
    add_with_more(&pasted, text);
    return pasted.n && el_insertstr(el, pasted.p) < 0 ? CC_ERROR : CC_REFRESH;
}

/* ---- keys that cross the end of a line: to them, the line end and the mark after it are one
 * character ---- */

static int step_back(struct str before)
{
    return str_ends(before, "\n" MORE) ? (int)strlen("\n" MORE) : 1;
}

static int step_on(struct str after)
{
    return str_starts(after, "\n" MORE) ? (int)strlen("\n" MORE) : 1;
}

static unsigned char on_left(EditLine *el, wint_t key)
{
    struct str before;

    (void)key;
    (void)line_editor_text_of(el, &before);
    el_cursor(el, -step_back(before));
    return CC_CURSOR;
}

static unsigned char on_right(EditLine *el, wint_t key)
{
    struct str before, text = line_editor_text_of(el, &before);

    (void)key;
    el_cursor(el, step_on(str_slice(text, before.n, text.n)));
    return CC_CURSOR;
}

static unsigned char on_backspace(EditLine *el, wint_t key)
{
    struct str before;

    (void)key;
    (void)line_editor_text_of(el, &before);
    if (!before.n)
        return CC_ERROR;
    el_deletestr(el, step_back(before));
    return CC_REFRESH;
}

static unsigned char on_delete(EditLine *el, wint_t key)
{
    struct str before, text = line_editor_text_of(el, &before);

    (void)key;
    if (before.n == text.n)
        return CC_ERROR;
    int n = step_on(str_slice(text, before.n, text.n));
    el_cursor(el, n);
    el_deletestr(el, n);
    return CC_REFRESH;
}

/* ---- up and down: lines of the text, then the history ---- */

static unsigned char on_up(EditLine *el, wint_t key)
{
    struct str before;

    (void)key;
    (void)line_editor_text_of(el, &before);
    const char *end = before.n ? memrchr(before.p, '\n', before.n) : NULL;
    if (!end) {
        el_push(el, DO_PREVIOUS);
        return CC_NORM;
    }
    size_t column = (size_t)(before.p + before.n - end) - 1, line = (size_t)(end - before.p);
    const char *start = line ? memrchr(before.p, '\n', line) : NULL;
    size_t from = start ? (size_t)(start - before.p) + 1 : 0;
    if (!start) /* the first line has the prompt before its text */
        column -= column < strlen(MORE) ? column : strlen(MORE);
    size_t to = from + column < line ? from + column : line;
    el_cursor(el, (int)to - (int)before.n);
    return CC_CURSOR;
}

static unsigned char on_down(EditLine *el, wint_t key)
{
    struct str before, text = line_editor_text_of(el, &before);
    struct str after = str_slice(text, before.n, text.n);
    const char *end = after.n ? memchr(after.p, '\n', after.n) : NULL;

    (void)key;
    if (!end) {
        el_push(el, DO_NEXT);
        return CC_NORM;
    }
    const char *start = before.n ? memrchr(before.p, '\n', before.n) : NULL;
    size_t column = start ? (size_t)(before.p + before.n - start) - 1 : before.n + strlen(MORE);
    struct str rest = str_slice(after, (size_t)(end - after.p) + 1, after.n), line;
    if (!str_next_line(&rest, &line))
        line.n = 0;
    size_t skip = (size_t)(end - after.p) + 1 + (column < line.n ? column : line.n);
    el_cursor(el, (int)skip);
    return CC_CURSOR;
}

/* ---- Tab ---- */

static size_t common_length(const json_t *words)
{
    const char *first = json_string_value(json_array_get(words, 0));
    size_t n = strlen(first), i;
    const json_t *word;

    json_array_foreach(words, i, word)
    {
        const char *text = json_string_value(word);
        size_t same = 0;
        while (same < n && text[same] == first[same])
            same++;
        n = same;
    }
    return n;
}

static size_t terminal_columns(void)
{
    struct winsize size;

    return ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

static void list_words(const json_t *words)
{
    size_t width = 0, i, columns = terminal_columns(), at = 0;
    const json_t *word;

    json_array_foreach(words, i, word) if (json_string_length(word) > width) width =
        json_string_length(word);
    putchar('\n');
    json_array_foreach(words, i, word)
    {
        AUTO_FREE char *safe = safe_line(json_string_value(word));
        if (i == LISTED_MAX)
            break;
        if (at && at + width + 2 > columns) {
            putchar('\n');
            at = 0;
        }
        printf("%-*s  ", (int)width, safe);
        at += width + 2;
    }
    printf(json_array_size(words) > LISTED_MAX ? "\n...\n" : "\n");
    fflush(stdout);
}

static unsigned char on_tab(EditLine *el, wint_t key)
{
    struct line_editor *e = editor_of(el);
    struct str before;
    size_t n = 0;
    unsigned char end = CC_REFRESH;

    (void)key;
    (void)line_editor_text_of(el, &before);
    AUTO_BUF struct buf copy = {0};
    buf_init(&copy, before.n + 1);
    add_without_more(&copy, before);
    before = buf_str(&copy);
    const char *line = before.n ? memrchr(before.p, '\n', before.n) : NULL;
    size_t from = line ? (size_t)(line - before.p) + 1 : 0;
    if (!str_trim(str_slice(before, from, before.n)).n)
        return el_insertstr(el, "    ") < 0 ? CC_ERROR : CC_REFRESH;
    json_t *words = e->use.complete(e->use.ctx, before, &n);
    size_t common = json_array_size(words) ? common_length(words) : 0;
    if (common > n) {
        AUTO_FREE char *more =
            xstrndup(json_string_value(json_array_get(words, 0)) + n, common - n);
        end = el_insertstr(el, more) < 0 ? CC_ERROR : CC_REFRESH;
    } else if (json_array_size(words) > 1) {
        list_words(words);
        end = CC_REDISPLAY;
    } else {
        end = CC_ERROR;
    }
    json_decref(words);
    return end;
}

/* ---- the editor ---- */

static void bind_keys(EditLine *el)
{
    static const char *const keys[][2] = {
        {"^M", "glovebox-enter"},      {"^J", "glovebox-enter"},
        {"^I", "glovebox-tab"},        {PASTE_BEGIN, "glovebox-paste"},
        {"\033[A", "glovebox-up"},     {"\033OA", "glovebox-up"},
        {"\033[B", "glovebox-down"},   {"\033OB", "glovebox-down"},
        {"^P", "glovebox-up"},         {"^N", "glovebox-down"},
        {DO_NEWLINE, "ed-newline"},    {DO_PREVIOUS, "ed-prev-history"},
        {DO_NEXT, "ed-next-history"},  {"^R", "em-inc-search-prev"},
        {"^W", "ed-delete-prev-word"}, {"\033[3~", "glovebox-delete"},
        {"\033[H", "ed-move-to-beg"},  {"\033OH", "ed-move-to-beg"},
        {"\033[F", "ed-move-to-end"},  {"\033OF", "ed-move-to-end"},
        {"\033[1;5C", "em-next-word"}, {"\033[1;5D", "ed-prev-word"},
        {"\033[D", "glovebox-left"},   {"\033OD", "glovebox-left"},
        {"\033[C", "glovebox-right"},  {"\033OC", "glovebox-right"},
        {"^H", "glovebox-backspace"},  {"^?", "glovebox-backspace"},
    };

    /* The narrow el_set copies the names, and never frees them. */
    el_wset(el, EL_ADDFN, L"glovebox-enter", L"ends the text, or begins a line", on_enter);
    el_wset(el, EL_ADDFN, L"glovebox-tab", L"completes a name", on_tab);
    el_wset(el, EL_ADDFN, L"glovebox-paste", L"takes a paste", on_paste);
    el_wset(el, EL_ADDFN, L"glovebox-up", L"a line up, or back in the history", on_up);
    el_wset(el, EL_ADDFN, L"glovebox-down", L"a line down, or on in the history", on_down);
    el_wset(el, EL_ADDFN, L"glovebox-left", L"a character back", on_left);
    el_wset(el, EL_ADDFN, L"glovebox-right", L"a character on", on_right);
    el_wset(el, EL_ADDFN, L"glovebox-backspace", L"deletes before the cursor", on_backspace);
    el_wset(el, EL_ADDFN, L"glovebox-delete", L"deletes at the cursor", on_delete);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        el_set(el, EL_BIND, keys[i][0], keys[i][1], NULL);
}

static bool terminal_can_edit(void)
{
    const char *term = getenv("TERM");

    return isatty(0) && isatty(1) && term && term[0] && strcmp(term, "dumb") != 0;
}

struct line_editor *line_editor_open(const struct line_editor_use *use)
{
    if (!terminal_can_edit())
        return NULL;
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        (void)setlocale(LC_CTYPE, "");
    struct line_editor *e = xcalloc(1, sizeof *e);
    e->use = *use;
    e->el = el_init("glovebox", stdin, stdout, stderr);
    e->history = history_init();
    if (!e->el || !e->history) {
        line_editor_close(e);
        return NULL;
    }
    history(e->history, &e->event, H_SETSIZE, HISTORY_ENTRIES);
    history(e->history, &e->event, H_SETUNIQUE, 1);
    el_set(e->el, EL_CLIENTDATA, e);
    el_set(e->el, EL_PROMPT_ESC, prompt_of, PROMPT_LITERAL);
    el_set(e->el, EL_GETCFN, get_key);
    el_set(e->el, EL_HIST, history, e->history);
    el_set(e->el, EL_EDITOR, "emacs");
    bind_keys(e->el);
    return e;
}

void line_editor_close(struct line_editor *e)
{
    if (!e)
        return;
    if (e->el)
        el_end(e->el);
    if (e->history)
        history_end(e->history);
    free(e);
}

void line_editor_remember(struct line_editor *e, struct str text)
{
    AUTO_BUF struct buf line = {0};

    buf_init(&line, PASTE_MAX * (1 + strlen(MORE)));
    add_with_more(&line, text);
    if (line.n)
        history(e->history, &e->event, H_ENTER, line.p);
}

enum line_editor_end line_editor_read(struct line_editor *e, struct buf *ret)
{
    int n = 0;

    e->cancelled = false;
    fputs(PASTE_ON, stdout);
    el_resize(e->el);
    const char *line = el_gets(e->el, &n);
    bool read = line && n > 0 && !e->cancelled;
    fputs(PASTE_OFF, stdout);
    if (!read)
        putchar('\n');
    fflush(stdout);
    if (!read)
        return e->cancelled ? LINE_CANCELLED : LINE_ENDED;
    add_without_more(ret, (struct str){line, (size_t)n - (line[n - 1] == '\n')});
    return LINE_READ;
}
