/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/mem.h"
#include "tap.h"
#include "text/blocks.h"
#include "text/codeact.h"
#include "text/parts.h"

#define F "```"

/* "language[info]code" for each, closed ones ending in '.', others in '~'. */
static void describe(const struct code_blocks *blocks, struct buf *out)
{
    for (size_t i = 0; i < blocks->n; i++) {
        const struct code_block *b = &blocks->at[i];
        (void)buf_addf(out, "%s%.*s[%.*s]", i ? " " : "", (int)b->language.n, b->language.p,
                       (int)b->info.n, b->info.p);
        (void)buf_add_str(out, b->code);
        (void)buf_adds(out, b->closed ? "." : "~");
    }
}

static void reads(const char *text, const char *want)
{
    struct code_blocks blocks;
    AUTO_BUF struct buf got = {0};

    buf_init(&got, 1 << 20);
    blocks_read(str_from(text), &blocks);
    describe(&blocks, &got);
    EQ_STR(got.p, want);
    blocks_done(&blocks);
}

static void test_fences(void)
{
    reads("", "");
    reads("no code here", "");
    reads(F "python\nprint(1)\n" F, "python[python]print(1).");
    reads(F "py\nx\n" F "\n", "python[py]x.");
    reads(F " Python3 title=\"a.py\"\nx\n" F, "python[Python3 title=\"a.py\"]x.");
    reads(F "{.python .numberLines}\nx\n" F, "python[{.python .numberLines}]x.");
    reads(F "C++\nx\n" F, "cpp[C++]x.");
    reads(F "\nx\n" F, "[]x.");
    reads("~~~js\nx\n~~~", "javascript[js]x.");
    reads("~~~\n" F "\n~~~", "[]" F ".");
    reads(F "\n~~~\n" F, "[]~~~.");
    reads("````md\n" F "py\nx\n" F "\n````", "md[md]" F "py\nx\n" F ".");
    reads(F "\nx\n`````", "[]x.");
    reads("````\nx\n" F "\ny\n````", "[]x\n" F "\ny.");
    reads(F "\nx\n" F " not\n" F, "[]x\n" F " not.");
    reads(F "\nx\n" F " \t\n", "[]x.");
    reads(F "\n" F, "[].");
    reads(F "\n\n" F, "[].");
    reads(F "\n\n\n" F, "[]\n.");
    reads("``\nx\n``", "");
    reads(F "py `x`\ny\n", "");
    reads("\xef\xbb\xbf" F "py\nx\n" F, "python[py]x.");
    reads("a " F "py\nx\n" F, "python[py]x.");
    reads("end it with " F "\nx\n", "");
}

static void test_unclosed(void)
{
    reads(F "py\nx\ny", "python[py]x\ny~");
    reads(F "py\nx\n", "python[py]x~");
    reads(F "py", "python[py]~");
    reads("<code>\nx\n", "[]x~");
    reads("> " F "\n> x\ny\n", "[]x~");
}

static void test_ends_of_lines(void)
{
    reads(F "py\r\nx\r\n  y\r\n" F "\r\n", "python[py]x\n  y.");
    reads(F "\nx\r\ny\n" F, "[]x\r\ny.");
    reads(F "py\r\n" F "\r\n", "python[py].");
}

static void test_indentation(void)
{
    reads("  " F "\n  x\n    y\n z\n  " F, "[]x\n  y\nz.");
    reads("- item\n\n  " F "py\n  x\n  " F, "python[py]x.");
    reads("- " F "py\n  x\n  " F, "python[py]x.");
    reads("10. " F "py\n    x\n     y\n    " F, "python[py]x\n y.");
    reads("      " F "\n      x\n      " F, "[]x.");
    reads("\t" F "\n\tx\n\t" F, "[]x.");
    reads("  " F "\n\tx\n  " F, "[]  x.");
    reads(F "\nx\n    " F "\n" F, "[]x\n    " F ".");
    reads(F "\nx\n   " F, "[]x.");
    reads("> " F "r\n> x <- 1\n>\n> y\n> " F, "r[r]x <- 1\n\ny.");
    reads("> > " F "\n> > x\n> > " F, "[]x.");
    reads(">" F "\n>x\n>" F, "[]x.");
}

