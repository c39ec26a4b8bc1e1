/* SPDX-License-Identifier: Apache-2.0 */
#include "run/beside.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "formats/printable.h"
#include "languages/code_files.h"
#include "languages/preludes.h"
#include "run/beside_content.h"

enum {
    TEXTS_BYTES_MAX = 64 << 20,
    KNOWN_MAX = 20000,
    NAME_CHARS = 100,
    /* Limits on data for a reviewer: bytes of one text and of all texts, and the number of named
     * files. */
    SHOWN_MAX = 16 << 10,
    SHOWN_IN_ALL = 64 << 10,
    TOLD_MAX = 200,
};

struct beside_file {
    char *name, *bytes;
    char sum[SHA256_HEX];
};

struct look {
    struct beside *to;
    const struct beside_known *known;
};

/* ---- texts ---- */

void beside_add(struct beside *b, const struct beside_text *text)
{
    b->at = xrealloc_array(b->at, b->n + 1, sizeof *b->at);
    b->at[b->n++] = *text;
}

void beside_add_request(struct beside *b, const struct run_request *q)
{
    if (b->reviews && q->program.prelude_text.p && !prelude_is_ready(q->program.prelude_text))
        beside_add(b,
                   &(struct beside_text){.what = "the prelude", .text = q->program.prelude_text});
    for (size_t i = 0; i < q->policy.beside_count; i++)
        beside_add(b, &q->policy.beside[i]);
}

/* ---- files ---- */

static struct beside_file *new_file(struct beside *b, struct str path)
{
    AUTO_BUF struct buf name = {0};

    buf_init(&name, 8 * NAME_CHARS);
    printable_add_word(&name, path, NAME_CHARS);
    b->files = xrealloc_array(b->files, b->file_count + 1, sizeof *b->files);
    struct beside_file *file = &b->files[b->file_count++];
    *file = (struct beside_file){.name = buf_take(&name)};
    return file;
}

static int add_unread(struct beside *b, struct str path, const char *unread)
{
    beside_add(b, &(struct beside_text){.what = new_file(b, path)->name, .unread = unread});
    return 0;
}

static int by_sum(const void *a, const void *b)
{
    return memcmp(a, b, SHA256_HEX);
}

static bool is_known(const struct beside_known *known, const char *sum)
{
    return known && known->n && bsearch(sum, known->sums, known->n, sizeof *known->sums, by_sum);
}

/* The name is part of the hash: a known text is judged again if it has another name. */
static void sum_of(struct str path, struct str text, char ret[SHA256_HEX])
{
    struct sha256 sum;

    sha256_init(&sum);
    sha256_add(&sum, &path.n, sizeof path.n);
    sha256_add(&sum, path.p, path.n);
    sha256_add(&sum, text.p, text.n);
    sha256_hex(&sum, ret);
}

static int beside_add_text(struct look *l, const struct workspace_entry *entry,
                           const char *language, struct err *err)
{
    struct beside *b = l->to;
    AUTO_BUF struct buf text = {0};
    char sum[SHA256_HEX];

    if (entry->size > RUN_SOURCE_MAX)
        return add_unread(b, entry->path, "larger than 16 MiB");
    buf_init(&text, RUN_SOURCE_MAX);
    if (beside_content(b, entry, &text, err) < 0)
        return -1;
    sum_of(entry->path, buf_str(&text), sum);
    if (is_known(l->known, sum))
        return 0;
    b->bytes += text.n;
    if (b->bytes > TEXTS_BYTES_MAX)
        return err_set(err, ERR_LIMIT, "the modules of the workspace have more than %d MiB",
                       TEXTS_BYTES_MAX >> 20);
    size_t n = text.n;
    struct beside_file *file = new_file(b, entry->path);
    file->bytes = n ? buf_take(&text) : xstrdup("");
    memcpy(file->sum, sum, sizeof sum);
    beside_add(
        b, &(struct beside_text){.what = file->name,
                                 .text = {file->bytes, n},
                                 .language = policy_reads(str_from(language)) ? language : NULL});
    return 0;
}

/* Adds a text, unless the reviewer already received it. Takes the text over. */
static void add_shown(struct look *l, struct str path, char *text, size_t n)
{
    char sum[SHA256_HEX];

    sum_of(path, (struct str){text, n}, sum);
    if (is_known(l->known, sum)) {
        free(text);
        return;
    }
    struct beside_file *file = new_file(l->to, path);
    file->bytes = text;
    memcpy(file->sum, sum, sizeof sum);
    beside_add(l->to, &(struct beside_text){.what = file->name, .text = {text, n}});
}

static void add_named(struct look *l, const struct workspace_entry *entry)
{
    if (l->to->told++ > TOLD_MAX)
        return;
    bool last = l->to->told > TOLD_MAX;
    char *text =
        last ? xstrdup("[it and further files are not shown]\n")
             : xasprintf("[%llu bytes of data, not shown]\n", (unsigned long long)entry->size);
    add_shown(l, entry->path, text, strlen(text));
}

