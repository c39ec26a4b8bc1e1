/* SPDX-License-Identifier: Apache-2.0
 *
 * The front end as a service for the tests: many programs in, one after the other, what it says of
 * each out. Starting a process for each would take longer than reading them.
 *
 *     request    verb, target (a byte each: 'd' dumps the tree, 'c' checks; the N of 3.N),
 *                length (4 bytes, the least significant first), that many bytes
 *     answer     length, that many bytes: a line "warning KIND LINE OFFSET TEXT" for each warning
 * of 'c', then a line "error KIND LINE OFFSET END_LINE END_OFFSET TEXT", or "ok" and the tree in
 * the next one; tabs between the fields
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "python/python.h"

enum { MAX_PROGRAM = 64 << 20 };

static bool read_length(uint32_t *ret)
{
    unsigned char raw[4];

    if (fread(raw, sizeof raw, 1, stdin) != 1)
        return false;
    *ret = raw[0] | (uint32_t)raw[1] << 8 | (uint32_t)raw[2] << 16 | (uint32_t)raw[3] << 24;
    return true;
}

static void write_answer(const struct buf *b)
{
    for (int shift = 0; shift < 32; shift += 8)
        putchar((int)(b->n >> shift & 0xff));
    fwrite(b->p, 1, b->n, stdout);
    fflush(stdout);
}

static void add_warnings(const struct python_tree *tree, struct buf *out)
{
    for (size_t i = 0; i < tree->warnings.n; i++) {
        const struct python_error *w = &tree->warnings.at[i];
        buf_addf(out, "warning\t%s\t%" PRIu32 "\t%" PRId32 "\t%s\n", python_error_name(w->kind),
                 w->line, w->column, w->message);
    }
}

static void add_error(const struct python_error *e, struct buf *out)
{
    buf_addf(out, "error\t%s\t%" PRIu32 "\t%" PRId32 "\t%" PRIu32 "\t%" PRId32 "\t%s\n",
             python_error_name(e->kind), e->line, e->column, e->end_line, e->end_column,
             e->message ? e->message : "(no message)");
}

static void answer(int verb, unsigned target, struct str program, struct buf *out)
{
    struct python_options options = {.target = target};
    struct python_tree tree;

    int failed = python_parse(program, &options, &tree);
    if (!failed && verb == 'c')
        failed = python_check(&tree);
    if (verb == 'c')
        add_warnings(&tree, out);
    if (failed) {
        add_error(&tree.error, out);
    } else {
        buf_adds(out, "ok\n");
        if (verb == 'd' && tree_dump(tree.module, target, true, out) < 0)
            buf_adds(out, "(no dump)");
    }
    python_tree_done(&tree);
}

int main(void)
{
    int verb, target;
    uint32_t length;

    while ((verb = getchar()) != EOF && (target = getchar()) != EOF && read_length(&length)) {
        struct buf out;
        /* Exactly as long as the program, so that reading behind its end is noticed. */
        char *program = length <= MAX_PROGRAM ? malloc(length ? length : 1) : NULL;
        if (!program || fread(program, 1, length, stdin) != length)
            return 1;
        buf_init(&out, (size_t)1 << 30);
        answer(verb, (unsigned)target, (struct str){program, length}, &out);
        write_answer(&out);
        buf_done(&out);
        free(program);
    }
    return 0;
}
