/* SPDX-License-Identifier: Apache-2.0
 *
 * What lies between the guard and the front doors: the tools of other languages, the verdict in a
 * result, and the library's glovebox_check.
 */
#include "languages/pythons.h"
#include "run/check.h"

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "glovebox.h"
#include "result/verdict_json.h"
#include "run/syntax_probe.h"
#include "tap.h"

/* ---- what other languages' tools say ---- */

static void complaint(const char *what, const char *text, unsigned line, unsigned column,
                      const char *message)
{
    struct syntax_complaint c;
    bool found = syntax_complaint_read(str_from(text), "/box/work/main.x", &c);

    if (!OK(found == (message != NULL), "%s: %s", what, message ? "a complaint" : "none") || !found)
        return;
    EQ_INT(c.line, line);
    EQ_INT(c.column, column);
    EQ_STR(c.message, message);
    free(c.message);
}

static void test_complaints(void)
{
    complaint("node",
              "/box/work/main.x:3\nconst a = ;\n          ^\n\nSyntaxError: Unexpected token "
              "';'\n    at wrapSafe (node:internal/modules/cjs/loader:1378:20)\n",
              3, 11, "SyntaxError: Unexpected token ';'");
    complaint("a node module",
              "file:///box/work/main.x:1\nexport (\n       ^\n\nSyntaxError: bad\n", 1, 8,
              "SyntaxError: bad");
    complaint("node at the end", "/box/work/main.x:2\n\n\n\nSyntaxError: Unexpected end\n", 2, 0,
              "SyntaxError: Unexpected end");
    complaint("bash",
              "/box/work/main.x: line 12: syntax error near unexpected token `fi'\n"
              "/box/work/main.x: line 12: `fi'\n",
              12, 0, "syntax error near unexpected token `fi'");
    complaint("dash", "/box/work/main.x: 4: Syntax error: \"fi\" unexpected\n", 4, 0,
              "Syntax error: \"fi\" unexpected");
    complaint("R",
              "Error in parse(file = commandArgs(TRUE)[1], keep.source = FALSE) : \n"
              "  /box/work/main.x:2:17: unexpected '{'\n1: y <- 1\n2: x <- function(a {\n"
              "                   ^\nCalls: invisible -> parse\nExecution halted\n",
              2, 17, "unexpected '{'");
    complaint("R at the end", "  /box/work/main.x:3:0: unexpected end of input\n", 3, 0,
              "unexpected end of input");
    complaint("a number too large", "/box/work/main.x:99999999999999999999: no\n", 999999999, 0,
              "99999999999: no");
    complaint("a name alone", "/box/work/main.x\n", 0, 0, NULL);
    complaint("a place alone", "/box/work/main.x:3", 0, 0, NULL);
    complaint("another file", "/box/work/other.x:3: no\n", 0, 0, NULL);
    complaint("nothing", "", 0, 0, NULL);
    complaint("the name twice, the second with a place",
              "reading /box/work/main.x\n/box/work/main.x:7:1: bad\n", 7, 1, "bad");
}

/* ---- targets ---- */

static void test_targets(void)
{
    char folder[] = "/tmp/glovebox-check-XXXXXX";
    static const struct {
        const char *name;
        unsigned target;
    } cases[] = {
        {"python3.11", 11}, {"python3.14", 14}, {"python3.10", 0}, {"python3.15", 0},
        {"python3", 0},     {"python3.", 0},    {"python3.1x", 0}, {"xpython3.12", 0},
    };

    if (!OK(mkdtemp(folder) != NULL, "a folder"))
        return;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO_FREE char *path = xasprintf("%s/%s", folder, cases[i].name);
        AUTO_FREE char *link = xasprintf("%s/link", folder);
        FILE *f = fopen(path, "w");
        OK(f && fclose(f) == 0 && symlink(path, link) == 0, "%s", cases[i].name);
        EQ_INT(check_target_of(python_minor(path)), cases[i].target);
        EQ_INT(check_target_of(python_minor(link)), cases[i].target);
        unlink(path);
        unlink(link);
    }
    EQ_INT(check_target_of(python_minor(NULL)), 0);
    EQ_INT(check_target_of(python_minor("/no/such/python3.12")), 0);
    rmdir(folder);
}

