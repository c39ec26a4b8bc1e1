/* SPDX-License-Identifier: Apache-2.0
 *
 * Every field of every door that holds text says what that text can become. A new field without a
 * word about it fails here.
 */
#include <string.h>

#include "mcp/tools.h"
#include "server/front.h"
#include "server/mcp_line_settings.h"
#include "tap.h"

static size_t fields, texts;

static void look_at(const char *door, const struct field *const *tables);

static void look_at_one(const char *door, const struct field *f)
{
    const struct field *const items[] = {f->items, NULL};

    fields++;
    texts += field_holds_text(f);
    OK(!field_holds_text(f) || field_code(f) != CODE_UNSAID,
       "%s: '%s' says what its text can become", door, f->name);
    if (f->items)
        look_at(door, items);
}

static void look_at(const char *door, const struct field *const *tables)
{
    for (; tables && *tables; tables++)
        for (const struct field *f = *tables; f->name; f++)
            look_at_one(door, f);
}

static enum field_code code_in(const struct field *const *tables, const char *name)
{
    for (; *tables; tables++)
        for (const struct field *f = *tables; f->name; f++)
            if (strcmp(f->name, name) == 0)
                return field_code(f);
    return CODE_UNSAID;
}

static void test_all(void)
{
    for (const struct route *r = routes; r->path; r++)
        look_at(r->path, r->fields);
    for (const struct mcp_tool *tool = mcp_tools; tool->name; tool++)
        look_at(tool->name, tool->fields);
    look_at("/mcp/lines", line_tables);
    OK(fields > 400 && texts > 150, "all doors were looked at: %zu fields, %zu with text", fields,
       texts);
}

/* The same field is the same at each door. */
static void test_same(void)
{
    static const char *const names[] = {"code", "files", "cases", "func", "setup", "args", "stdin"};
    const struct mcp_tool *execute = tool_find(STR("execute_code")),
                          *test = tool_find(STR("test_code"));

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        enum field_code by_http = code_in(test_tables, names[i]);
        if (!by_http)
            by_http = code_in(run_tables, names[i]);
        enum field_code by_mcp = code_in(test->fields, names[i]);
        if (!by_mcp)
            by_mcp = code_in(execute->fields, names[i]);
        OK(by_http && (!by_mcp || by_mcp == by_http), "'%s' over HTTP and MCP", names[i]);
    }
}

int main(void)
{
    batch_prepare();
    RUN(test_all());
    RUN(test_same());
    return tap_done();
}
