/* SPDX-License-Identifier: Apache-2.0 */
#include "text/context.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "tap.h"

static struct context read_text(const char *text)
{
    struct context c;
    struct err err = {0};

    if (!OK(context_read(str_from(text), &c, &err) == 0, "it is read"))
        printf("# %s\n", err.msg);
    return c;
}

static char *text_of(const struct context *c)
{
    struct buf b;
    struct err err;

    buf_init(&b, 1 << 20);
    OK(context_write(c, &b, &err) == 0, "it can be written");
    return buf_take(&b);
}

/* Is what is at this path of the document this JSON? */
static void has(const struct context *c, const char *const *path, const char *want)
{
    const json_t *at = c->document;
    AUTO_FREE char *got = NULL;

    for (; *path; path++)
        at = json_object_get(at, *path);
    got = at ? json_dumps(at, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    if (!OK(tap_same(got, want), "%.70s", want ? want : "nothing"))
        printf("# got %s\n", got ? got : "nothing");
}

#define HAS(c, want, ...) has(c, (const char *const[]){__VA_ARGS__, NULL}, want)

static void test_keys(void)
{
    struct context c = read_text("");
    struct context_result r = {STR("print(1)"), STR("1\n"), STR(""), 1700000000};

    context_set_execution_id(&c, "", "s1");
    context_add_processed(&c, "", STR("a.csv"));
    context_add_processed(&c, "", STR("a.csv"));
    context_count_error(&c, "i1");
    context_count_error(&c, "i1");
    context_add_result(&c, "i1", &r);
    HAS(&c, "{\"execution_session_id\":\"s1\",\"processed_input_files\":[\"a.csv\"]}",
        "_code_execution_context");
    HAS(&c, "{\"i1\":2}", "_code_executor_error_counts");
    HAS(&c,
        "{\"i1\":[{\"code\":\"print(1)\",\"result_stderr\":\"\",\"result_stdout\":\"1\\n\","
        "\"timestamp\":1700000000}]}",
        "_code_execution_results");
    context_add_result(&c, "i1", &r);
    EQ_INT(json_array_size(
               json_object_get(json_object_get(c.document, "_code_execution_results"), "i1")),
           2);
    context_done(&c);
}

static void test_invocations(void)
{
    struct context c =
        read_text("{\"_code_execution_context\": {\"execution_session_id\": \"s\"}}");

    EQ_STR(context_execution_id(&c, ""), "s");
    EQ_STR(context_execution_id(&c, "i1"), "i1");
    context_set_execution_id(&c, "i1", "one");
    context_set_execution_id(&c, "i2", "two");
    context_add_processed(&c, "i1", STR("f.csv"));
    EQ_STR(context_execution_id(&c, ""), "s");
    EQ_STR(context_execution_id(&c, "i1"), "one");
    EQ_STR(context_execution_id(&c, "i2"), "two");
    OK(context_is_processed(&c, "i1", STR("f.csv")), "explored for one");
    OK(!context_is_processed(&c, "i2", STR("f.csv")), "not for the other");
    OK(!context_is_processed(&c, "", STR("f.csv")), "nor for all");
    context_count_error(&c, "i1");
    EQ_INT(context_error_count(&c, "i1"), 1);
    EQ_INT(context_error_count(&c, "i2"), 0);
    context_reset_errors(&c, "i1");
    context_reset_errors(&c, "i2");
    EQ_INT(context_error_count(&c, "i1"), 0);
    HAS(&c, "{\"i1\":0}", "_code_executor_error_counts");
    context_done(&c);
    c = read_text("");
    EQ_STR(context_execution_id(&c, ""), "");
    context_done(&c);
}

static void test_inputs(void)
{
    struct context c =
        read_text("{\"_code_executor_input_files\": ["
                  "{\"name\": \"a\", \"content\": \"YWI=\"},"
                  "{\"name\": \"b\", \"content\": \"abcd\", \"encoding\": \"utf-8\"},"
                  "{\"name\": \"c\", \"content\": \"not it\"}]}");
    struct context_input input;
    struct err err;

    EQ_INT(context_input_count(&c), 3);
    OK(context_input_read(&c, 0, &input, &err) == 0 && str_is(buf_str(&input.bytes), "ab"),
       "base64 where nothing is said");
    buf_done(&input.bytes);
    OK(context_input_read(&c, 1, &input, &err) == 0 && str_is(buf_str(&input.bytes), "abcd"),
       "what could be base64 is not when it says so");
    buf_done(&input.bytes);
    OK(context_input_read(&c, 2, &input, &err) < 0, "no base64");
    EQ_STR(err.msg, "_code_executor_input_files.2: the content is not base64; write \"encoding\": "
                    "\"utf-8\"");
    buf_done(&input.bytes);
    context_done(&c);
}

static void test_foreign(void)
{
    static const char text[] =
        "{\"z\": {\"b\": [1, null, true, 0.5, \"\\u0000\\u00e9\"]}, \"_code_execution_context\": "
        "null, \"a\": 9007199254740993, \"_code_executor_error_counts\": {\"i\": 1, \"k\": null}}";
    struct context c;
    struct err err;

    OK(context_read(str_from(text), &c, &err) < 0, "a count that is none");
    EQ_STR(err.msg, "_code_executor_error_counts.k: must be a whole number");
    c = read_text("{\"z\": {\"b\": [1, null, true, 0.5, \"\\u0000\\u00e9\"]}, "
                  "\"_code_execution_context\": null, \"a\": 9007199254740993}");
    context_count_error(&c, "i");
    context_set_execution_id(&c, "", "x");
    AUTO_FREE char *out = text_of(&c);
    struct context again = read_text(out);
    HAS(&again, "{\"b\":[1,null,true,0.5,\"\\u0000\xc3\xa9\"]}", "z");
    HAS(&again, "9007199254740993", "a");
    OK(strstr(out, "\"z\"") < strstr(out, "\"a\""), "keys stay in their order");
    context_done(&again);
    context_done(&c);
}

static void test_long_text(void)
{
    struct context c = read_text("");
    AUTO_FREE char *text = xmalloc(3 << 20);
    memset(text, 'x', 3 << 20);
    struct context_result r = {STR(""), {text, 3 << 20}, STR("\xff"), 0};

    context_add_result(&c, "", &r);
    const json_t *entry = json_array_get(
        json_object_get(json_object_get(c.document, "_code_execution_results"), ""), 0);
    const char *out = json_string_value(json_object_get(entry, "result_stdout"));
    OK(strlen(out) < (1 << 20) + 100 && strstr(out, "\n[... 2097152 bytes left out ...]\n"),
       "the middle of a long output is left out");
    EQ_STR(json_string_value(json_object_get(entry, "result_stderr")), "\xef\xbf\xbd");
    context_done(&c);
}

static void test_broken(void)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"{", "line 1, column 1: string or '}' expected near end of file"},
        {"{\"a\": 1,\n \"b\": }", "line 2"},
        {"[]", "line 1: must be an object"},
        {"{\"a\": 1, \"a\": 2}", "duplicate"},
        {"{\"_code_execution_context\": []}", "_code_execution_context: must be an object"},
        {"{\"_code_execution_context\": {\"execution_session_id\": 1}}",
         "_code_execution_context.execution_session_id: must be a string"},
        {"{\"_code_execution_context\": {\"processed_input_files\": [\"a\", 2]}}",
         "_code_execution_context.processed_input_files.1: must be a string"},
        {"{\"_code_execution_context\": {\"invocations\": {\"i\": []}}}",
         "_code_execution_context.invocations.i: must be an object"},
        {"{\"_code_executor_input_files\": {}}", "_code_executor_input_files: must be a list"},
        {"{\"_code_executor_input_files\": [{\"name\": \"a\"}]}",
         "_code_executor_input_files.0: needs a name and content, both strings"},
        {"{\"_code_executor_error_counts\": {\"i\": -1}}",
         "_code_executor_error_counts.i: must be a whole number"},
        {"{\"_code_execution_results\": {\"i\": {}}}", "_code_execution_results.i: must be a list"},
        {"{\"a\": 99999999999999999999999}", "too big"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct context c;
        struct err err = {0};
        OK(context_read(str_from(rows[i].text), &c, &err) < 0 && err.kind == ERR_USAGE &&
               strstr(err.msg, rows[i].want),
           "%s", rows[i].want);
        if (!strstr(err.msg, rows[i].want))
            printf("# %s\n", err.msg);
    }
}

