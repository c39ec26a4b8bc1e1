/* SPDX-License-Identifier: Apache-2.0
 *
 * Many runs in one process through the library: prints "fds BEFORE AFTER rss BEFORE AFTER" (KiB).
 *     library RUNS
 */
#include <dirent.h>
#include <glovebox.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int open_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = -3; /* ".", ".." and this one */

    while (dir && readdir(dir))
        count++;
    if (dir)
        closedir(dir);
    return count;
}

static long resident_kib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        pages = -1;
    if (file)
        fclose(file);
    return pages * 4;
}

static int run(glovebox *box, const char *code)
{
    glovebox_result *result = glovebox_run(box, "python", code, strlen(code), NULL);
    int ours = glovebox_result_error(result) != NULL;

    (void)glovebox_result_feedback_text(result);
    glovebox_free(glovebox_format(box, result, NULL, NULL));
    glovebox_result_free(result);
    return ours;
}

int main(int argc, char **argv)
{
    static const char *const programs[] = {
        "print(1)",
        "1/0",
        "open('f', 'w').write('x' * 100000)",
        "while True: pass",
        "print('x' * 3000000)",
        "import os; os.kill(os.getpid(), 9)",
    };
    int runs = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 100, ours = 0, fds = 0;
    long rss = 0;
    glovebox *box = glovebox_open();

    glovebox_set(box, "timeout", "150ms");
    glovebox_set(box, "log", "off");
    for (int i = 0; i < runs; i++) {
        if (i == runs / 4) { /* what is kept for reuse is there by now */
            fds = open_descriptors();
            rss = resident_kib();
        }
        ours += run(box, programs[(size_t)i % (sizeof programs / sizeof programs[0])]);
    }
    printf("fds %d %d rss %ld %ld failures %d\n", fds, open_descriptors(), rss, resident_kib(),
           ours);
    glovebox_close(box);
    return 0;
}
