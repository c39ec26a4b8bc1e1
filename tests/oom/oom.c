/* SPDX-License-Identifier: Apache-2.0
 *
 * Fails the n-th allocation of calls to the library, for many n, each in a process of its own.
 * Either nothing comes of it, or a call reports a failure in words, or the process prints
 * "glovebox: out of memory" and aborts, as glovebox.h says. It never crashes, hangs, or gives a
 * different result without a word; and nothing of it is left.
 *
 *     oom                  what `make check` runs: the first numbers, then fewer and fewer
 *     OOM=all oom          every number (half an hour)
 *     oom SCENARIO [N]     one scenario; with N, prints what the calls gave
 */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scenarios.h"
#include "tap.h"

#define FIRST      120  /* all numbers up to here */
#define GROWTH     1.06 /* and then each so many times the one before */
#define PATIENCE_S 60   /* for a scenario, and for its processes after its end */
#define STDERR_MAX 4096
#define ABORTED    "glovebox: out of memory\n"

static char folder[] = "/tmp/oom.XXXXXX";
static int said_fd; /* what the process prints on standard error */

struct end {
    int status; /* of waitpid; -1 when it did not end in time */
    long left;  /* processes that did not end after it */
    char said[STDERR_MAX];
};

/* ---- one process ---- */

static void begin(const struct scenario *s, long n)
{
    struct rlimit none = {0, 0};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)setrlimit(RLIMIT_CORE, &none);
    (void)dup2(null, 0);
    (void)dup2(null, 1);
    (void)dup2(said_fd, 2);
    fail_at = n;
    s->run();
    fail_off();
    notes->allocations = fail_count;
    notes->finished = 1;
    _exit(0);
}

/* The next child that ends, our own or one that we inherited; 0 when none does in time, -1 when
 * there is none. */
static pid_t next_end(int *status, time_t until)
{
    sigset_t child;
    pid_t pid;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    while ((pid = waitpid(-1, status, WNOHANG)) == 0) {
        struct timespec left = {.tv_sec = until - time(NULL)};
        if (left.tv_sec <= 0)
            return 0;
        (void)sigtimedwait(&child, NULL, &left);
    }
    return pid;
}

static void kill_children(void)
{
    char path[64];
    int pid;

    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *f = fopen(path, "re");
    while (f && fscanf(f, "%d", &pid) == 1)
        (void)kill(pid, SIGKILL);
    if (f)
        (void)fclose(f);
}

static struct end wait_for(pid_t child)
{
    struct end e = {.status = -1};
    time_t until = time(NULL) + PATIENCE_S;
    int status = 0;
    pid_t pid;

    while ((pid = next_end(&status, until)) > 0)
        if (pid == child) {
            e.status = status;
            until = time(NULL) + PATIENCE_S;
        }
    for (; pid == 0; pid = next_end(&status, time(NULL) + 2)) {
        e.left++;
        kill_children();
    }
    return e;
}

/* Of the scenario with its n-th allocation failing; none when n is 0. */
static struct end run(const struct scenario *s, long n, pid_t *ret_pid)
{
    memset(notes, 0, sizeof *notes - NOTES_MAX + 1);
    (void)fflush(stdout);
    if (ftruncate(said_fd, 0) < 0 || lseek(said_fd, 0, SEEK_SET) < 0)
        return (struct end){.status = -1};
    pid_t child = fork();
    if (child == 0)
        begin(s, n);
    struct end e = wait_for(child);
    ssize_t got = pread(said_fd, e.said, sizeof e.said - 1, 0);
    e.said[got > 0 ? got : 0] = '\0';
    *ret_pid = child;
    return e;
}

/* ---- what may come of it ---- */

/* NULL when the notes are those of a run in which all went well, up to the first failure in words.
 */
static const char *differs(const char *want, const char *got)
{
    while (*got && *got != '!') {
        size_t n = strcspn(got, "\n") + 1;
        if (strncmp(want, got, n) != 0)
            return got;
        want += n;
        got += n;
    }
    return *got || !*want ? NULL : "it ends early";
}

static const char *wrong(const struct end *e, const char *want)
{
    if (e->left)
        return "processes are left";
    if (e->status < 0)
        return "it hangs";
    if (WIFSIGNALED(e->status))
        return WTERMSIG(e->status) == SIGABRT && strcmp(e->said, ABORTED) == 0 ? NULL
                                                                               : "it crashes";
    return notes->finished ? differs(want, notes->text) : "it exits";
}

/* ---- what is left on the host ---- */

static pid_t pids[1 << 17];
static size_t pid_count;
static char found[4096];

static int is_ours(const char *name)
{
    long pid;

    if (strncmp(name, "glovebox-", 9) != 0)
        return 0;
    pid = strtol(name + 9, NULL, 10);
    for (size_t i = 0; i < pid_count; i++)
        if (pids[i] == pid)
            return 1;
    return 0;
}

static int look_at(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type;
    if (is_ours(path + at->base) && strlen(found) + strlen(path) + 2 < sizeof found)
        strcat(strcat(found, path), " ");
    return 0;
}

