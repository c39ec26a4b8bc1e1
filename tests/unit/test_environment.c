/* SPDX-License-Identifier: Apache-2.0 */
#include "request/environment.h"

#include <stdlib.h>

#include "base/mem.h"
#include "tap.h"

static const char *value_of(char **env, const char *name)
{
    size_t n = strlen(name);

    for (; *env; env++)
        if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
            return *env + n + 1;
    return NULL;
}

static char **make(char *const *users, uint32_t cpu_milli, const char *interpreter)
{
    struct run_request request = {.program.env = users, .limits.cpu_milli = cpu_milli};
    struct err err;

    return environment_make(&request, interpreter, NULL, NULL, &err);
}

static void test_nothing_of_the_host(void)
{
    char **env = make(NULL, 0, "/usr/bin/python3");

    OK(value_of(env, "SECRET_OF_THE_HOST") == NULL, "a variable of the host is not there");
    EQ_STR(value_of(env, "HOME"), "/tmp");
    EQ_STR(value_of(env, "USER"), "guest");
    EQ_STR(value_of(env, "LANG"), "C.UTF-8");
    OK(str_starts(str_from(value_of(env, "PATH")), "/usr/local/bin:/usr/bin"), "a plain PATH");
    OK(value_of(env, "OMP_NUM_THREADS") == NULL, "no limit on processors, none on threads");
    environment_free(env);
}

static void test_path(void)
{
    char **env = make(NULL, 0, "/opt/conda/bin/python3");

    OK(str_starts(str_from(value_of(env, "PATH")), "/opt/conda/bin:/usr/local/bin:"),
       "an interpreter's own folder comes first");
    environment_free(env);
    struct run_request plain = {0};
    struct err err;
    env = environment_make(&plain, "/usr/bin/bash", "/opt/py/bin/python3", NULL, &err);
    OK(str_starts(str_from(value_of(env, "PATH")), "/opt/py/bin:/usr/local/bin:"),
       "a program that others call, too");
    environment_free(env);
    env = environment_make(&plain, "/opt/sh/bin/bash", "/opt/py/bin/python3", NULL, &err);
    OK(str_starts(str_from(value_of(env, "PATH")), "/opt/py/bin:/opt/sh/bin:/usr/local/bin:"),
       "... beside the interpreter's");
    environment_free(env);
    env = environment_make(&plain, "/opt/py/bin/node", "/opt/py/bin/python3", NULL, &err);
    OK(str_starts(str_from(value_of(env, "PATH")), "/opt/py/bin:/usr/local/bin:"), "... once");
    environment_free(env);
    env = make(NULL, 0, "/usr/local/bin/node");
    OK(str_ends(str_from(value_of(env, "PATH")), ":/sbin"), "and the system's follow");
    environment_free(env);
}

static void test_threads(void)
{
    static const struct {
        uint32_t milli;
        const char *want;
    } rows[] = {{1, "1"}, {1000, "1"}, {1001, "2"}, {4000, "4"}};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char **env = make(NULL, rows[i].milli, "/usr/bin/python3");
        EQ_STR(value_of(env, "OMP_NUM_THREADS"), rows[i].want);
        environment_free(env);
    }
}

static void test_users(void)
{
    char *pairs[] = {(char *)"A=1",
                     (char *)"A=2",
                     (char *)"HOME=/elsewhere",
                     (char *)"WITH=a=b c\n",
                     (char *)"EMPTY=",
                     (char *)"SECRET_OF_THE_HOST",
                     (char *)"NOT_SET_AT_ALL",
                     NULL};
    char **env = make(pairs, 0, "/usr/bin/python3");
    size_t homes = 0;

    EQ_STR(value_of(env, "A"), "2");
    EQ_STR(value_of(env, "HOME"), "/elsewhere");
    EQ_STR(value_of(env, "WITH"), "a=b c\n");
    EQ_STR(value_of(env, "EMPTY"), "");
    EQ_STR(value_of(env, "SECRET_OF_THE_HOST"), "swordfish"); /* asked for by name */
    OK(value_of(env, "NOT_SET_AT_ALL") == NULL, "what the host has not is left out");
    for (char **p = env; *p; p++)
        homes += strncmp(*p, "HOME=", 5) == 0;
    EQ_INT(homes, 1);
    environment_free(env);
}

static void test_refused(void)
{
    static const char *const bad[] = {"", "=x"};

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        char *pairs[] = {(char *)bad[i], NULL};
        struct run_request request = {.program.env = pairs};
        struct err err = {0};
        OK(environment_make(&request, "/bin/sh", NULL, NULL, &err) == NULL && err.kind == ERR_USAGE,
           "'%s': %s", bad[i], err.msg);
    }
}

int main(void)
{
    setenv("SECRET_OF_THE_HOST", "swordfish", 1);
    unsetenv("NOT_SET_AT_ALL");
    RUN(test_nothing_of_the_host());
    RUN(test_path());
    RUN(test_threads());
    RUN(test_users());
    RUN(test_refused());
    return tap_done();
}
