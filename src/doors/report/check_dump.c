/* SPDX-License-Identifier: Apache-2.0 */
#include "report/check_dump.h"

#include <stdio.h>

#include "report/check_report.h"
#include "result/verdict_json.h"
#include "terminal/colours.h"

static enum check_dump put_tree(const struct python_tree *tree, bool attributes, struct err *err)
{
    AUTO_BUF struct buf dump = {0};

    buf_init(&dump, (size_t)2 << 30);
    if (tree_dump(tree->module, tree->target, attributes, &dump) < 0) {
        err_set(err, ERR_LIMIT, "its tree is too large to print");
        return CHECK_DUMP_FAILED;
    }
    fwrite(dump.p, 1, dump.n, stdout);
    putchar('\n');
    return CHECK_DUMP_DONE;
}

/* Prints the parser's error as a finding of the guard. */
static enum check_dump put_error(struct examination *e, const char *shown)
{
    struct finding_style style = {
        .out = stderr, .colour = terminal_colours(stderr), .least = RANK_ERROR};
    struct verdict verdict = {0};

    e->stages = 1u << GUARD_SYNTAX;
    examine(e, &verdict);
    fflush(stdout);
    json_t *document = verdict_json(&verdict);
    check_text_findings(&style, shown, document);
    json_decref(document);
    verdict_done(&verdict);
    return CHECK_DUMP_REFUSED;
}

enum check_dump check_dump(struct examination *e, const char *shown, bool attributes,
                           struct err *err)
{
    const struct python_tree *tree;

    if (!policy_reads(str_from(e->language->name))) {
        err_set(err, ERR_USAGE, "is in %s, and --dump-ast is for Python", e->language->name);
        return CHECK_DUMP_FAILED;
    }
    tree = examine_tree(e);
    return tree ? put_tree(tree, attributes, err) : put_error(e, shown);
}