/* In the folder, beside the log and the state folder of the home. */
static int count_files(void)
{
    DIR *dir = opendir(folder);
    int count = -2;

    for (const struct dirent *d; dir && (d = readdir(dir));)
        count += strncmp(d->d_name, "log.db", 6) != 0 && strcmp(d->d_name, ".local") != 0;
    if (dir)
        closedir(dir);
    return count;
}

static int count_mounts(void)
{
    FILE *f = fopen("/proc/self/mountinfo", "re");
    int count = 0;

    for (int c; f && (c = fgetc(f)) != EOF;)
        count += c == '\n';
    if (f)
        (void)fclose(f);
    return count;
}

/* A process that aborts cannot remove its control groups; the next run of anybody's does. */
static void test_nothing_left(int mounts)
{
    static const char *const places[] = {"/sys/fs/cgroup", "/dev/shm", folder};
    pid_t pid;

    (void)run(&scenarios[3], 0, &pid);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        (void)nftw(places[i], look_at, 32, FTW_PHYS);
    OK(!*found, "no control group or folder of %zu processes is left: %s", pid_count, found);
    /* This namespace is our own, but a mount that was copied into it goes when its owner removes
     * the folder: only more mounts than before are ours. */
    OK(count_mounts() <= mounts, "no mount is left");
    EQ_INT(count_files(), 0);
}

/* ---- the story ---- */

static void report(const struct scenario *s, long n, const struct end *e, const char *want,
                   const char *why)
{
    size_t at =
        why > notes->text && why < notes->text + NOTES_MAX ? (size_t)(why - notes->text) : 0;
    size_t same = 0;

    while (at && why[same] && why[same] == want[at + same])
        same++;
    printf("# oom %s %ld: %.150s; status %x, it said: %.150s\n", s->name, n, why,
           (unsigned)e->status, e->said);
    if (at || why == notes->text)
        printf("# differs at: %.80s, not %.80s\n", why + same, want + at + same);
}

static void test_scenario(const struct scenario *s, int all)
{
    static char want[NOTES_MAX];
    struct end e = run(s, 0, &pids[0]);
    long count = notes->allocations, runs = 0, bad = 0;

    memcpy(want, notes->text, sizeof want);
    if (strchr(want, '!'))
        return (void)(SKIP("needs a jail and forks of it"), printf("# %s", strchr(want, '!')));
    if (!OK(!wrong(&e, want) && !strchr(want, '?'), "%s: %ld allocations", s->name, count))
        return (void)printf("# %s# %s\n", want, e.said);
    for (long n = 1; n <= count && pid_count < sizeof pids / sizeof pids[0];
         n = all || n < FIRST ? n + 1 : (long)((double)n * GROWTH), runs++) {
        e = run(s, n, &pids[pid_count++]);
        const char *why = wrong(&e, want);
        if (why && bad++ < 20)
            report(s, n, &e, want, why);
    }
    OK(!bad, "%s: %ld of %ld runs with an allocation that fails end badly", s->name, bad, runs);
}

static int show(const struct scenario *s, long n)
{
    pid_t pid;

    (void)run(s, 0, &pid); /* makes the log */
    struct end e = run(s, n, &pid);
    printf("%sstatus %x, %ld left, it said: %s\n", notes->text, (unsigned)e.status, e.left, e.said);
    return 0;
}

/* Everything that is made anywhere is seen below here. */
static void prepare(const char *program)
{
    char helper[4096];
    const char *slash = strrchr(program, '/');
    sigset_t child;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &child, NULL);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (unshare(CLONE_NEWNS) == 0)
        (void)mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
    (void)snprintf(helper, sizeof helper, "%.*s/../glovebox-jail",
                   slash ? (int)(slash - program) : 1, slash ? program : ".");
    (void)setenv("GLOVEBOX_JAIL", helper, 0);
    (void)setenv("TMPDIR", folder, 1);
    (void)setenv("HOME", folder, 1);
    notes = mmap(NULL, sizeof *notes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    said_fd = memfd_create("stderr", MFD_CLOEXEC);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

int main(int argc, char **argv)
{
    const char *how = getenv("OOM");
    size_t count = sizeof scenarios / sizeof scenarios[0];

    if (!mkdtemp(folder))
        return 1;
    prepare(argv[0]);
    char path[sizeof folder + 10];
    (void)snprintf(path, sizeof path, "%s/log.db", folder);
    log_path = path;
    int mounts = count_mounts();
    for (size_t i = 0; i < count; i++) {
        if (argc > 1 && strcmp(argv[1], scenarios[i].name) != 0)
            continue;
        if (argc > 2)
            return show(&scenarios[i], strtol(argv[2], NULL, 10));
        tap_says("begins", scenarios[i].name);
        test_scenario(&scenarios[i], how && strcmp(how, "all") == 0);
        tap_says("ends", scenarios[i].name);
    }
    RUN(test_nothing_left(mounts));
    (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return tap_done();
}
