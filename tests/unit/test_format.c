/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "tap.h"
#include "text/format.h"
#include "text/parts.h"

#define F "```"

/* A result with what the cases do not name left as it is after a quiet run. */
static json_t *result(const char *members)
{
    AUTO_FREE char *text =
        xasprintf("{\"exit_code\": 0, \"stdout\": \"\", \"stderr\": \"\", \"timed_out\": false, "
                  "\"oom_killed\": false, \"signal\": null, \"exception\": null, \"error\": null, "
                  "\"files\": [], \"value\": null, \"verdict\": {\"allowed\": true}%s%s}",
                  *members ? ", " : "", members);
    json_t *document = json_loads(text, 0, NULL);

    OK(document != NULL, "%.60s is a result", members);
    return document;
}

static void formats(const char *members, enum format_profile profile, const char *want)
{
    json_t *document = result(members);
    struct err err;
    AUTO_BUF struct buf got = {0};

    buf_init(&got, 1 << 20);
    OK(format_check(document, &err) == 0, "it reads");
    OK(format_result(document, profile, &got) == 0, "it fits");
    EQ_STR(got.p, want);
    json_decref(document);
}

#define FAILED    "\"success\": false, \"exit_code\": 1"
#define OUT(text) "\"success\": true, \"stdout\": \"" text "\""
#define FILES                                                                                      \
    "\"files\": [{\"path\": \"a.png\", \"size\": 12, \"mime\": \"image/png\"}, "                   \
    "{\"path\": \"b.csv\", \"size\": 3, \"mime\": \"text/csv\"}]"

static void test_adk(void)
{
    formats(OUT("5\\n"), FORMAT_ADK, F "tool_output\n5\n\n" F);
    formats(OUT("5"), FORMAT_ADK, F "tool_output\n5\n\n" F);
    formats(OUT(""), FORMAT_ADK, F "tool_output\n\n" F);
    formats(OUT("x") ", \"stderr\": \"warning\"", FORMAT_ADK, F "tool_output\nx\n\n" F);
    formats(FAILED ", \"stdout\": \"x\", \"stderr\": \"boom\"", FORMAT_ADK,
            F "tool_output\nError: boom\n\n" F);
    formats(FAILED, FORMAT_ADK, F "tool_output\nExecution error: exit status 1\n\n" F);
    formats(FAILED ", \"error\": {\"message\": \"no image\"}", FORMAT_ADK,
            F "tool_output\nExecution error: no image\n\n" F);
    formats(OUT("") ", " FILES, FORMAT_ADK,
            F "tool_output\n\n[Generated 2 output file(s)]\n- a.png (12 bytes)\n- b.csv (3 "
              "bytes)\n\n" F);
    formats(OUT("a\\n" F "\\n " F "py\\nx" F), FORMAT_ADK,
            F "tool_output\na\n " F "\n  " F "py\nx" F "\n\n" F);
    formats(OUT(" 5\\n"), FORMAT_ADK_INLINE, "5");
    formats(OUT(""), FORMAT_ADK_INLINE, "Execution completed successfully");
    formats(FAILED ", \"stderr\": \"boom\\n\"", FORMAT_ADK_INLINE, "error: boom");
    formats(FAILED ", \"error\": {\"message\": \"no image\"}", FORMAT_ADK_INLINE,
            "execution failed: no image");
}

static void part(const char *members, const char *want)
{
    json_t *document = result(members);
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 1 << 20);
    format_adk_part(document, &text);
    json_t *got = parts_result(!format_success(document), buf_str(&text));
    char *dump = json_dumps(got, JSON_COMPACT);
    EQ_STR(dump, want);
    free(dump);
    json_decref(got);
    json_decref(document);
}

#define RESULT(outcome, output)                                                                    \
    "{\"code_execution_result\":{\"outcome\":\"OUTCOME_" outcome "\",\"output\":\"" output "\"}}"