/* Adds a file that no interpreter takes for code by its name. */
static int add_data(struct look *l, const struct workspace_entry *entry, struct err *err)
{
    AUTO_BUF struct buf text = {0};

    if (entry->size > SHOWN_MAX || l->to->shown + entry->size > SHOWN_IN_ALL) {
        add_named(l, entry);
        return 0;
    }
    buf_init(&text, SHOWN_MAX);
    if (beside_content(l->to, entry, &text, err) < 0)
        return -1;
    size_t n = text.n;
    if (!n)
        return 0;
    if (memchr(text.p, 0, n) || !utf8_valid(buf_str(&text))) {
        add_named(l, entry);
        return 0;
    }
    l->to->shown += n;
    add_shown(l, entry->path, buf_take(&text), n);
    return 0;
}

/* True if an import could find the path. The name of an imported folder has no dot. */
static bool could_be_module(const struct beside *b, struct str path)
{
    const char *slash = memrchr(path.p, '/', path.n);
    struct str base = str_slice(path, slash ? (size_t)(slash + 1 - path.p) : 0, path.n);

    return beside_counts(b, code_file_of(path)) || !memchr(base.p, '.', base.n);
}

static int check_stop(const struct beside_stop *stop, struct err *err)
{
    if (!stop)
        return 0;
    if (stop->until_ms && clock_mono_ms() >= stop->until_ms)
        return err_set(err, ERR_TIMEOUT,
                       "the files of the workspace could not be read within the time limit, and "
                       "unread programs may not run here");
    return fd_readable(stop->cancel_fd)
               ? err_set(err, ERR_TIMEOUT, "stopped while the files of the workspace were read")
               : 0;
}

static int see(void *ctx, const struct workspace_entry *entry, struct err *err)
{
    struct look *l = ctx;
    const struct code_file *row = code_file_of(entry->path);
    const char *unread = NULL;

    if (check_stop(l->to->stop, err) < 0)
        return -1;
    if (!S_ISREG(entry->mode))
        return could_be_module(l->to, entry->path)
                   ? add_unread(l->to, entry->path, "not a file but a link or the like")
                   : 0;
    if (beside_counts(l->to, row))
        return row->unread ? add_unread(l->to, entry->path, row->unread)
                           : beside_add_text(l, entry, row->language, err);
    if (beside_unread_content(l->to, entry, &unread, err) < 0)
        return -1;
    if (unread)
        return add_unread(l->to, entry->path, unread);
    return l->to->reviews ? add_data(l, entry, err) : 0;
}

int beside_add_laid(struct beside *b, const struct lay_list *laid, struct err *err)
{
    return lay_list_each(laid, see, &(struct look){.to = b}, err);
}

int beside_add_folder(struct beside *b, int root_fd, const struct beside_known *known,
                      struct err *err)
{
    return workspace_each(root_fd, see, &(struct look){.to = b, .known = known}, err);
}

int beside_add_file(struct beside *b, const char *path, int fd, struct err *err)
{
    struct workspace_entry entry = {.path = str_from(path), .fd = fd};
    struct stat st;

    if (fstat(fd, &st) < 0)
        return err_sys(err, "read the file");
    entry.mode = st.st_mode;
    entry.size = (uint64_t)st.st_size;
    return see(&(struct look){.to = b}, &entry, err);
}

void beside_done(struct beside *b)
{
    for (size_t i = 0; i < b->file_count; i++) {
        free(b->files[i].name);
        free(b->files[i].bytes);
    }
    free(b->files);
    free(b->at);
    *b = (struct beside){0};
}

/* ---- the guard ---- */

static void judge_text(const struct beside_text *text, const struct policy *policy,
                       const struct guard_input *program, struct verdict *v)
{
    const struct guard_input input = {.code = text->text,
                                      .earlier = text->follows ? program->code : STR(""),
                                      .language = text->language,
                                      .stages = program->stages,
                                      .target = program->target};
    struct verdict own;

    guard_check(policy, &input, &own);
    if (own.allowed) {
        verdict_done(&own);
        return;
    }
    guard_about(text->what, &own);
    verdict_done(v);
    *v = own;
}

void beside_judge(const struct beside *b, const struct policy *policy,
                  const struct guard_input *program, struct verdict *v)
{
    for (size_t i = 0; i < b->n && v->allowed; i++) {
        const struct beside_text *text = &b->at[i];
        if (text->unread)
            guard_unread(text->what, text->unread, v);
        else if (policy && text->language)
            judge_text(text, policy, program, v);
    }
}

/* ---- allowed texts ---- */

void beside_learn(struct beside_known *known, const struct beside *b)
{
    if (known->n + b->file_count > KNOWN_MAX)
        beside_known_done(known);
    for (size_t i = 0; i < b->file_count && known->n < KNOWN_MAX; i++) {
        known->sums = xrealloc_array(known->sums, known->n + 1, sizeof *known->sums);
        memcpy(known->sums[known->n++], b->files[i].sum, SHA256_HEX);
    }
    if (b->file_count)
        qsort(known->sums, known->n, sizeof *known->sums, by_sum);
}

void beside_known_done(struct beside_known *known)
{
    free(known->sums);
    *known = (struct beside_known){0};
}
