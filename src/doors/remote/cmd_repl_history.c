/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "options/user_file.h"
#include "remote/cmd_repl.h"
#include "terminal/safe_text.h"

enum { HISTORY_MAX = 1 << 20 };
/* The lines before and after a cell of several lines. If the file is read as input, each of the two
 * separates cells. */
#define FIRST_LINE "# %%"
#define LAST_LINE  "%%"

/* Keeps the newer half, from the beginning of a line. */
static void halve(int fd)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 2 * HISTORY_MAX);
    if (lseek(fd, HISTORY_MAX / 2, SEEK_SET) < 0 || fd_read_all(fd, &b) < 0)
        return;
    const char *line = memchr(b.p, '\n', b.n);
    if (!line || ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
        return;
    (void)fd_write_all(fd, line + 1, b.n - (size_t)(line + 1 - b.p));
}

/* Appends with a single write, so that the lines of two processes are not mixed. */
void repl_history_add(struct str cell)
{
    AUTO_CLOSE int fd = user_file_open("repl_history", O_RDWR | O_CREAT | O_APPEND);
    AUTO_BUF struct buf line = {0};
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return;
    if (st.st_size > HISTORY_MAX)
        halve(fd);
    buf_init(&line, cell.n + 16);
    bool lines = memchr(cell.p, '\n', cell.n) != NULL;
    (void)buf_addf(&line, "%s%.*s\n%s", lines ? FIRST_LINE "\n" : "", (int)cell.n, cell.p,
                   lines ? LAST_LINE "\n" : "");
    (void)fd_write_all(fd, line.p, line.n);
}

void repl_history_show(size_t lines)
{
    AUTO_CLOSE int fd = user_file_open("repl_history", O_RDONLY);
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 4 * HISTORY_MAX);
    if (fd < 0 || fd_read_all(fd, &b) < 0)
        return;
    size_t from = b.n ? b.n - 1 : 0;
    while (from && (b.p[from - 1] != '\n' || --lines))
        from--;
    AUTO_FREE char *safe = safe_text(str_slice(buf_str(&b), from, b.n), true);
    fputs(safe, stdout);
}

void repl_history_load(struct line_editor *editor)
{
    AUTO_CLOSE int fd = user_file_open("repl_history", O_RDONLY);
    AUTO_BUF struct buf b = {0};
    struct str rest, line, cell = {0};
    bool inside = false;

    buf_init(&b, 4 * HISTORY_MAX);
    if (fd < 0 || fd_read_all(fd, &b) < 0)
        return;
    rest = buf_str(&b);
    while (str_next_line(&rest, &line)) {
        bool first = str_is(line, FIRST_LINE), last = str_is(line, LAST_LINE);
        if (first)
            cell = (struct str){rest.p, 0};
        else if (inside && !last && cell.p)
            cell.n = (size_t)(line.p + line.n - cell.p);
        if (inside && last && cell.n)
            line_editor_remember(editor, cell);
        else if (!inside && !first && !last && line.n)
            line_editor_remember(editor, line);
        inside = first || (inside && !last);
    }
}