static void test_parts(void)
{
    part(OUT("5\\n"), RESULT("OK", "Code execution result:\\n5\\n\\n"));
    part(OUT(""), RESULT("OK", "Code execution result:\\n\\n"));
    part(OUT("") ", " FILES, RESULT("OK", "Saved artifacts:\\n`a.png`,`b.csv`"));
    part(OUT("x") ", " FILES,
         RESULT("OK", "Code execution result:\\nx\\n\\n\\nSaved artifacts:\\n`a.png`,`b.csv`"));
    part(OUT("x") ", \"stderr\": \"only a warning\"",
         RESULT("OK", "Code execution result:\\nx\\n"));
    part(FAILED ", \"stderr\": \"boom\"", RESULT("FAILED", "boom"));
    part(FAILED ", \"timed_out\": true", RESULT("FAILED", "timed out"));
}

static void converts(const char *in, const char *want)
{
    json_t *content = json_loads(in, 0, NULL);

    parts_to_text(content, &blocks_adk_pairs[1], &format_adk_pair);
    char *got = json_dumps(content, JSON_COMPACT);
    EQ_STR(got, want);
    free(got);
    json_decref(content);
}

static void test_conversion(void)
{
    static const char two[] =
        "{\"role\":\"model\",\"parts\":[{\"text\":\"a\"}," RESULT("OK", "5") "]}";

    converts(
        "{\"role\":\"model\",\"parts\":[{\"text\":\"a\"},{\"executable_code\":{\"code\":\"x\"}}]}",
        "{\"role\":\"model\",\"parts\":[{\"text\":\"a\"},{\"text\":\"" F "python\\nx\\n" F "\"}]}");
    converts("{\"role\":\"model\",\"parts\":[" RESULT("OK", "5") "]}",
             "{\"role\":\"user\",\"parts\":[{\"text\":\"" F "tool_output\\n5\\n" F "\"}]}");
    converts(
        "{\"role\":\"model\",\"parts\":[{\"codeExecutionResult\":{\"outcome\":\"OUTCOME_OK\"}}]}",
        "{\"role\":\"user\",\"parts\":[{\"text\":\"\"}]}");
    converts(two, two);
    converts("{\"parts\":[]}", "{\"parts\":[]}");
}

