/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox serve --background`. A child process becomes the daemon. Until it listens, it prints
 * its messages where this process prints its own, so that the user sees why it does not start. Then
 * it sends its status document through a pipe, and its messages go to a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "cli/serve_background.h"
#include "console/options.h"
#include "formats/json_write.h"
#include "options/user_file.h"
#include "remote/serve_control.h"
#include "routes/routes.h"
#include "server/server.h"

enum { STATUS_MAX = 1 << 20, REPORT_FD = 3, OUTPUT_FD = 4 };

static int open_output(const char *named, char **ret_path, struct err *err)
{
    const int flags = O_WRONLY | O_APPEND | O_CREAT;
    int fd = named ? open(named, flags | O_CLOEXEC | O_NOCTTY, 0600)
                   : user_file_open("serve.log", flags);

    *ret_path = named ? xstrdup(named) : user_file_state("serve.log");
    if (!*ret_path)
        return err_set(err, ERR_USAGE, "$HOME is not set: name a file for messages with --output");
    return fd < 0 ? err_sys(err, "open --output %s", *ret_path) : fd;
}

/* ---- the child ---- */

/* Without a status document, the parent exits with this process's exit status. */
_Noreturn static void serve_background_end(const char *what)
{
    struct err err;

    err_sys(&err, "%s", what);
    exit(cli_fail("serve", &err));
}

static void on_listening(const struct server *server, void *ctx)
{
    json_t *status = server_status(server);
    AUTO_FREE char *text = json_write(status, false);

    (void)ctx;
    json_decref(status);
    if (dup2(OUTPUT_FD, 1) < 0 || dup2(OUTPUT_FD, 2) < 0)
        serve_background_end("send messages to --output");
    (void)close(OUTPUT_FD);
    (void)fd_write_all(REPORT_FD, text, strlen(text));
    (void)close(REPORT_FD);
}

/* Keeps only these two descriptors and standard error open. Other descriptors belong to the program
 * that started us, which may wait until they are closed. */
static void keep_descriptors(int report, int output)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int report_high = fcntl(report, F_DUPFD_CLOEXEC, 16),
        output_high = fcntl(output, F_DUPFD_CLOEXEC, 16);

    if (null < 0 || report_high < 0 || output_high < 0 || dup2(null, 0) < 0 ||
        dup2(output_high, 1) < 0 || dup3(report_high, REPORT_FD, O_CLOEXEC) < 0 ||
        dup3(output_high, OUTPUT_FD, O_CLOEXEC) < 0)
        serve_background_end("prepare the daemon's descriptors");
    (void)syscall(SYS_close_range, OUTPUT_FD + 1U, ~0U, 0U);
}

_Noreturn static void be_daemon(int argc, char **argv, struct config *config, int report,
                                int output)
{
    (void)setsid();
    keep_descriptors(report, output);
    exit(server_run(argc, argv, config, &daemon_site, on_listening, NULL));
}

/* ---- the parent ---- */

static int serve_background_show(const struct config *config, json_t *status, const char *output)
{
    AUTO_FREE char *addresses = serve_addresses(status);
    AUTO_FREE char *text = NULL;

    json_object_set_new(status, "output", json_string(output));
    text = json_write(status, false);
    if (config->settings.json)
        puts(text);
    else if (!config->settings.quiet)
        printf("listening on %s (process %lld); messages go to %s\n", addresses,
               (long long)json_integer_value(json_object_get(status, "pid")), output);
    return 0;
}

static int exit_status_of(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFSIGNALED(status))
        fprintf(stderr, "glovebox serve: signal %d ended it before it listened\n",
                WTERMSIG(status));
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    return code ? code : err_exit_status(ERR_SYSTEM);
}

static int await(const struct config *config, pid_t child, int report, const char *output)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, STATUS_MAX);
    json_t *status =
        fd_read_all(report, &text) == 0 && text.n ? json_loadb(text.p, text.n, 0, NULL) : NULL;
    if (!status)
        return exit_status_of(child);
    int result = serve_background_show(config, status, output);
    json_decref(status);
    return result;
}

static int serve_background_start(int argc, char **argv, struct config *config, struct err *err)
{
    AUTO_FREE char *path = NULL;
    AUTO_CLOSE int output = open_output(config->settings.output, &path, err);
    AUTO_CLOSE int from = -1, to = -1;
    int ends[2];

    if (output < 0)
        return -1;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_sys(err, "make a pipe");
    from = ends[0];
    to = ends[1];
    (void)fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        return err_sys(err, "start the daemon's process");
    if (child == 0)
        be_daemon(argc, argv, config, to, output);
    fd_close(&to);
    return await(config, child, from, path);
}

int serve_background(int argc, char **argv, struct config *config)
{
    struct err err;
    int status = serve_background_start(argc, argv, config, &err);

    config_drop(config);
    return status < 0 ? cli_fail("serve", &err) : status;
}
