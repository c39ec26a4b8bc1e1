/* SPDX-License-Identifier: Apache-2.0
 * source: seccomp_unotify(2), "the target can change the memory, its descriptors and its folders meanwhile"
 * args: --ro {data}
 * stopped-by: root
 * then: seccomp
 * expect: ENOENT
 * expect-then: unchanged
 *
 * While one thread changes the mode of a file of its own, others put the canary in its place: in the text of the
 * path, behind a link, as the descriptor, as the current folder.
 */
#include "attack.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

enum { SECONDS = 2 };

static char path[512], target[512], folder[512];
static int slot, own, theirs;
static volatile int over;

static void *swap_text(void *unused)
{
    (void)unused;
    while (!over) {
        strcpy(path, target);
        strcpy(path, "mine");
    }
    return NULL;
}

static void *swap_link(void *unused)
{
    (void)unused;
    while (!over) {
        if (symlink("mine", "a") == 0)
            rename("a", "link");
        if (symlink(target, "b") == 0)
            rename("b", "link");
    }
    return NULL;
}

static void *swap_descriptor(void *unused)
{
    (void)unused;
    while (!over) {
        dup2(theirs, slot);
        dup2(own, slot);
    }
    return NULL;
}

static void *swap_folder(void *here)
{
    while (!over) {
        if (chdir(folder) < 0 || chdir(here) < 0)
            break;
    }
    return NULL;
}

static void *change_all(void *unused)
{
    const char *name = strrchr(target, '/') + 1;
    const struct timespec times[2] = {{1, 0}, {1, 0}};

    (void)unused;
    while (!over) {
        (void)!chmod(path, 0606);
        (void)!utimensat(AT_FDCWD, path, times, 0);
        (void)!chmod("link", 0606);
        (void)!fchmod(slot, 0606);
        (void)!futimens(slot, times);
        (void)!chmod(name, 0606);
        (void)!fchmodat(slot, name, 0606, 0);
    }
    return NULL;
}

int main(void)
{
    void *(*const bodies[])(void *) = {swap_text,   swap_link,  swap_descriptor,
                                       swap_folder, change_all, change_all};
    pthread_t threads[6];
    char here[512];
    struct stat before, after;

    snprintf(target, sizeof target, "%s/data", canary("VIEW"));
    snprintf(folder, sizeof folder, "%s", canary("VIEW"));
    if (!getcwd(here, sizeof here) || stat(target, &before) < 0)
        held_errno();
    own = open("mine", O_RDWR | O_CREAT, 0600);
    close(open("data", O_RDWR | O_CREAT, 0600));
    theirs = open(target, O_RDONLY);
    slot = dup(own);
    strcpy(path, "mine");
    for (size_t i = 0; i < 6; i++)
        pthread_create(&threads[i], NULL, bodies[i], here);
    sleep(SECONDS);
    over = 1;
    for (size_t i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
    if (stat(target, &after) < 0 || after.st_mode != before.st_mode ||
        after.st_mtime != before.st_mtime)
        escaped("changed %s", target);
    held("unchanged");
}
