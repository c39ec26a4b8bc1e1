/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions as a C program sees them. Needs Python and the helper, as glovebox_run does.
 */
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "glovebox.h"
#include "tap.h"

/* The helper is one folder further up than where a program looks for it. */
static void find_helper(const char *program)
{
    const char *slash = strrchr(program, '/');
    AUTO_FREE char *path =
        xasprintf("%.*s/../glovebox-jail", slash ? (int)(slash - program) : 0, program);

    if (access(path, X_OK) == 0)
        setenv("GLOVEBOX_JAIL", path, 0);
}

static char *count(void *ctx, const char *args, const char *kwargs, char **error)
{
    ++*(int *)ctx;
    if (strcmp(args, "[0]") == 0) {
        *error = strdup("not 0, please");
        return NULL;
    }
    if (strcmp(args, "[1]") == 0)
        return strdup("{this is not JSON");
    return xasprintf("{\"args\":%s,\"kwargs\":%s}", args, kwargs);
}

static void on_output(void *ctx, int stream, const char *bytes, size_t n)
{
    char *seen = ctx;

    if (stream == 1 && n < 50)
        memcpy(seen + strlen(seen), bytes, n);
}

static glovebox_result *run(glovebox_session *s, const char *code)
{
    return glovebox_session_exec(s, code, strlen(code));
}

/* The value of the cell, or the type of its exception. */
static void gives(glovebox_session *s, const char *code, const char *want)
{
    glovebox_result *r = run(s, code);

    EQ_STR(glovebox_result_success(r) ? glovebox_result_value(r)
                                      : glovebox_result_exception_type(r),
           want);
    glovebox_result_free(r);
}

static void test_cells(glovebox *box, glovebox_session *s, const char *seen, const int *calls)
{
    gives(s, "x = 20", NULL);
    gives(s, "print('out')\nx + 1.5", "21.5");
    EQ_STR(seen, "out\n");
    gives(s, "1/0", "ZeroDivisionError");
    gives(s, "count(7, k='v') == {'args': [7], 'kwargs': {'k': 'v'}}", "true");
    gives(s, "count(0)", "RuntimeError");
    gives(s, "count(1)", "RuntimeError");
    EQ_INT(*calls, 3);
    OK(glovebox_set(box, "timeout", "1s") < 0, "no options while a session is open");
    glovebox_result *r = run(s, "final_answer([x])");
    EQ_STR(glovebox_result_final_answer(r), "[20]");
    glovebox_result_free(r);
    r = run(s, "x");
    OK(strstr(glovebox_result_results(r), "\"text/plain\":\"20\"") &&
           !glovebox_result_final_answer(r),
       "what it shows");
    OK(strstr(glovebox_result_json(r), "\"ended\":\"done\""), "the document has the cell");
    glovebox_result_free(r);
}

static void test_values(glovebox_session *s)
{
    EQ_INT(glovebox_session_set(s, "y", "[1, {\"$type\": \"tuple\", \"items\": []}]"), 0);
    gives(s, "y == [1, ()]", "true");
    char *text = glovebox_session_get(s, "y");
    EQ_STR(text, "[1,{\"$type\":\"tuple\",\"items\":[]}]");
    glovebox_free(text);
    OK(!glovebox_session_get(s, "nowhere") && strstr(glovebox_session_error(s), "nowhere"),
       "a name that is not there: %s", glovebox_session_error(s));
    OK(glovebox_session_set(s, "z", "{") < 0 && strstr(glovebox_session_error(s), "JSON"),
       "a value that is none");
    OK(glovebox_session_set(s, "\xff", "1") < 0, "a name that is none");
}

static void *interrupt_soon(void *session)
{
    for (int i = 0; i < 1000 && !glovebox_session_interrupt(session); i++)
        (void)poll(NULL, 0, 5);
    (void)poll(NULL, 0, 300);
    (void)glovebox_session_interrupt(session); /* in case it had hardly begun */
    return NULL;
}

static void test_ends(glovebox_session *s)
{
    pthread_t thread;

    EQ_INT(glovebox_session_interrupt(s), 0);
    if (pthread_create(&thread, NULL, interrupt_soon, s) != 0)
        return;
    gives(s, "import time\ntime.sleep(20)", "KeyboardInterrupt");
    pthread_join(thread, NULL);
    gives(s, "x", "20");
    glovebox_result *r = run(s, "import os; os._exit(3)");
    OK(!glovebox_result_success(r) && glovebox_result_exit_code(r) == 3, "it ends itself");
    glovebox_result_free(r);
    r = run(s, "x");
    OK(strstr(glovebox_result_error(r), "restart"), "and says so");
    glovebox_result_free(r);
    EQ_INT(glovebox_session_restart(s), 0);
    gives(s, "x", "NameError");
}

static int tried(glovebox_session *s, const char *code, int keep)
{
    glovebox_result *r = glovebox_session_try(s, code, strlen(code), keep);
    int kept = glovebox_result_kept(r);

    glovebox_result_free(r);
    return kept;
}

