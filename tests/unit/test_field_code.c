/* SPDX-License-Identifier: Apache-2.0
 *
 * Every field of every door that holds text says what that text can become. A new field without a
 * word about it fails here.
 */
#include <string.h>

#include "mcp/tools.h"
#include "routes/routes.h"
#include "tap.h"

static size_t fields, texts;

static void look_at(const char *door, const struct ask_form *form)
{
    struct ask_walk walk = {0};
    const struct setting *row;

    while ((row = ask_next(form, &walk))) {
        fields++;
        texts += setting_holds_text(row);
        OK(!setting_holds_text(row) || row->code != CODE_UNSAID,
           "%s: '%s' says what its text can become", door, row->field);
        if (row->items)
            look_at(door, row->items);
    }
}

static enum field_code code_in(const struct ask_form *form, const char *name)
{
    struct ask_walk walk = {0};
    const struct setting *row;

    while ((row = ask_next(form, &walk)))
        if (strcmp(row->field, name) == 0)
            return row->code;
    return CODE_UNSAID;
}

static void test_all(void)
{
    for (const struct route *r = routes; r->path; r++)
        look_at(r->path, &r->form);
    for (const struct mcp_tool *tool = mcp_tools; tool->name; tool++)
        look_at(tool->name, &tool->form);
    OK(fields > 400 && texts > 150, "all doors were looked at: %zu fields, %zu with text", fields,
       texts);
}

/* The same field is the same at each door. */
static void test_same(void)
{
    static const char *const names[] = {"code", "files", "cases", "func", "setup", "args", "stdin"};
    const struct ask_form run = {.verb = V_RUN}, judged = {.verb = V_TEST};
    const struct mcp_tool *execute = tool_find(STR("execute_code")),
                          *test = tool_find(STR("test_code"));

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        enum field_code by_http = code_in(&judged, names[i]);
        if (!by_http)
            by_http = code_in(&run, names[i]);
        enum field_code by_mcp = code_in(&test->form, names[i]);
        if (!by_mcp)
            by_mcp = code_in(&execute->form, names[i]);
        OK(by_http && (!by_mcp || by_mcp == by_http), "'%s' over HTTP and MCP", names[i]);
    }
}

int main(void)
{
    RUN(test_all());
    RUN(test_same());
    return tap_done();
}