static void test_observations(void)
{
    formats(OUT("a\\n") ", \"value\": \"b\"", FORMAT_SMOLAGENTS,
            "Execution logs:\na\nLast output from code snippet:\nb");
    formats(OUT(""), FORMAT_SMOLAGENTS, "Execution logs:\nLast output from code snippet:\nNone");
    formats(OUT("") ", \"value\": true", FORMAT_SMOLAGENTS,
            "Execution logs:\nLast output from code snippet:\nTrue");
    formats(OUT("") ", \"value\": 1, \"final_answer\": 42, \"is_final_answer\": true",
            FORMAT_SMOLAGENTS, "Execution logs:\nLast output from code snippet:\n42");
    formats(
        FAILED ", \"stdout\": \"a\", \"exception\": {\"type\": \"NameError\", \"message\": "
               "\"name 'x' is not defined\", \"line\": 2, \"statement\": \"print(x)\"}",
        FORMAT_SMOLAGENTS,
        "Execution logs:\na\nError:\nCode execution failed at line 'print(x)' due to: NameError: "
        "name 'x' is not defined\nNow let's retry: take care not to repeat previous errors! If "
        "you have retried several times, try a completely different approach.\n");
#define RETRY                                                                                      \
    "\nNow let's retry: take care not to repeat previous errors! If you have retried several "     \
    "times, "                                                                                      \
    "try a completely different approach.\n"
    formats(FAILED
            ", \"exception\": {\"type\": \"InterpreterError\", \"message\": \"Code execution "
            "failed at line 'x = 1 / 0' due to: ZeroDivisionError: division by zero\", "
            "\"line\": 1, \"traceback\": \"  File \\\"m.py\\\", line 1\\n    x = 1 / 0\\n\"}",
            FORMAT_SMOLAGENTS,
            "Execution logs:\nError:\nCode execution failed at line 'x = 1 / 0' due to: "
            "ZeroDivisionError: division by zero" RETRY);
    formats(
        "\"success\": false, \"exit_code\": -1, \"exception\": {\"type\": \"InterpreterError\", "
        "\"message\": \"Code parsing failed on line 1 due to: SyntaxError: no\\nb = = 2\\n    ^\", "
        "\"line\": 1}, \"verdict\": {\"allowed\": false, \"reason\": \"no\"}",
        FORMAT_SMOLAGENTS,
        "Execution logs:\nError:\nCode parsing failed on line 1 due to: SyntaxError: no\nb = = "
        "2\n    ^" RETRY);
    formats(FAILED ", \"timed_out\": true, \"limits_set\": {\"timeout_ms\": 1500}, \"exception\": "
                   "{\"type\": \"KeyboardInterrupt\", \"message\": \"\", \"line\": 1}",
            FORMAT_SMOLAGENTS,
            "Execution logs:\nError:\nCode execution exceeded the maximum execution time of 1.5 "
            "seconds" RETRY);
    formats(OUT(" a\\n") ", \"stderr\": \"w\\n\"", FORMAT_KODEAGENT, "a\n\nw");
    formats(FAILED ", \"stderr\": \"boom\"", FORMAT_KODEAGENT, "boom");
    formats(
        FAILED
        ", \"backend\": \"e2b\", \"stderr\": \"w\\nTrace\\nE: a\\n\", \"exception\": {\"type\": "
        "\"E\", \"message\": \"a\", \"traceback\": \"Trace\\nE: a\\n\"}",
        FORMAT_KODEAGENT, "w\n\nE\na");
    formats("\"success\": false, \"exit_code\": -1, \"verdict\": {\"allowed\": false, \"reason\": "
            "\"Forbidden builtin: eval\"}",
            FORMAT_KODEAGENT, "*** Error running code: CodeSecurityError: Forbidden builtin: eval");
    formats("\"success\": false, \"exit_code\": -1, \"stderr\": \"The following imports are "
            "disallowed:os\\nx\", \"verdict\": {\"allowed\": false, \"reason\": \"disallowed "
            "imports: os\"}",
            FORMAT_KODEAGENT, "The following imports are disallowed:os\nx");
    formats("\"success\": false, \"exit_code\": -1, \"stderr\": \"Code parsing failed due to: x\", "
            "\"exception\": {\"type\": \"SyntaxError\", \"message\": \"x\"}, \"verdict\": "
            "{\"allowed\": false, \"reason\": \"x\"}",
            FORMAT_KODEAGENT, "Code parsing failed due to: x");
    formats("\"success\": false, \"exit_code\": -1, \"exception\": {\"type\": "
            "\"CodeSecurityError\", \"message\": \"Pattern detection blocked: a\"}, "
            "\"verdict\": {\"allowed\": false, \"reason\": \"a\"}",
            FORMAT_KODEAGENT,
            "*** Error running code: CodeSecurityError: Pattern detection blocked: a");
    formats("\"success\": false, \"exit_code\": -1, \"error\": {\"kind\": \"usage\", "
            "\"message\": \"Unsupported code execution env: foo (use jail or host)\"}",
            FORMAT_KODEAGENT,
            "*** Error running code: UnknownCodeEnvError: Unsupported code execution env: foo");
    formats("\"success\": false, \"exit_code\": 124, \"timed_out\": true, \"stdout\": \"a\"",
            FORMAT_KODEAGENT, "a\n*** Error running code: TimeoutExpired: timed out");
}