/* A closer at the end of the last line of the code. */
static void test_glued(void)
{
    reads(F "python\nx\nprint(1)" F "\nSo.", "python[python]x\nprint(1).");
    reads("  " F "py\r\n  print(1)" F " \r\n", "python[py]print(1).");
    reads(F "python\nx  # " F "\n" F, "python[python]x  # " F ".");
    reads(F "python\n'''" F "\n" F "'''\n" F, "python[python]'''" F "\n" F "'''.");
    reads("````python\nx" F "\n````", "python[python]x" F ".");
    reads(F "js\nx = `" F "\n" F, "javascript[js]x = `" F ".");
}

static void test_one_line(void)
{
    reads(F "print(1)" F, "[]print(1).");
    reads(F "python print(1)" F, "python[python]print(1).");
    reads(F "print(1)" F " prints 1", "");
    reads("````a " F " b````", "[]a " F " b.");
    reads("<code>x = 1</code>", "[]x = 1.");
    reads("<code>x</code> is a name", "");
    reads("the <code>x</code>", "");
}

static void test_tags(void)
{
    reads("Thought: a\n<code>\nprint(1)\n</code>\nok", "[]print(1).");
    reads("<code>\n  x\n  y\n  </code>", "[]  x\n  y.");
    reads("<code>\r\nx\r\n</code>", "[]x.");
    reads("<code>\n" F "py\nx\n" F "\n</code>", "python[py]x.");
    reads("<code>x\ny</code>", "[]x\ny.");
    reads("Let me see. <code>\nx\n</code>", "[]x.");
    reads("<code></code>", "[].");
    reads("<code>\na\n</code>\n<code>\nb\n</code>", "[]a. []b.");
}

static void test_nested(void)
{
    reads(F "markdown\n# T\n" F "py\nx\n" F "\n" F "\n" F "\ny\n" F,
          "markdown[markdown]# T\n" F "py\nx\n" F ". []y.");
    reads(F "python\ns = \"\"\"\n" F "json\n{}\n" F "\n\"\"\"\n" F,
          "python[python]s = \"\"\"\n" F "json\n{}\n" F "\n\"\"\".");
    reads(F "python\ns = '''\n" F "\n" F "\n'''\n" F, "python[python]s = '''\n" F "\n" F "\n'''.");
    reads(F "python\n# don't '''\n'\"\"\"'\n" F, "python[python]# don't '''\n'\"\"\"'.");
    reads(F "python\ns = 'a\\\n\"\"\"'\n" F, "python[python]s = 'a\\\n\"\"\"'.");
    /* The string was the model's mistake. */
    reads(F "python\ns = '''\n" F "\nSo:\n" F "python\nx\n" F,
          "python[python]s = '''. python[python]x.");
    reads(F "python\ns = '''\n" F "\nSo.\n", "python[python]s = '''~");
    reads(F "python\ns = '''\n" F "\n" F "\n'''\nx",
          "python[python]s = '''\n" F "\n" F "\n'''\nx~");
    reads("````python\ns = '''\n````\n", "python[python]s = '''.");
}

/* ---- which is the code ---- */

static void chooses(const char *text, const char *want)
{
    struct code_blocks blocks;
    AUTO_BUF struct buf got = {0};

    buf_init(&got, 1 << 20);
    blocks_read(str_from(text), &blocks);
    blocks_keep_code(&blocks);
    (void)blocks_join(&blocks, &got);
    EQ_STR(got.p, want);
    blocks_done(&blocks);
}

