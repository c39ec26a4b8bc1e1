/* SPDX-License-Identifier: Apache-2.0
 *
 * A main for fuzz harnesses without a fuzzer: feeds them every file of their corpus, or those named
 * on the command line, and says so in TAP. An input that is not done after ten seconds of the
 * processor ends the program.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "tap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void bound_time(void)
{
    const struct itimerval busy = {.it_value.tv_sec = 10};

    (void)setitimer(ITIMER_PROF, &busy, NULL);
    (void)alarm(300); /* if it waits for ever */
}

static void replay(const char *path)
{
    struct err err;
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 64 << 20);
    if (fd_read_file(path, &b, &err) < 0) {
        OK(0, "%s", err.msg);
        return;
    }
    tap_says("begins", path);
    bound_time();
    /* An exact copy: a sanitizer then sees a read of the byte after the last. */
    AUTO_FREE char *exact = xmalloc(b.n);
    memcpy(exact, b.p, b.n);
    OK(LLVMFuzzerTestOneInput((const uint8_t *)exact, b.n) == 0, "%s", path);
    tap_says("ends", path);
}

static int is_input(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* build/replay/fuzz_conf takes tests/fuzz/corpus/conf. */
static void replay_corpus(const char *program)
{
    const char *name = strstr(program, "fuzz_");
    AUTO_FREE char *folder = xasprintf("tests/fuzz/corpus/%s", name ? name + 5 : program);
    struct dirent **entries = NULL;

    int n = scandir(folder, &entries, is_input, alphasort);
    OK(n > 0, "%s holds inputs", folder);
    for (int i = 0; i < n; i++) {
        AUTO_FREE char *path = xasprintf("%s/%s", folder, entries[i]->d_name);
        replay(path);
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    if (argc == 1)
        replay_corpus(argv[0]);
    return tap_done();
}
