/* SPDX-License-Identifier: Apache-2.0
 *
 * Packages for a program, installed in its sandbox before it starts. pip gets them as arguments of
 * a process: no shell reads them.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "far/e2b_parts.h"
#include "formats/printable.h"

enum { SAID_MAX = 4096, LINE_LONG = 32 << 10 };

/* The machine is made for one guest, so pip may replace system packages and run as root. */
static const char *const before[] = {"env", "PIP_BREAK_SYSTEM_PACKAGES=1",
                                     "PIP_ROOT_USER_ACTION=ignore"};
static const char *const pip[] = {
    "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--quiet"};

/* The command, whose list the caller frees. */
static const char **command_of(const struct backend_job *job)
{
    size_t n = 0, at = 0;

    while (job->packages[n])
        n++;
    const char **argv = xcalloc(n + ARRAY_LEN(before) + ARRAY_LEN(pip) + 2, sizeof *argv);
    for (size_t i = 0; i < ARRAY_LEN(before); i++)
        argv[at++] = before[i];
    argv[at++] = job->exec_path;
    for (size_t i = 0; i < ARRAY_LEN(pip); i++)
        argv[at++] = pip[i];
    for (size_t i = 0; i < n; i++)
        argv[at++] = job->packages[i];
    return argv;
}

/* Sets the error from the last line of output that explains the failure. */
static int say_failed(struct buf *words, int status, struct err *err)
{
    AUTO_BUF struct buf shown = {0};
    struct str rest = buf_str(words), line, last = {"", 0};

    while (str_next_line(&rest, &line))
        if (str_starts(line, "ERROR:") || !last.n)
            last = line;
    buf_init(&shown, 400);
    printable_add_word(&shown, last, 300);
    return err_set(err, ERR_UNSUPPORTED, "--pip: the packages cannot be installed (status %d): %s",
                   status, shown.p);
}

static void say_begun(const struct far_guest *guest)
{
    AUTO_BUF struct buf line = {0};

    if (!guest->sink->preparing)
        return;
    buf_init(&line, LINE_LONG);
    (void)buf_adds(&line, "pip installs");
    for (char *const *p = guest->job->packages; *p; p++)
        (void)buf_addf(&line, " %s", *p);
    guest->sink->preparing(guest->sink->ctx, line.p);
}

int e2b_install(struct far_guest *guest, struct err *err)
{
    struct e2b_place *place = e2b_place_of(guest);
    struct e2b_ended ended = {0};
    int64_t begun_ms = clock_mono_ms();

    if (!guest->job->packages)
        return 0;
    say_begun(guest);
    const char **argv = command_of(guest->job);
    const struct e2b_start start = {.argv = argv, .silent = true};
    buf_init(&ended.words, SAID_MAX);
    int result = e2b_run(place->e2b, &start, E2B_INSTALL_MS, guest->sink->cancel_fd, &ended, err);
    free(argv);
    place->refresh_ms += clock_mono_ms() - begun_ms; /* this time does not count */
    if (result < 0 && err->kind != ERR_TIMEOUT)
        err_wrap(err, "--pip");
    else if (result == 0 && ended.status != 0)
        result = say_failed(&ended.words, ended.status, err);
    buf_done(&ended.words);
    if (result < 0)
        return -1;
    outcome_phase(guest->out, "packages");
    return guest->job->net_host ? 0 : e2b_close_network(place->e2b, err);
}