static void filters(const char *text, const char *language, const char *want)
{
    struct str names[] = {str_from(language)};
    struct code_blocks blocks;
    AUTO_BUF struct buf got = {0};

    buf_init(&got, 1 << 20);
    blocks_read(str_from(text), &blocks);
    blocks_keep_languages(&blocks, names, 1);
    (void)blocks_join(&blocks, &got);
    EQ_STR(got.p, want);
    blocks_done(&blocks);
}

static void test_choice(void)
{
    chooses("Thought: try\n" F "py\nbad\n" F "\nCode:\n" F "py\ngood\n" F, "good");
    chooses("Thought: try\n" F "py\nonly\n" F, "only");
    chooses("Thought: try\n" F "py\nbad\n" F "\nCode:\nnothing", "");
    chooses(F "py\na\n" F "\n**Code:** is shorter now.", "a");
    chooses(F "py\na\n" F "\nCode:\nsee above", "a");
    chooses("**Code:**\n" F "\na\n" F, "a");
    chooses("### Code:\n" F "\na\n" F "\nObservation:\n" F "py\nb\n" F, "a");
    chooses("Code: " F "py\na\n" F, "a");
    chooses("Code: " F "a" F, "a");
    chooses("code:\n<code>\na\n</code>", "a");
    chooses(F "py\na\n" F "\nOutput:\n" F "\nb\n" F "\nNow:\n" F "py\nc\n" F, "a\n\nc");
    chooses(F "json\n{}\n" F "\n" F "py\na\n" F, "a");
    chooses(F "bash\npip install x\n" F "\n" F "py\na\n" F "\n" F "bash\nrun\n" F, "a");
    chooses(F "\na\n" F "\n" F "text\nb\n" F, "a");
    chooses(F "text\nb\n" F, "b");
    chooses(F "go\na\n" F "\n" F "\nb\n" F, "a");
    chooses(F "py\na\n" F "\n" F "py\nb\n" F, "a\n\nb");
    filters(F "py\na\n" F "\n" F "js\nb\n" F, "Python", "a");
    filters(F "py\na\n" F "\n" F "js\nb\n" F, "node", "b");
    filters(F "py\na\n" F "\n" F "\nprint(1)\n" F, "python", "a");
    filters(F "\nprint(1)\n" F "\n" F "\nls -la\n" F, "bash", "ls -la");
    filters(F "Kotlin\na\n" F, "kotlin", "a");
    filters(F "py\na\n" F, "r", "");
}

/* ---- places ---- */

static void test_places(void)
{
    static const char text[] = "Hi\n\n> " F "py\n> x = 1\n> y\n> " F "\n<code>\nz\n</code>.";
    struct code_blocks blocks;

    blocks_read(STR("a\n" F "py\nx = 1\n" F "\nb"), &blocks);
    EQ_INT(blocks.n, 1);
    EQ_INT(blocks.at[0].start, 2);
    EQ_INT(blocks.at[0].end, 17);
    EQ_INT(blocks.at[0].code_start, 8);
    EQ_INT(blocks.at[0].code_end, 13);
    blocks_done(&blocks);
    blocks_read(str_from(text), &blocks);
    for (size_t i = 0; i < blocks.n; i++) {
        const struct code_block *b = &blocks.at[i];
        OK(b->start < b->code_start && b->code_start <= b->code_end && b->code_end <= b->end &&
               b->end <= sizeof text - 1,
           "block %zu lies in the text", i);
    }
    blocks_done(&blocks);
}

/* ---- pairs ---- */

static void pairs(const char *text, const char *pair, const char *want)
{
    struct arena arena = {0};
    struct block_pair parsed[2];
    struct code_blocks blocks;
    struct err err;
    AUTO_BUF struct buf got = {0};

    buf_init(&got, 1 << 20);
    OK(block_pair_parse(&arena, str_from(pair), &parsed[0], &err) == 0, "%s is a pair", pair);
    parsed[1] = (struct block_pair){STR("{{js "), STR("}}")};
    blocks_read_pairs(str_from(text), parsed, 2, &blocks);
    describe(&blocks, &got);
    EQ_STR(got.p, want);
    blocks_done(&blocks);
    arena_done(&arena);
}