static void test_chapter(void)
{
    AUTO_BUF struct buf members = {0}, want = {0};

    formats(OUT("5\\n"), FORMAT_CHAPTER, "5\n");
    formats(FAILED ", \"timed_out\": true, \"stdout\": \"x\"", FORMAT_CHAPTER, "Execution timeout");
    formats(FAILED ", \"oom_killed\": true", FORMAT_CHAPTER, "Memory limit exceeded");
    formats(FAILED ", \"stdout\": \"a\", \"stderr\": \"b\"", FORMAT_CHAPTER, "ab");
    for (int more = 0; more < 2; more++) {
        buf_init(&members, 1 << 20);
        buf_init(&want, 1 << 20);
        (void)buf_adds(&members, "\"success\": true, \"stdout\": \"");
        for (int i = 0; i < 10000 + more; i++) {
            (void)buf_adds(&members, "\xc3\xa9");
            if (i < 10000)
                (void)buf_adds(&want, "\xc3\xa9");
        }
        (void)buf_adds(&members, "\"");
        if (more)
            (void)buf_adds(&want, "...(truncated)");
        formats(members.p, FORMAT_CHAPTER, want.p);
        buf_done(&members);
        buf_done(&want);
    }
}

static void solution(const char *members, const char *code, const char *want)
{
    json_t *document = result(members);
    AUTO_BUF struct buf got = {0};

    buf_init(&got, 1 << 20);
    format_solution(document, STR("Add."), str_from(code), &got);
    EQ_STR(got.p, want);
    json_decref(document);
}

static void test_solution(void)
{
    solution(OUT("3"), "print(1+2)",
             "Problem: Add.\n\nSolution:\n" F "python\nprint(1+2)\n" F "\nResult: 3");
    solution(OUT("3"), "s = '" F "'\n",
             "Problem: Add.\n\nSolution:\n````python\ns = '" F "'\n````\nResult: 3");
    solution("\"success\": false, \"verdict\": {\"allowed\": false, \"reason\": \"no eval\"}", "x",
             "Invalid code: no eval");
    solution(FAILED ", \"stderr\": \"boom\"", "x", "Failed to execute: boom");
}

static void test_markdown(void)
{
    formats(OUT("5\\n"), FORMAT_MARKDOWN, "Output:\n\n" F "text\n5\n" F "\n");
    formats(OUT(""), FORMAT_MARKDOWN, "The program ran and printed nothing.\n");
    formats(OUT("5") ", " FILES, FORMAT_MARKDOWN,
            "Output:\n\n" F "text (no newline at the end)\n5\n" F
            "\n\nFiles:\n\n- `a.png` (12 bytes, image/png)\n- `b.csv` (3 bytes, text/csv)\n");
    formats(FAILED ", \"stderr\": \"a " F
                   "\\n\", \"exception\": {\"type\": \"KeyError\", \"message\": "
                   "\"'a'\", \"line\": 3}",
            FORMAT_MARKDOWN,
            "Errors:\n\n````text\na " F "\n````\n\nThe program failed: KeyError: 'a' (line 3).\n");
    formats(FAILED ", \"timed_out\": true", FORMAT_MARKDOWN, "The program failed: timed out.\n");
    formats("\"success\": false, \"exit_code\": 139, \"signal\": 11", FORMAT_MARKDOWN,
            "The program failed: killed by signal 11.\n");
    formats(OUT("") ", \"value\": [1, \"a\"]", FORMAT_MARKDOWN,
            "Value:\n\n" F "text (no newline at the end)\n[1, \"a\"]\n" F "\n");
}

static void test_no_result(void)
{
    static const char *const wrong[] = {"[]", "{}", "{\"total\": 1}"};
    struct err err = {0};

    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        json_t *document = json_loads(wrong[i], 0, NULL);
        OK(format_check(document, &err) < 0 && err.kind == ERR_USAGE, "%s: %s", wrong[i], err.msg);
        json_decref(document);
    }
}

/* ---- there and back ---- */

static uint64_t state = 88172645463325252;

static size_t random_below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state >> 11) % n;
}

