/* SPDX-License-Identifier: Apache-2.0
 *
 * The filter in this kernel: a child installs it and tries things, the parent answers the calls
 * that are reported, as pid 1 does in the jail.
 */
#include "jail/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "filter_attempts.h"
#include "tap.h"

/* What a child did and what its parent heard, in memory that both have. */
static struct report {
    volatile unsigned at; /* the attempt that is under way */
    struct {
        int error;
        unsigned count;
        char told[FILTER_NAME_MAX];
    } tries[ARRAY_LEN(attempts) + 1];
    int64_t load_ns;
    unsigned births; /* calls that make a process or a thread */
    bool refuses;    /* the listener refuses the first of these */
    int left_with;   /* what it was about to exit with; -1 when that was not told */
    bool handled;    /* a signal, after that */
} * report;

#define ALARM_US 20000

static void answer(int listener, unsigned flavour)
{
    struct seccomp_notif request = {.id = 0};
    struct seccomp_notif_resp response = {.id = 0};

    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) < 0)
        return;
    response.id = request.id;
    enum filter_notice notice = filter_notice(filter_native(), &request.data);
    if (notice == FILTER_NOTICE_LEAVE) {
        report->left_with = (int)request.data.args[0];
        (void)usleep(ALARM_US * 2);
    }
    if (notice == FILTER_NOTICE_CHANGE || notice == FILTER_NOTICE_TRUNCATE)
        notice = FILTER_REFUSED;
    if (notice == FILTER_NOTICE_SELF_0 && (uint32_t)request.data.args[0] != request.pid)
        notice = FILTER_REFUSED;
    if (filter_is_birth(&request.data) && report->births++ == 0 && report->refuses) {
        response.error = -EAGAIN;
        (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
        return;
    }
    uint32_t verdict = filter_judge(filter_native(), flavour, &request.data);
    if (verdict >> 16 == SECCOMP_RET_ERRNO >> 16) {
        response.error = -(int)(verdict & SECCOMP_RET_DATA);
        (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
        return;
    }
    if (verdict == SECCOMP_RET_ALLOW ||
        (notice != FILTER_REFUSED && notice != FILTER_NOTICE_SELF_1)) {
        response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
        return;
    }
    response.error = -filter_denial_errno(filter_native(), &request.data);
    report->tries[report->at].count++;
    filter_denial_name(&request.data, report->tries[report->at].told, FILTER_NAME_MAX);
    (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

/* Answers until the child is gone; returns its status. */
static int serve(pid_t child, int sock, int listener, unsigned flavour)
{
    int status = -1;

    for (;;) {
        struct pollfd wait[] = {{.fd = sock, .events = POLLIN}, {.fd = listener, .events = POLLIN}};
        if (poll(wait, ARRAY_LEN(wait), 10000) <= 0)
            kill(child, SIGKILL);
        if (wait[1].revents & POLLIN)
            answer(listener, flavour);
        else if (wait[0].revents)
            break;
    }
    waitpid(child, &status, 0);
    return status;
}

/* The guest's first process, as in the jail: it sends the listener out before it goes on. */
static _Noreturn void be_guest(unsigned flavour, int sock, void (*body)(void))
{
    struct err err;
    int listener = -1;

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    int64_t before = clock_mono_ns();
    if (filter_install(flavour, &listener, &err) < 0)
        _exit(99);
    report->load_ns = clock_mono_ns() - before;
    if ((listener < 0) != !!(flavour & FILTER_QUIET))
        _exit(98);
    if (fd_send(sock, "", 1, &listener, listener >= 0) < 0)
        _exit(97);
    fd_close(&listener);
    if (body)
        body();
    _exit(0);
}

static int with_guest(unsigned flavour, void (*body)(void))
{
    int pair[2], fds[FD_MSG_MAX];
    size_t count = 0;
    char byte;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        close(pair[0]);
        be_guest(flavour, pair[1], body);
    }
    fd_close(&pair[1]);
    (void)fd_recv(pair[0], &byte, 1, fds, &count, 0);
    int listener = count ? fds[0] : -1;
    int status = serve(child, pair[0], listener, flavour);
    fd_close(&listener);
    fd_close(&pair[0]);
    return status;
}

static void make_attempts(void)
{
    for (unsigned i = 0; i < ARRAY_LEN(attempts); i++) {
        report->at = i;
        int result = make_attempt(&attempts[i]);
        report->tries[i].error = result < 0 ? errno : 0;
    }
    report->at = ARRAY_LEN(attempts);
}

static void test_attempts(unsigned flavour)
{
    memset(report, 0, sizeof *report);
    EQ_INT(with_guest(flavour, make_attempts), 0);
    for (unsigned i = 0; i < ARRAY_LEN(attempts); i++) {
        const struct attempt *a = &attempts[i];
        bool applies = (!a->only || flavour & a->only) && !(flavour & a->unless);
        const char *told = applies && a->told && !(flavour & FILTER_QUIET) ? a->told : "";
        int error = applies ? a->error : 0, got = report->tries[i].error;
        OK(got == error, "flavour %u: %s: %s", flavour, a->what, strerror(got));
        OK(strcmp(report->tries[i].told, told) == 0 && report->tries[i].count == (*told != '\0'),
           "flavour %u: %s: told \"%s\"", flavour, a->what, report->tries[i].told);
    }
    EQ_INT(report->at, ARRAY_LEN(attempts));
}

static void on_alarm(int number)
{
    (void)number;
    report->handled = report->left_with >= 0;
}

static void leave(void)
{
    /* Again and again: one may come before the call that leaves, where it may be handled. */
    const struct itimerval soon = {{.tv_usec = ALARM_US}, {.tv_usec = ALARM_US}};

    (void)signal(SIGALRM, on_alarm);
    (void)setitimer(ITIMER_REAL, &soon, NULL);
    _exit(7);
}

static void test_leaving(unsigned flavour)
{
    bool told = flavour & FILTER_TELLS_EXIT && !(flavour & FILTER_QUIET);

    report->left_with = -1;
    report->handled = false;
    int status = with_guest(flavour, leave);
    OK(WIFEXITED(status) && WEXITSTATUS(status) == 7, "flavour %u: exits with its status", flavour);
    OK(report->left_with == (told ? 7 : -1), "flavour %u: %s that it does", flavour,
       told ? "tells" : "does not tell");
    OK(!report->handled, "flavour %u: and handles no signal after that", flavour);
}

static void *no_work(void *unused)
{
    return unused;
}

static void wait_for(pid_t pid)
{
    if (pid == 0)
        _exit(0);
    if (pid > 0)
        (void)waitpid(pid, NULL, 0);
}

static void give_birth(void)
{
    pthread_t thread;
    pid_t pid = fork();

    report->tries[0].error = pid < 0 ? errno : 0;
    wait_for(pid);
    wait_for(fork());
    wait_for(vfork()); /* NOLINT: it exits at once */
    wait_for((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    if (pthread_create(&thread, NULL, no_work, NULL) == 0)
        (void)pthread_join(thread, NULL);
    report->tries[1].error =
        (int)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0) < 0 ? errno : 0;
}

static void test_births(void)
{
    memset(report, 0, sizeof *report);
    report->refuses = true;
    EQ_INT(with_guest(FILTER_TELLS_BIRTHS, give_birth), 0);
    EQ_INT(report->births, 6);
    EQ_INT(report->tries[0].error, EAGAIN);
    EQ_INT(report->tries[1].error, EPERM);
    memset(report, 0, sizeof *report);
    EQ_INT(with_guest(0, give_birth), 0);
    EQ_INT(report->births, 1); /* the one with a namespace, as in all flavours */
}

#ifdef __x86_64__
/* The 32-bit door of a 64-bit process: getpid by its i386 number. */
static void knock_i386(void)
{
    long result;

    report->at = 0;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
    report->tries[0].error = -(int)result;
}

static void test_i386(void)
{
    memset(report, 0, sizeof *report);
    int status = with_guest(0, knock_i386);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) {
        SKIP("needs a kernel with 32-bit system calls");
        return;
    }
    EQ_INT(status, 0);
    EQ_INT(report->tries[0].error, ENOSYS);
    EQ_STR(report->tries[0].told, "i386 system call");
}
#endif

static void init_works(void)
{
    struct pollfd none = {.fd = -1};
    void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)!write(-1, "", 1);
    (void)poll(&none, 1, 0);
    (void)waitpid(-1, NULL, WNOHANG);
    (void)usleep(1);
    (void)kill(getpid(), 0);
    AUTO_CLOSE int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    /* Not _exit: under a sanitizer that makes calls of its own. */
    (void)syscall(SYS_exit_group, fd < 0 || p == MAP_FAILED || munmap(p, 4096) < 0);
}

static void init_executes(void)
{
    execl("/bin/true", "true", (char *)NULL);
}

static void init_writes(void)
{
    (void)open("/dev/null", O_RDWR | O_CLOEXEC);
}

static void init_connects(void)
{
    (void)socket(AF_UNIX, SOCK_STREAM, 0);
}

static int with_init(void (*body)(void))
{
    int status = -1;
    struct err err;
    pid_t child = fork();

    if (child == 0) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (filter_install_init(false, &err) < 0)
            _exit(99);
        body();
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -status;
}

static int by_value(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void time_loads(void)
{
    enum { N = 1000 };
    static int64_t ns[N];

    for (int i = 0; i < N; i++) {
        if (with_guest(0, NULL) != 0) {
            OK(0, "load %d", i);
            return;
        }
        ns[i] = report->load_ns;
    }
    qsort(ns, N, sizeof ns[0], by_value);
    printf("# load with a listener: median %.1f us, p99 %.1f us of %d, %u instructions\n",
           (double)ns[N / 2] / 1e3, (double)ns[N * 99 / 100] / 1e3, N,
           filter_asking_program(filter_native(), 0).count);
}

int main(void)
{
    report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report == MAP_FAILED)
        return 1;
    if (with_guest(0, NULL) != 0) {
        SKIP("needs system call filters with a listener");
        return tap_done();
    }
    for (unsigned flavour = 0; flavour < FILTER_FLAVOURS; flavour++) {
        RUN(test_attempts(flavour));
        RUN(test_leaving(flavour));
    }
    RUN(test_births());
    RUN(test_attempts(FILTER_TELLS_BIRTHS));
#ifdef __x86_64__
    RUN(test_i386());
#endif
    EQ_INT(with_init(init_works), 0);
    EQ_INT(with_init(init_executes), SIGSYS);
    EQ_INT(with_init(init_writes), SIGSYS);
    EQ_INT(with_init(init_connects), SIGSYS);
    time_loads();
    return tap_done();
}
