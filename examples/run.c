/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the Python program given as the first argument, with five seconds and 128 MiB.
 *     cc examples/run.c -Iinclude -Lbuild -lglovebox -o run-example
 */
#include <glovebox.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *code = argc > 1 ? argv[1] : "print('hello from inside')";
    glovebox *box = glovebox_open();

    if (glovebox_set(box, "timeout", "5s") < 0 || glovebox_set(box, "memory", "128m") < 0 ||
        glovebox_set(box, "log", "off") < 0) {
        fprintf(stderr, "%s\n", glovebox_error(box));
        return 2;
    }
    glovebox_result *result = glovebox_run(box, "python", code, strlen(code), NULL);
    if (glovebox_result_error(result))
        fprintf(stderr, "%s\n", glovebox_result_error(result));
    fputs(glovebox_result_stdout(result, NULL), stdout);
    fputs(glovebox_result_stderr(result, NULL), stderr);
    int status = glovebox_result_success(result) ? 0 : 1;
    glovebox_result_free(result);
    glovebox_close(box);
    return status;
}