static void test_forks(glovebox_session *s)
{
    gives(s, "k = 1\nk", "1");
    glovebox_session *other = glovebox_session_fork(s);
    if (!other) {
        SKIP("no forks here");
        glovebox_session_close(s);
        return;
    }
    gives(other, "k += 1\nk", "2");
    gives(s, "k", "1");
    EQ_INT(tried(s, "k = 5", 1), 1);
    EQ_INT(tried(s, "k = 6\n1 / 0", 1), 0);
    EQ_INT(tried(s, "k = 7", 0), 0);
    gives(s, "k", "5");
    EQ_INT(tried(s, "k = 8\n1 / 0", 2), 1);
    EQ_INT(tried(s, "k = 9\nimport os; os._exit(1)", 2), 0);
    gives(s, "k", "8");
    gives(other, "count(k) is None", "false");
    glovebox_session_close(s);
    gives(other, "k", "2");
    glovebox_session_close(other);
}

/* Its guest is gone after a while, and a restart brings another. */
static void test_idle(glovebox *box)
{
    OK(glovebox_set(box, "idle", "300ms") == 0 && glovebox_set(box, "value", "last") == 0 &&
           glovebox_set(box, "preload", "json,math") == 0,
       "options of sessions");
    glovebox_session *s = glovebox_session_open(box, "python");
    if (!s)
        return;
    glovebox_result *r = glovebox_session_exec(s, "x = 5", 5);
    OK(glovebox_result_success(r) && strcmp(glovebox_result_value(r), "5") == 0,
       "preload and value");
    glovebox_result_free(r);
    for (int i = 0; i < 200 && glovebox_session_set(s, "y", "1") == 0; i++)
        usleep(400000);
    OK(strstr(glovebox_session_error(s), "idle"), "%s", glovebox_session_error(s));
    OK(glovebox_session_restart(s) == 0 && glovebox_session_set(s, "y", "1") == 0, "a restart");
    glovebox_session_close(s);
}

static void prints(glovebox_session *s, const char *code, const char *want)
{
    glovebox_result *result = glovebox_session_exec(s, code, strlen(code));

    EQ_STR(glovebox_result_stdout(result, NULL), want);
    glovebox_result_free(result);
}

static void test_network(glovebox *box, const char *net)
{
    OK(glovebox_set(box, "net", net) == 0, "--net %s", net);
    glovebox_session *s = glovebox_session_open(box, "python");
    if (!s)
        return;
    OK(glovebox_session_set_network(s, "allow:api.example.com") < 0, "opened without names: %s",
       glovebox_session_error(s));
    char *now = glovebox_session_network(s);
    EQ_STR(now, net);
    glovebox_free(now);
    glovebox_session_close(s);
}

static void test_changed_tools(glovebox_session *s, int *calls)
{
    static const char parameters[] = "[{\"name\": \"n\", \"type\": \"int\", \"default\": 1}]";

    OK(glovebox_session_on_tool(s, "later", "Counts.", parameters, count, calls) == 0,
       "a tool of an open session: %s", glovebox_session_error(s));
    prints(s, "import inspect\nprint(inspect.signature(later))", "(n: int = 1)\n");
    OK(glovebox_session_on_tool(s, "later", NULL, "[1]", count, calls) < 0, "%s",
       glovebox_session_error(s));
    OK(glovebox_session_on_tool(s, "later", NULL, "{", count, calls) < 0, "%s",
       glovebox_session_error(s));
    OK(glovebox_session_remove_tool(s, "later") == 0, "it is removed");
    OK(glovebox_session_remove_tool(s, "later") < 0, "... once: %s", glovebox_session_error(s));
    prints(s, "print('later' in globals())", "False\n");
}

/* A program may try again and again. */
static void test_refused_tools(glovebox *box, int *calls)
{
    enum { TRIES = 1000 };
    size_t before = 0;

    for (int i = 0; i <= TRIES; i++) {
        (void)glovebox_on_tool(box, "not a name", NULL, count, calls);
        if (i == 0)
            before = mallinfo2().uordblks;
    }
    OK(mallinfo2().uordblks < before + TRIES, "a tool that is refused takes no memory");
}

int main(int argc, char **argv)
{
    int calls = 0;
    char seen[200] = "";
    glovebox *box = glovebox_open();

    find_helper(argc > 0 ? argv[0] : "");
    OK(glovebox_set(box, "log", "off") == 0 && glovebox_set(box, "timeout", "20s") == 0, "options");
    OK(glovebox_on_tool(box, "count", "counts", count, &calls) == 0, "a tool");
    OK(glovebox_on_tool(box, "not a name", NULL, count, &calls) < 0, "%s", glovebox_error(box));
    RUN(test_refused_tools(box, &calls));
    glovebox_on_final_answer(box, 1);
    glovebox_on_output(box, on_output, seen);
    OK(!glovebox_session_open(box, "cobol") && *glovebox_error(box), "%s", glovebox_error(box));
    glovebox_session *s = glovebox_session_open(box, "python");
    if (!s) {
        SKIP("needs a jail that works here");
    } else {
        RUN(test_cells(box, s, seen, &calls));
        RUN(test_values(s));
        RUN(test_changed_tools(s, &calls));
        RUN(test_ends(s));
        glovebox_session *last = glovebox_session_open(box, "python");
        if (last)
            RUN(test_forks(last));
    }
    glovebox_session_close(s);
    glovebox_session_close(NULL);
    RUN(test_idle(box));
    RUN(test_network(box, "host"));
    RUN(test_network(box, "none"));
    OK(glovebox_set(box, "timeout", "1s") == 0, "options again");
    glovebox_close(box);
    return tap_done();
}
