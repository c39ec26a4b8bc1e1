/* SPDX-License-Identifier: Apache-2.0
 *
 * Every system call number under every flavour of the filter, in this kernel: what the call was
 * answered with, and whether the listener received it, is as the table has it. All arguments are
 * -1: no descriptor, no address, no size, so what passes does nothing. Children of the guest make
 * the calls, a batch at a time, because some calls end or stop whoever makes them.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "filter_run.h"
#include "tap.h"

enum { TABLE_END = 600, X32 = 0x40000000, CALL_MS = 5000 };

/* Those that would leave a second process behind, end this one with everything well, or wait. */
static const int skipped[] = {SYS_exit, SYS_exit_group, SYS_rt_sigreturn,
#ifdef SYS_fork
                              SYS_fork, SYS_vfork,      SYS_pause,
#endif
                              SYS_clone};

static const int beyond[] = {
    999, 1023,    1024,     1025,     65535,     0x3fffffff, 0x7fffffff,
#ifdef __x86_64__
    X32, X32 + 1, X32 + 39, X32 + 59, X32 + 101, X32 + 165,  X32 + 513,  X32 + 520, X32 + 547,
#endif
};
enum { CALLS = TABLE_END + ARRAY_LEN(beyond) };

static struct report {
    volatile unsigned at; /* the call that is under way, or comes next */
    struct {
        bool made, ended;
        long result;
        int error;
        unsigned told;
    } calls[CALLS];
} * report;

static int number_of(unsigned i)
{
    return i < TABLE_END ? (int)i : beyond[i - TABLE_END];
}

static bool is_skipped(int nr)
{
    for (size_t i = 0; i < ARRAY_LEN(skipped); i++)
        if (skipped[i] == nr)
            return true;
    return false;
}

static void make_calls(void)
{
    const struct itimerval most = {.it_value = {.tv_usec = CALL_MS * 1000}};

    for (; report->at < CALLS; report->at++) {
        unsigned i = report->at;
        if (is_skipped(number_of(i)))
            continue;
        report->calls[i].made = true;
        (void)setitimer(ITIMER_REAL, &most, NULL); /* anew: the call before may have been alarm */
        errno = 0;
        long result = syscall(number_of(i), -1L, -1L, -1L, -1L, -1L, -1L);
        report->calls[i].error = errno;
        report->calls[i].result = result;
        report->calls[i].ended = true;
        if (number_of(i) == SYS_msgget && result >= 0)
            (void)msgctl((int)result, IPC_RMID, NULL);
    }
}

/* A call that takes its process along is passed over. */
static void be_guest(void)
{
    (void)setsid(); /* no terminal to hang up */
    while (report->at < CALLS) {
        pid_t child = fork();
        if (child == 0) {
            make_calls();
            _exit(0);
        }
        if (child < 0 || waitpid(child, NULL, 0) != child)
            _exit(1);
        if (report->at < CALLS)
            report->at++;
    }
}

static _Noreturn void start_guest(unsigned flavour, int sock)
{
    struct err err;
    int listener = -1;

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (filter_install(flavour, &listener, &err) < 0 ||
        fd_send(sock, "", 1, &listener, listener >= 0) < 0)
        _exit(99);
    fd_close(&listener);
    be_guest();
    _exit(0);
}

/* As pid 1 of a jail does, but for what it counts: here that is refused. */
static void answer(int listener, unsigned flavour)
{
    struct seccomp_notif request = {.id = 0};
    struct seccomp_notif_resp response = {.id = 0};

    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) < 0)
        return;
    bool leaves = filter_notice(filter_native(), &request.data) == FILTER_NOTICE_LEAVE;
    uint32_t verdict = filter_judge(filter_native(), flavour, &request.data);
    response.id = request.id;
    if (leaves || verdict == SECCOMP_RET_ALLOW)
        response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    else if (verdict == SECCOMP_RET_USER_NOTIF)
        response.error = -filter_denial_errno(filter_native(), &request.data);
    else
        response.error = -(int)(verdict & SECCOMP_RET_DATA);
    if (!leaves && verdict == SECCOMP_RET_USER_NOTIF && request.data.nr == number_of(report->at))
        report->calls[report->at].told++;
    (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static int sweep(unsigned flavour)
{
    int pair[2], fds[FD_MSG_MAX], status = -1;
    size_t count = 0;
    char byte;

    memset(report, 0, sizeof *report);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        close(pair[0]);
        start_guest(flavour, pair[1]);
    }
    fd_close(&pair[1]);
    (void)fd_recv(pair[0], &byte, 1, fds, &count, 0);
    int listener = count ? fds[0] : -1;
    for (;;) {
        struct pollfd wait[] = {{.fd = pair[0], .events = POLLIN},
                                {.fd = listener, .events = POLLIN}};
        if (poll(wait, ARRAY_LEN(wait), 60000) <= 0)
            kill(child, SIGKILL);
        if (wait[1].revents & POLLIN)
            answer(listener, flavour);
        else if (wait[0].revents)
            break;
    }
    waitpid(child, &status, 0);
    fd_close(&listener);
    fd_close(&pair[0]);
    return status;
}

/* As the table says for plain actions; where arguments count, as the program says, which
 * test_filter compares with the policy. */
static uint32_t expected(unsigned flavour, int nr)
{
    const struct row *row = nr < MAX_NR ? row_at[filter_native()][nr] : NULL;
    struct seccomp_data d = {.nr = nr, .arch = tokens[filter_native()]};
    unsigned steps;

    switch (row ? (int)row->action : ACT_UNKNOWN) {
    case ACT_ALLOW:
        return YES;
    case ACT_DENY:
        return tell(flavour, EPERM);
    case ACT_UNKNOWN:
        return tell(flavour, ENOSYS);
    case ACT_ABSENT:
        return NO(ENOSYS);
    case ACT_QUIET:
        return NO(EPERM);
    case ACT_DONE:
        return NO(0);
    default:
        memset(d.args, 0xff, sizeof d.args);
        return ours(filter_native(), flavour, &d, &steps);
    }
}

static bool is_as(unsigned i, uint32_t want)
{
    bool told = want >> 28 == TOLD >> 28;
    int error = (int)(want & 0xffff);

    if (report->calls[i].told != told)
        return false;
    if (want == YES) /* the kernel's own answer, or none */
        return true;
    return report->calls[i].ended && report->calls[i].error == error &&
           report->calls[i].result == (error ? -1 : 0);
}

static void test_sweep(unsigned flavour)
{
    unsigned made = 0, wrong = 0, refused = 0;

    EQ_INT(sweep(flavour), 0);
    for (unsigned i = 0; i < CALLS; i++) {
        uint32_t want = expected(flavour, number_of(i));
        if (!report->calls[i].made)
            continue;
        made++;
        refused += want != YES;
        if (!is_as(i, want) && wrong++ < 5)
            printf("# call %d: %ld with errno %d, told %u times, expected %x\n", number_of(i),
                   report->calls[i].result, report->calls[i].error, report->calls[i].told, want);
    }
    OK(made == CALLS - ARRAY_LEN(skipped), "flavour %u: %u calls made", flavour, made);
    OK(wrong == 0 && refused > 200, "flavour %u: %u of them refused, all as the table says",
       flavour, refused);
}

int main(void)
{
    report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report == MAP_FAILED)
        return 1;
    fill_rows();
    if (sweep(0) == 99 << 8) {
        SKIP("needs system call filters with a listener");
        return tap_done();
    }
    for (unsigned flavour = 0; flavour < FILTER_FLAVOURS; flavour++)
        test_sweep(flavour);
    return tap_done();
}