static void test_nul(void)
{
    struct context c;
    struct err err = {0};

    OK(context_read((struct str){"{}\0{", 4}, &c, &err) < 0, "nothing is lost behind a NUL");
    EQ_STR(err.msg, "holds a NUL byte");
}

static void test_ids(void)
{
    AUTO_FREE char *text = xmalloc(258);
    struct err err;

    memset(text, 'x', 257);
    text[257] = '\0';
    OK(context_check_id("e-1 \xc3\xa9", "--invocation", &err) == 0, "an id");
    OK(context_check_id("", "--invocation", &err) == 0, "none");
    OK(context_check_id("a\nb", "--invocation", &err) < 0, "a line end");
    OK(context_check_id("\xff", "--invocation", &err) < 0, "no UTF-8");
    OK(context_check_id(text, "--invocation", &err) < 0, "too long");
    EQ_STR(err.msg, "--invocation: is longer than 256 bytes");
}

/* ---- the file ---- */

static char folder[] = "/tmp/test-context-XXXXXX";
static char *path;

static void put(const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0640);

    OK(fd >= 0 && fd_write_all(fd, text, strlen(text)) == 0, "a file is written");
    close(fd);
}

static char *content(void)
{
    struct buf b;
    struct err err;

    buf_init(&b, 1 << 20);
    (void)fd_read_file(path, &b, &err);
    return buf_take(&b);
}