static void make_output(struct buf *out)
{
    static const char *const pieces[] = {
        F,          F,           "````",        "~~~",
        "\n",       "\n",        "\n\n",        "\r\n",
        "\r",       " ",         "   ",         "\t",
        "`",        "text",      "a",           "```tool_output\n",
        "\n```",    "</code>",   "<code>",      "> ",
        "- ",       "Output:\n", "'''",         "\xc3\xa9",
        "\n```\n",  "Code:\n",   "```python\n", "\n ",
        " \n  ```",
    };

    buf_clear(out);
    for (size_t n = random_below(12); n > 0; n--)
        (void)buf_adds(out, pieces[random_below(ARRAY_LEN(pieces))]);
}

struct outputs {
    size_t n;
    struct buf first, second;
};

static void take(void *ctx, struct str output)
{
    struct outputs *outputs = ctx;

    if (outputs->n < 2)
        (void)buf_add_str(outputs->n ? &outputs->second : &outputs->first, output);
    outputs->n++;
}

static void extract(struct str text, enum format_profile profile, struct outputs *ret)
{
    ret->n = 0;
    buf_clear(&ret->first);
    buf_clear(&ret->second);
    format_extract(text, profile, take, ret);
}

/* In the adk profile an output that does not end its last line gets a line end. */
static bool adk_returns(struct str out, struct outputs *outputs)
{
    json_t *run =
        json_pack("{s:b, s:o}", "success", 1, "stdout", json_stringn_nocheck(out.p, out.n));
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 1 << 20);
    (void)buf_adds(&text, "before\n");
    (void)format_result(run, FORMAT_ADK, &text);
    json_decref(run);
    (void)buf_adds(&text, "\nafter " F "\n");
    extract(buf_str(&text), FORMAT_ADK, outputs);
    bool added = outputs->first.n == out.n + 1 && outputs->first.p[out.n] == '\n';
    return outputs->n == 1 && (outputs->first.n == out.n || (added && !str_ends(out, "\n"))) &&
           memcmp(outputs->first.p, out.p, out.n) == 0;
}

static bool markdown_returns(struct str out, struct str err, struct outputs *outputs)
{
    json_t *run =
        json_pack("{s:b, s:o, s:o}", "success", 1, "stdout", json_stringn_nocheck(out.p, out.n),
                  "stderr", json_stringn_nocheck(err.p, err.n));
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 1 << 20);
    (void)format_result(run, FORMAT_MARKDOWN, &text);
    json_decref(run);
    extract(buf_str(&text), FORMAT_MARKDOWN, outputs);
    size_t n = (out.n > 0) + (err.n > 0);
    struct str first = out.n ? out : err, second = out.n ? err : (struct str){"", 0};
    return outputs->n == n && str_eq(buf_str(&outputs->first), first) &&
           str_eq(buf_str(&outputs->second), second);
}

static void test_there_and_back(void)
{
    struct outputs outputs = {0};
    AUTO_BUF struct buf out = {0}, err = {0};
    int adk = 0, markdown = 0;

    buf_init(&out, 1 << 16);
    buf_init(&err, 1 << 16);
    buf_init(&outputs.first, 1 << 20);
    buf_init(&outputs.second, 1 << 20);
    for (int i = 0; i < 10000; i++) {
        make_output(&out);
        make_output(&err);
        adk += !adk_returns(buf_str(&out), &outputs);
        markdown += !markdown_returns(buf_str(&out), buf_str(&err), &outputs);
    }
    EQ_INT(adk, 0);
    EQ_INT(markdown, 0);
    buf_done(&outputs.first);
    buf_done(&outputs.second);
}

int main(void)
{
    RUN(test_adk());
    RUN(test_parts());
    RUN(test_conversion());
    RUN(test_observations());
    RUN(test_chapter());
    RUN(test_solution());
    RUN(test_markdown());
    RUN(test_no_result());
    RUN(test_there_and_back());
    return tap_done();
}
