/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks a CPython what it thinks: /usr/bin/python3, or the program that PYTHON_ORACLE names
 * (anything that takes `-I -c SCRIPT` and standard input), to run the same tests against other
 * versions.
 */
#ifndef PYTHON_ORACLE_H
#define PYTHON_ORACLE_H

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/num.h"
#include "tap.h"

static inline const char *oracle_program(void)
{
    const char *named = getenv("PYTHON_ORACLE");

    return named ? named : "/usr/bin/python3";
}

static inline void oracle_become(const char *script, int in, int out)
{
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    execl(oracle_program(), oracle_program(), "-I", "-c", script, (char *)NULL);
    _exit(127);
}

/* What the script prints when it is fed `input`. False when there is no such Python. */
static inline bool oracle_ask(const char *script, struct str input, struct buf *ret)
{
    struct err err = {0};
    int status = -1, pipe[2] = {-1, -1};
    AUTO_CLOSE int in = fd_memory("input", input.p, input.n, &err);

    if (in < 0 || access(oracle_program(), X_OK) < 0 || fd_pipe(pipe, &err) < 0)
        return false;
    pid_t pid = fork();
    if (pid == 0)
        oracle_become(script, in, pipe[1]);
    fd_close(&pipe[1]);
    bool good = fd_read_all(pipe[0], ret) == 0;
    fd_close(&pipe[0]);
    waitpid(pid, &status, 0);
    return good && status == 0;
}

/* The N of the oracle's 3.N; 0 when there is none or it is not one of our targets. */
static inline unsigned oracle_target(void)
{
    AUTO_BUF struct buf answer = {0};
    int64_t minor = 0;

    buf_init(&answer, 100);
    if (!oracle_ask("import sys; print(sys.version_info[1], end='')", STR(""), &answer) ||
        !num_int64(buf_str(&answer), &minor) || minor < 11 || minor > 14)
        return 0;
    return (unsigned)minor;
}

/* Cuts a hexadecimal number and one character after it off *rest. */
static inline uint32_t oracle_hex(struct str *rest)
{
    uint32_t value = 0;

    for (; rest->n; rest->p++, rest->n--) {
        char c = *rest->p;
        if (c >= '0' && c <= '9')
            value = value << 4 | (uint32_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value << 4 | (uint32_t)(c - 'a' + 10);
        else
            break;
    }
    *rest = str_slice(*rest, 1, rest->n);
    return value;
}

#endif