/* One more error; -1 with the reason on the terminal. */
static int count_one(void)
{
    struct context_file f;
    struct err err = {0};

    if (context_file_open(path, -1, &f, &err) < 0) {
        printf("# %s\n", err.msg);
        return -1;
    }
    context_count_error(&f.context, "i");
    int result = context_file_save(&f, &err);
    if (result < 0)
        printf("# %s\n", err.msg);
    context_file_close(&f);
    return result;
}

static int64_t count_now(void)
{
    struct context_file f;
    struct err err = {0};
    int64_t n = -1;

    if (context_file_open(path, -1, &f, &err) == 0)
        n = context_error_count(&f.context, "i");
    else
        printf("# %s\n", err.msg);
    context_file_close(&f);
    return n;
}

static void test_file(void)
{
    struct stat st;
    struct context_file f;
    struct err err = {0};
    AUTO_FREE char *link = xasprintf("%s/link", folder);

    unlink(path);
    EQ_INT(count_one(), 0);
    OK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600, "a new one is the user's only");
    put("{\"mine\": 1}\n");
    OK(chmod(path, 0640) == 0 && symlink(path, link) == 0, "a mode, and a link");
    OK(context_file_open(link, -1, &f, &err) == 0, "through a link");
    context_count_error(&f.context, "i");
    OK(context_file_save(&f, &err) == 0, "it is saved");
    context_file_close(&f);
    OK(lstat(link, &st) == 0 && S_ISLNK(st.st_mode), "the link stays one");
    OK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0640, "the mode stays");
    AUTO_FREE char *text = content();
    EQ_STR(text, "{\n  \"mine\": 1,\n  \"_code_executor_error_counts\": {\n    \"i\": 1\n  }\n}\n");
}

