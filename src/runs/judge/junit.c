/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes JUnit's XML for build servers. The head has the totals, which are known only at the end:
 * until then the cases are kept in an unnamed file.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "judge/suite.h"

/* Returns the length of a character that XML 1.0 does not permit, or 0. These are control
 * characters, U+FFFE and U+FFFF. */
static size_t no_character(const char *p, size_t n)
{
    unsigned char c = (unsigned char)*p;

    if (c < 0x20)
        return c != '\t' && c != '\n' && c != '\r';
    if (c == 0x7F)
        return 1;
    return n >= 3 && c == 0xEF && (unsigned char)p[1] == 0xBF && (unsigned char)p[2] >= 0xBE ? 3
                                                                                             : 0;
}

static void add_escaped(struct buf *b, char c)
{
    switch (c) {
    case '&':
        (void)buf_adds(b, "&amp;");
        break;
    case '<':
        (void)buf_adds(b, "&lt;");
        break;
    case '>':
        (void)buf_adds(b, "&gt;");
        break;
    case '"':
        (void)buf_adds(b, "&quot;");
        break;
    case '\t':
    case '\n':
    case '\r':
        (void)buf_addf(b, "&#%d;", c);
        break;
    default:
        (void)buf_addc(b, c);
    }
}

void junit_escape(struct buf *b, struct str text)
{
    AUTO_BUF struct buf clean = {0};

    buf_init(&clean, 3 * text.n + 1);
    (void)utf8_add_clean(&clean, text);
    for (size_t i = 0; i < clean.n;) {
        size_t skip = no_character(clean.p + i, clean.n - i);
        if (!skip)
            add_escaped(b, clean.p[i]);
        i += skip ? skip : 1;
    }
}

int junit_open(struct junit *j, const char *path, struct err *err)
{
    *j = (struct junit){.path = path, .new_path = xasprintf("%s.%ld.new", path, (long)getpid())};
    j->out = fopen(j->new_path, "wxe");
    j->cases = j->out ? tmpfile() : NULL;
    return j->cases ? 0 : err_sys(err, "write %s", path);
}

void junit_add(struct junit *j, const struct suite_result *r)
{
    AUTO_BUF struct buf b = {0};
    AUTO_FREE char *name = r->id ? xstrdup(r->id) : xasprintf("line %zu", r->line);
    const char *kind = r->error ? "error" : "failure", *why = r->error ? r->error : r->detail;

    buf_init(&b, 1 << 20);
    (void)buf_adds(&b, "  <testcase classname=\"");
    junit_escape(&b, str_from(name));
    (void)buf_addf(&b, "\" name=\"sample %zu\" time=\"%.3f\"", r->sample,
                   (double)r->duration_ms / 1000);
    if (r->all_passed) {
        (void)buf_adds(&b, "/>\n");
    } else {
        (void)buf_addf(&b, ">\n    <%s message=\"", kind);
        junit_escape(&b, str_from(why));
        (void)buf_addf(&b, "\">%zu of %zu passed</%s>\n  </testcase>\n", r->passed, r->total, kind);
    }
    fwrite(b.p, 1, b.n, j->cases);
    j->tests++;
    j->errors += r->error != NULL;
    j->failures += !r->all_passed && !r->error;
    j->ms += r->duration_ms;
}

static bool copy_cases(struct junit *j)
{
    char chunk[65536];
    size_t n;

    rewind(j->cases);
    while ((n = fread(chunk, 1, sizeof chunk, j->cases)) > 0)
        if (fwrite(chunk, 1, n, j->out) != n)
            return false;
    return !ferror(j->cases);
}

static bool write_document(struct junit *j)
{
    fprintf(j->out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"glovebox\" "
            "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\" time=\"%.3f\">\n",
            j->tests, j->failures, j->errors, (double)j->ms / 1000);
    return !ferror(j->cases) && copy_cases(j) && fputs("</testsuite>\n", j->out) >= 0 &&
           fflush(j->out) == 0;
}

int junit_close(struct junit *j, struct err *err)
{
    int result = 0;

    if (j->cases && (!write_document(j) || rename(j->new_path, j->path) < 0))
        result = err_sys(err, "write %s", j->path);
    if (j->cases)
        fclose(j->cases);
    if (j->out && (result < 0 || !j->cases))
        (void)unlink(j->new_path);
    if (j->out)
        fclose(j->out);
    free(j->new_path);
    *j = (struct junit){0};
    return result;
}
