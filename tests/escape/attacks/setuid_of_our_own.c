// SPDX-License-Identifier: Apache-2.0
// source: CVE-2023-0386 (overlayfs): a setuid file made inside, carried out to where it counts
// stopped-by: seccomp
// expect: EPERM
// then: collector
// expect-then: made
// denied: fchmod(setuid), chmod(setuid)
#include "attack.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* A mapped write does not go through the code that takes the bit off a file that is written to. */
static void by_open(void)
{
    int fd = open("by-open", O_RDWR | O_CREAT | O_EXCL, 04755);

    if (fd < 0 || posix_fallocate(fd, 0, 4096) != 0)
        return;
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED)
        memcpy(page, "#!/bin/sh\n", 10);
}

int main(void)
{
    struct stat st;

    by_open();
    int fd = open("by-chmod", O_WRONLY | O_CREAT, 0755);
    if (write(fd, "x", 1) != 1)
        held_errno();
    int result = fchmod(fd, 04755);
    int error = errno;
    (void)chmod("by-chmod", 06755);
    if (stat("by-chmod", &st) == 0 && st.st_mode & S_ISUID)
        held("made"); /* and the runner looks at what came out */
    errno = error;
    judge(result, "a setuid file");
}
