/* SPDX-License-Identifier: Apache-2.0
 *
 * As many spinning threads as are allowed.
 */
#include <pthread.h>
#include <unistd.h>

static void *spin(void *unused)
{
    (void)unused;
    for (;;)
        ;
    return NULL;
}

int main(void)
{
    static const char here[] = "here\n";
    pthread_t thread;
    int made = 0;

    while (made < 500 && pthread_create(&thread, NULL, spin, NULL) == 0)
        made++;
    if (made < 10 || write(1, here, sizeof here - 1) < 0)
        return 1;
    spin(NULL);
    return 0;
}