static void test_refused(void)
{
    struct context_file f;
    struct err err = {0};
    AUTO_FREE char *before = NULL, *after = NULL;

    put("{\"a\": [1,\n2}");
    before = content();
    OK(context_file_open(path, -1, &f, &err) < 0 && err.kind == ERR_USAGE, "a broken document");
    OK(strstr(err.msg, "document.json: line 2, column") != NULL, "says where");
    after = content();
    EQ_STR(after, before);
    OK(context_file_open(folder, -1, &f, &err) < 0 && err.kind == ERR_USAGE, "a folder is none");
    OK(context_file_open("/nowhere/x", -1, &f, &err) < 0 && err.kind == ERR_USAGE,
       "nor a lost path");
    int fd = open(path, O_WRONLY | O_TRUNC);
    OK(ftruncate(fd, CONTEXT_MAX_BYTES + 1L) == 0, "a giant");
    close(fd);
    OK(context_file_open(path, -1, &f, &err) < 0 && err.kind == ERR_LIMIT, "is too large");
}

/* Saved only when there is room: a limit on the size of files, so that a write fails half-way. */
static void test_full(void)
{
    AUTO_FREE char *fresh = xasprintf("%s/.document.json.glovebox-new", folder);
    AUTO_FREE char *before = NULL, *after = NULL;

    put("{\"mine\": 1}\n");
    before = content();
    OK(mkdir(fresh, 0700) == 0, "something in the way of the new file");
    EQ_INT(count_one(), -1);
    after = content();
    EQ_STR(after, before);
    rmdir(fresh);
    EQ_INT(count_one(), 0);
}

static void test_cancelled(void)
{
    struct context_file f, other;
    struct err err = {0};
    int ends[2];

    put("{}");
    OK(context_file_open(path, -1, &f, &err) == 0, "somebody holds it");
    OK(fd_pipe(ends, &err) == 0 && write(ends[1], "", 1) == 1, "and somebody has no time");
    OK(context_file_open(path, ends[0], &other, &err) < 0 && err.kind == ERR_TIMEOUT, "to wait");
    context_file_close(&f);
    OK(context_file_open(path, ends[0], &other, &err) == 0, "which is not needed any more");
    context_file_close(&other);
    fd_close(&ends[0]);
    fd_close(&ends[1]);
}

static void test_together(void)
{
    enum { PROCESSES = 6, EACH = 15 };
    int failed = 0, status;

    put("");
    for (int i = 0; i < PROCESSES; i++) {
        fflush(stdout);
        if (fork() == 0) {
            int bad = 0;
            for (int j = 0; j < EACH; j++)
                bad |= count_one() < 0;
            _exit(bad);
        }
    }
    while (wait(&status) > 0)
        failed += status != 0;
    EQ_INT(failed, 0);
    EQ_INT(count_now(), PROCESSES * EACH);
}

/* Whenever it is killed, the document is whole, and the number only grows. */
static void test_killed(void)
{
    enum { ROUNDS = 60 };
    int64_t last = 0, whole = 0;

    put("{}");
    for (int i = 0; i < ROUNDS; i++) {
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            while (count_one() == 0)
                ;
            _exit(1);
        }
        for (int n = 0; i % 2 && n < 100000 && count_now() <= last; n++)
            nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
        nanosleep(&(struct timespec){.tv_nsec = 200000L * (i % 20 + 1)}, NULL);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        int64_t now = count_now();
        whole += now >= last;
        last = now;
    }
    EQ_INT(whole, ROUNDS);
    OK(last > ROUNDS / 4, "it was killed while it worked (%lld times written)", (long long)last);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    path = xasprintf("%s/document.json", folder);
    RUN(test_keys());
    RUN(test_invocations());
    RUN(test_inputs());
    RUN(test_foreign());
    RUN(test_long_text());
    RUN(test_broken());
    RUN(test_nul());
    RUN(test_ids());
    RUN(test_file());
    RUN(test_refused());
    RUN(test_full());
    RUN(test_cancelled());
    RUN(test_together());
    RUN(test_killed());
    AUTO_FREE char *link = xasprintf("%s/link", folder);
    AUTO_FREE char *fresh = xasprintf("%s/.document.json.glovebox-new", folder);
    unlink(link);
    unlink(fresh);
    unlink(path);
    rmdir(folder);
    free(path);
    return tap_done();
}