static void test_pairs(void)
{
    static const char *const wrong[] = {"", "..", "a..", "..b", "ab", "a ", " b"};
    struct arena arena = {0};
    struct block_pair pair;
    struct err err = {0};

    pairs("a<r>b</r>c<r>d</r>", "<r>..</r>", "[]b. []d.");
    pairs("a<r>b</r>{{js c}}<r>d", "<r> </r>", "[]b. javascript[]c. []d~");
    pairs("a<r>{{js b}}</r>", "<r>..</r>", "[]{{js b}}.");
    pairs(F "tool_code\nx\n" F, F "tool_code\\n..\\n" F, "python[]x.");
    pairs("nothing", "<r>..</r>", "");
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        OK(block_pair_parse(&arena, str_from(wrong[i]), &pair, &err) < 0 && err.kind == ERR_USAGE,
           "'%s' is no pair", wrong[i]);
    arena_done(&arena);
}

/* ---- other systems ---- */

static void smolagents(const char *text, const char *want, const char *complaint)
{
    struct code_blocks blocks;
    AUTO_BUF struct buf got = {0}, said = {0};

    buf_init(&got, 1 << 20);
    buf_init(&said, 1 << 20);
    blocks_read_smolagents(str_from(text), NULL, &blocks, &said);
    (void)blocks_join(&blocks, &got);
    EQ_STR(got.p, want);
    EQ_STR(said.p, complaint);
    blocks_done(&blocks);
}

static void test_smolagents(void)
{
    smolagents("<code>\n a \n</code> <code>b</code>", "a\n\nb", "");
    smolagents(F "py\na\n" F, "a", "");
    smolagents("x = 1\n", "x = 1\n", "");
    smolagents("no code", "",
               "Your code snippet is invalid, because the regex pattern <code>(.*?)</code> was not "
               "found in it.\nHere is your code snippet:\nno code\nMake sure to include code with "
               "the correct pattern, for instance:\nThoughts: Your thoughts\n<code>\n# Your python "
               "code here\n</code>");
    smolagents(
        "the final answer: 5 apples", "",
        "Your code snippet is invalid, because the regex pattern <code>(.*?)</code> was not "
        "found in it.\nHere is your code snippet:\nthe final answer: 5 apples\nIt seems like "
        "you're trying to return the final answer, you can do it as follows:\n<code>\n"
        "final_answer(\"YOUR FINAL ANSWER HERE\")\n</code>");
}

static void codeact(const char *text, const char *code, const char *answer, const char *message)
{
    struct codeact_reply reply;
    struct err err = {0};
    int result = codeact_read(str_from(text), &reply, &err);

    OK((result < 0) == (message != NULL), "%.40s is %s", text, message ? "refused" : "read");
    if (message)
        OK(strstr(err.msg, message), "%s", err.msg);
    else
        OK((code ? str_is(reply.code, code) : !reply.code.p) &&
               (answer ? str_is(reply.final_answer, answer) : !reply.final_answer.p),
           "with the right code or answer");
    codeact_done(&reply);
}

