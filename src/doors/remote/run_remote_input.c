/* SPDX-License-Identifier: Apache-2.0
 *
 * A run's standard input on its way to a daemon. Without --daemon we never wait for input: a
 * program may be meant to read input that arrives later, to talk to a terminal, or to end before
 * any arrives.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/fd.h"
#include "languages/language.h"
#include "policy/policy.h"
#include "remote/run_remote.h"

enum { INPUT_MAX = 4 << 20, INPUT_WAIT_MS = 2 };

/* ---- programs that do not read ---- */

/* Names that lead to standard input, to another program that inherits it, or to a name that is put
 * together at run time. */
static const char *const reading[] = {
    "input",   "stdin",      "open",         "read",    "exec",   "eval", "compile",
    "getattr", "attrgetter", "methodcaller", "globals", "locals", "vars", "help",
    "license", "breakpoint", "os",           "_os",     "sys",    "_sys", "io",
    "_io",     "dev",        "proc",         NULL,
};

/* Modules that neither read standard input nor give access to such names. */
static const char *const harmless[] = {
    "abc",         "array",       "base64",     "bisect",  "calendar", "cmath",     "collections",
    "copy",        "dataclasses", "datetime",   "decimal", "enum",     "fractions", "functools",
    "hashlib",     "heapq",       "itertools",  "json",    "math",     "operator",  "pprint",
    "random",      "re",          "statistics", "string",  "textwrap", "time",      "typing",
    "unicodedata", "uuid",        "zlib",       NULL,
};

static bool is_name_byte(char c)
{
    return ascii_is_word(c) || (unsigned char)c >= 0x80;
}

static struct str next_name(struct str *rest)
{
    size_t from = 0, to;

    while (from < rest->n && !is_name_byte(rest->p[from]))
        from++;
    for (to = from; to < rest->n && is_name_byte(rest->p[to]); to++)
        continue;
    struct str name = str_slice(*rest, from, to);
    *rest = str_slice(*rest, to, rest->n);
    return name;
}

/* Checks every name on a line with "import", so that each module of "import a, b" is checked.
 * Letters other than ASCII may be another spelling of a name. */
static bool line_reads(struct str line)
{
    bool imports = str_find(line, STR("import")) >= 0;
    struct str name;
    bool from = str_starts(str_trim(line), "from"), first = true;

    while ((name = next_name(&line)).n) {
        if (str_one_of(name, reading) || str_find(name, STR("__")) >= 0)
            return true;
        for (size_t i = 0; i < name.n; i++)
            if ((unsigned char)name.p[i] >= 0x80)
                return true;
        bool keyword = str_is(name, "import") || str_is(name, "from") || str_is(name, "as");
        if (!imports || keyword)
            continue;
        if (first && !str_one_of(name, harmless))
            return true;
        first = !from; /* names from a harmless module are harmless */
    }
    return false;
}

static bool text_reads(struct str code)
{
    struct str rest = code, line, piece;

    while (str_next_line(&rest, &line))
        while (str_next(&line, ';', &piece))
            if (line_reads(piece))
                return true;
    /* A backslash could put a name together, or continue a line. */
    return code.n && memchr(code.p, '\\', code.n);
}

static bool is_python(const struct run_request *q)
{
    const struct language *language =
        q->program.language && strcmp(q->program.language, "auto") != 0
            ? language_find(q->program.languages, str_from(q->program.language))
            : language_detect(q->program.languages, q->program.file, q->program.code);

    return language && policy_reads(str_from(language->name));
}

/* True if the program certainly reads nothing; false in doubt. is_python comes last: to find the
 * language, the program may have to be parsed. */
static bool never_reads(const struct run_request *q)
{
    return !(q->workspace.files && *q->workspace.files) && !q->program.prelude &&
           !text_reads(q->program.code) && is_python(q);
}

/* ---- reading the input ---- */

/* Reads all of a pipe whose writers have closed it. -1 if a writer is left. */
static int read_pipe(int fd, struct buf *input)
{
    struct pollfd p = {.fd = fd, .events = 0};

    if (poll(&p, 1, INPUT_WAIT_MS) <= 0 || !(p.revents & POLLHUP))
        return -1;
    return fd_read_all(fd, input);
}

/* For a required daemon: reads until the end of the input, or until Ctrl-C. */
static int wait_for_all(int fd, int cancel_fd, struct buf *input)
{
    struct pollfd p[] = {{.fd = fd, .events = POLLIN}, {.fd = cancel_fd, .events = POLLIN}};

    for (;;) {
        char *room = buf_room(input, 4096);
        if (!room || (poll(p, 2, -1) < 0 && errno != EINTR) || p[1].revents)
            return -1;
        ssize_t n = read(fd, room, 4096);
        if (n == 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return -1;
        buf_grew(input, n > 0 ? (size_t)n : 0);
    }
}

/* Reads a file from the descriptor's position on. */
static int run_remote_input_read_file(int fd, const struct stat *st, struct buf *input)
{
    off_t at = lseek(fd, 0, SEEK_CUR);

    if (at < 0 || st->st_size - at > INPUT_MAX)
        return -1;
    return fd_read_all(fd, input);
}

static bool is_null_device(const struct stat *st)
{
    struct stat null;

    return S_ISCHR(st->st_mode) && stat("/dev/null", &null) == 0 && S_ISCHR(null.st_mode) &&
           st->st_rdev == null.st_rdev;
}

int remote_take_input(const struct remote_run *run, struct buf *input)
{
    int fd = run->request->program.stdin_fd;
    bool demanded = run->options->settings.daemon;
    struct stat st;

    buf_init(input, INPUT_MAX + 8192);
    if (fd < 0)
        return 0;
    if (fstat(fd, &st) < 0)
        return -1;
    if (S_ISREG(st.st_mode))
        return run_remote_input_read_file(fd, &st, input);
    if (is_null_device(&st) || (demanded && isatty(fd)) || never_reads(run->request))
        return 0;
    if (demanded)
        return wait_for_all(fd, run->stream.cancel_fd, input);
    return S_ISFIFO(st.st_mode) ? read_pipe(fd, input) : -1;
}