/* ---- verdicts as JSON ---- */

static void test_json(void)
{
    struct finding findings[] = {
        {.rule = "one",
         .severity = SEVERITY_HIGH,
         .points = 5,
         .message = (char *)"caf\xe9",
         .line = 2,
         .column = 3,
         .end_line = 2,
         .end_column = 4},
        {.rule = "two",
         .severity = SEVERITY_INFO,
         .message = (char *)"m",
         .hint = (char *)"h",
         .excerpt = (char *)"e"},
    };
    struct verdict v = {.allowed = false,
                        .stage = GUARD_IMPORTS,
                        .reason = (char *)"why",
                        .risk = 5,
                        .findings = findings,
                        .n = 2,
                        .left_out = 7};
    json_t *doc = verdict_json(&v), *first = json_array_get(json_object_get(doc, "findings"), 0),
           *second = json_array_get(json_object_get(doc, "findings"), 1);

    EQ_STR(json_string_value(json_object_get(doc, "stage")), "imports");
    EQ_STR(json_string_value(json_object_get(doc, "reason")), "why");
    EQ_INT(json_integer_value(json_object_get(doc, "findings_left_out")), 7);
    OK(json_is_false(json_object_get(doc, "allowed")), "refused");
    EQ_STR(json_string_value(json_object_get(first, "message")), "caf\xef\xbf\xbd");
    EQ_STR(json_string_value(json_object_get(first, "severity")), "high");
    OK(json_is_null(json_object_get(first, "hint")), "no hint");
    OK(json_is_null(json_object_get(first, "excerpt")), "no excerpt");
    EQ_INT(json_integer_value(json_object_get(first, "column")), 3);
    OK(json_is_null(json_object_get(second, "line")), "no line");
    EQ_STR(json_string_value(json_object_get(second, "excerpt")), "e");
    json_decref(doc);
    v = (struct verdict){.allowed = true, .reason = (char *)""};
    doc = verdict_json(&v);
    OK(json_is_null(json_object_get(doc, "reason")), "no reason");
    EQ_INT(json_object_size(doc), 5);
    json_decref(doc);
}

/* ---- the library ---- */

static void checked(glovebox *box, const char *language, const char *code, int allowed,
                    const char *in_json)
{
    glovebox_result *r = glovebox_check(box, language, code, strlen(code));

    EQ_INT(glovebox_result_allowed(r), allowed);
    EQ_INT(glovebox_result_success(r), 0);
    EQ_INT(glovebox_result_exit_code(r), -1);
    OK(strstr(glovebox_result_json(r), in_json) != NULL, "%s in the JSON", in_json);
    OK(allowed || *glovebox_result_reason(r) || glovebox_result_error(r), "a refusal has a reason");
    glovebox_result_free(r);
}

static void test_library(void)
{
    glovebox *box = glovebox_open();

    checked(box, "python", "print(1)\n", 1, "\"verdict\":{\"allowed\":true,\"stage\":\"patterns\"");
    checked(box, "python", "x = (\n", 0, "\"verdict\":{\"allowed\":false,\"stage\":\"syntax\"");
    checked(box, NULL, "x = (\n", 0, "\"type\":\"SyntaxError\"");
    checked(box, "js", "x = (\n", 1, "\"stage\":\"input\"");
    checked(box, "nothing", "x", 0, "language 'nothing' is not known");
    EQ_INT(glovebox_set(box, "forbid-imports", "socket,ssl"), 0);
    checked(box, "python", "import ssl\n", 0, "\"stage\":\"imports\"");
    EQ_INT(glovebox_set(box, "profile", "nowhere"), 0);
    checked(box, "python", "1\n", 0, "--profile");
    glovebox_close(box);
}

int main(void)
{
    RUN(test_complaints());
    RUN(test_targets());
    RUN(test_json());
    RUN(test_library());
    return tap_done();
}
