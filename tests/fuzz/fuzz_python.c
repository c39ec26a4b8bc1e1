/* SPDX-License-Identifier: Apache-2.0
 *
 * A byte that says for which Python, and a program. It is read and checked; a tree is printed and
 * walked, and has to say what the parser promises of all trees.
 */
#include <assert.h>
#include <stdint.h>

#include "base/buf.h"
#include "python/python.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MEMORY = 64 << 20, DUMP_MAX = 16 << 20 };

static int check_child(void *ctx, struct node *child);

/* Children are lower than their parent; what has a place ends where or after it begins. */
static void check_node(struct node *n)
{
    assert(n->kind < N_COUNT && n->height <= TREE_MAX_HEIGHT);
    if (node_types[n->kind].position)
        assert(n->line > 0 &&
               (n->end_line > n->line || (n->end_line == n->line && n->end_column >= n->column)));
    (void)node_each_child(n, check_child, n);
}

static int check_child(void *ctx, struct node *child)
{
    const struct node *parent = ctx;

    assert(child->height < parent->height);
    check_node(child);
    return 0;
}

static void check_error(const struct python_error *error)
{
    assert(error->kind != PYTHON_NO_ERROR && error->message && error->message[0]);
    assert(python_error_name(error->kind)[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct python_tree tree;

    if (n == 0)
        return 0;
    const struct python_options options = {.target = PYTHON_OLDEST + data[0] % 4,
                                           .memory_limit = MEMORY};
    int failed = python_parse((struct str){(const char *)data + 1, n - 1}, &options, &tree);
    if (failed) {
        check_error(&tree.error);
        assert(!tree.module);
    } else {
        AUTO_BUF struct buf dump = {0};
        buf_init(&dump, DUMP_MAX);
        check_node(tree.module);
        (void)tree_dump(tree.module, tree.target, true, &dump);
        if (python_check(&tree) < 0)
            check_error(&tree.error);
    }
    python_tree_done(&tree);
    return 0;
}
