/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as what a client of an MCP server sends: the first byte says in what pieces they come,
 * and the pieces must not matter. A message that is not refused has all that its kind has.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/rpc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { LINE_MAX_HERE = 1 << 12 };

static void check_message(const struct rpc_message *m)
{
    assert(m->kind == RPC_RESPONSE || m->method);
    assert(m->kind == RPC_NOTIFICATION || json_is_string(m->id) || json_is_integer(m->id));
    assert(!m->params || json_is_object(m->params));
}

/* Adds to a text what came of the line. */
static void on_line(void *ctx, struct str line)
{
    struct buf *all = ctx;
    struct rpc_message m;
    struct rpc_problem problem;

    if (!line.p) {
        (void)buf_adds(all, "too long\n");
        return;
    }
    json_t *doc = NULL;
    int status = rpc_parse(line, &doc, &problem);
    m = (struct rpc_message){0};
    if (status == 0)
        status = rpc_read(doc, &m, &problem);
    if (status == 0)
        check_message(&m);
    json_t *answer = status == 0 ? rpc_result(m.id, json_object()) : rpc_error(m.id, &problem);
    char *text = json_dumps(answer, JSON_COMPACT);
    assert(text && strlen(text) < 16 * LINE_MAX_HERE);
    (void)buf_addf(all, "%s\n", text);
    free(text);
    json_decref(answer);
    json_decref(m.doc);
}

static void read_in(struct str text, size_t step, struct buf *all)
{
    struct rpc_lines lines;

    rpc_lines_init(&lines, LINE_MAX_HERE, on_line, all);
    for (size_t i = 0; i < text.n; i += step)
        rpc_lines_feed(&lines, str_slice(text, i, i + step < text.n ? i + step : text.n));
    rpc_lines_end(&lines);
    rpc_lines_done(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    AUTO_BUF struct buf whole = {0};
    AUTO_BUF struct buf pieces = {0};
    struct str text = {n ? (const char *)data + 1 : "", n ? n - 1 : 0};

    buf_init(&whole, 1 << 26);
    buf_init(&pieces, 1 << 26);
    read_in(text, text.n + 1, &whole);
    read_in(text, n ? (data[0] & 15) + 1 : 1, &pieces);
    assert(str_eq(buf_str(&whole), buf_str(&pieces)));
    return 0;
}
