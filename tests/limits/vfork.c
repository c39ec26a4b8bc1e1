/* SPDX-License-Identifier: Apache-2.0
 *
 * Parents that wait in vfork() for children that never go on, four deep.
 */
#include <unistd.h>

static void descend(int depth)
{
    pid_t pid = vfork(); /* NOLINT: this is what is tried */

    if (pid == 0) {
        if (depth > 0)
            descend(depth - 1); /* NOLINT */
        for (;;)
            pause();
    }
}

int main(void)
{
    static const char here[] = "here\n";

    if (write(1, here, sizeof here - 1) < 0)
        return 1;
    descend(4);
    return 0;
}