static void test_codeact(void)
{
    codeact("{\"thought\": \"t\", \"code\": \"print(1)\"}", "print(1)", NULL, NULL);
    codeact(F "json\n{\"thought\": \"t\", \"code\": \"x\", \"final_answer\": null}\n" F, "x", NULL,
            NULL);
    codeact("{\"thought\": \"t\", \"final_answer\": \"42\", \"task_successful\": true}", NULL, "42",
            NULL);
    codeact("{\"thought\": \"it\\'s\", \"code\": \"x\"}", "x", NULL, NULL);
    codeact("{\"thought\": \"t\", \"code\": \"x\", \"final_answer\": \"y\"}", NULL, NULL,
            "Cannot have both code and final_answer");
    codeact("{\"thought\": \"t\"}", NULL, NULL, "Must provide either code");
    codeact("{\"thought\": \"t\", \"code\": \" \"}", NULL, NULL, "Must provide either code");
    codeact("{\"code\": \"x\"}", NULL, NULL, "thought: Field required");
    codeact("{\"thought\": \"t\", \"code\": \"x\", \"task_successful\": true}", NULL, NULL,
            "task_successful must be False");
    codeact("{\"thought\": 1, \"code\": \"x\"}", NULL, NULL, "thought: Input should be");
    codeact("Thought: t\nCode:\n" F "python\nd = {'a': 1}\n" F, "d = {'a': 1}", NULL, NULL);
    codeact("Thought: t\nCode: x = 1", "x = 1", NULL, NULL);
    codeact("Thought: t\nAnswer: 42\nSuccessful: true", NULL, "42", NULL);
    codeact("Thought: t\nCode:\n" F "\nprint('Answer: 5')\n" F, "print('Answer: 5')", NULL, NULL);
    codeact("Thought: t\nCode:\n" F "\nx\n" F "\nAnswer: 5", NULL, NULL, "Cannot have both");
    codeact("Code:\n" F "\nx\n" F, NULL, NULL, "Could not extract 'Thought:' field");
    codeact("Thought: t", NULL, NULL, "Could not extract valid Code or Answer");
}

/* ---- parts ---- */

static void parts(const char *in, const char *code, const char *out)
{
    json_t *content = json_loads(in, 0, NULL);
    json_t *got = parts_extract_code(content, blocks_adk_pairs, BLOCKS_ADK_PAIRS);
    char *text = json_dumps(content, JSON_COMPACT);

    EQ_STR(got ? json_string_value(got) : NULL, code);
    EQ_STR(text, out);
    free(text);
    json_decref(got);
    json_decref(content);
}

#define CODE(code)     "{\"executable_code\":{\"language\":\"PYTHON\",\"code\":\"" code "\"}}"
#define TEXT(text)     "{\"text\":\"" text "\"}"
#define MESSAGE(parts) "{\"role\":\"model\",\"parts\":[" parts "]}"

static void test_parts(void)
{
    static const char done[] = MESSAGE(
        CODE("a") ",{\"code_execution_result\":{\"outcome\":\"OUTCOME_OK\",\"output\":\"1\"}}");

    parts("{}", NULL, "{}");
    parts(MESSAGE(""), NULL, MESSAGE(""));
    parts(MESSAGE(TEXT("hi")), NULL, MESSAGE(TEXT("hi")));
    parts(MESSAGE(TEXT("a") "," CODE("b") "," TEXT("c")), "b", MESSAGE(TEXT("a") "," CODE("b")));
    parts(done, NULL, done);
    parts(MESSAGE(TEXT("see\\n" F "python\\nx\\n" F " then\\n" F "python\\ny\\n" F)), "x",
          MESSAGE(TEXT("see\\n") "," CODE("x")));
    parts(MESSAGE(TEXT(F "tool_code\\nx") "," TEXT(F)), "x", MESSAGE(CODE("x")));
    parts("{\"parts\":[{\"text\":\"p" F "go\\nx\\n" F "\",\"thought\":true}]}", "x",
          "{\"parts\":[{\"text\":\"p\",\"thought\":true}," CODE("x") "]}");
    parts(MESSAGE("{\"executableCode\":{\"code\":\"x\"}}," TEXT("y")), "x",
          MESSAGE("{\"executableCode\":{\"code\":\"x\"}}"));
}

int main(void)
{
    RUN(test_fences());
    RUN(test_unclosed());
    RUN(test_ends_of_lines());
    RUN(test_indentation());
    RUN(test_glued());
    RUN(test_one_line());
    RUN(test_tags());
    RUN(test_nested());
    RUN(test_choice());
    RUN(test_places());
    RUN(test_pairs());
    RUN(test_smolagents());
    RUN(test_codeact());
    RUN(test_parts());
    return tap_done();
}
