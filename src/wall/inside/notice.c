/* SPDX-License-Identifier: Apache-2.0 */
#include "inside/notice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/fd.h"
#include "base/num.h"
#include "base/str.h"
#include "inside/target.h"
#include "jail/landlock.h"

/* A socket's membership in a multicast group takes some hundred bytes, which the kernel charges to
 * no process. So joins are counted over the whole life of the jail. */
#define MEMBERS_MOST 4096

/* The last number of a line of /proc/PID/status, which belongs to the process's own pid namespace;
 * -1 if there is none. */
static int64_t last_number(const char *status, const char *key)
{
    const char *at = strstr(status, key);
    struct str line, rest, word;
    int64_t number = -1;

    rest = str_from(at ? at + strlen(key) : "");
    if (!str_next_line(&rest, &line))
        return -1;
    while (str_next(&line, '\t', &word))
        (void)num_int64(str_trim(word), &number);
    return number;
}

/* True if `process` is the caller: the number of the thread or of its process. The caller waits for
 * our answer, so both numbers stay its own. */
static bool is_caller(const struct seccomp_notif *request, uint64_t process)
{
    char path[64], status[4096];
    int64_t number = (int32_t)process;

    snprintf(path, sizeof path, "/proc/%u/status", request->pid);
    if (number <= 0 || fd_read_file_at(AT_FDCWD, path, status, sizeof status) < 0)
        return false;
    return number == last_number(status, "\nNStgid:") || number == last_number(status, "\nNSpid:");
}

static bool allow_leave(struct notices *n, const struct seccomp_notif *request)
{
    (void)n;
    (void)request;
    return true;
}

static bool allow_lock(struct notices *n, const struct seccomp_notif *request)
{
    (void)request;
    return locks_allow(&n->locks);
}

static bool allow_member(struct notices *n, const struct seccomp_notif *request)
{
    (void)request;
    return n->members < MEMBERS_MOST && ++n->members;
}

static bool allow_truncate(struct notices *n, const struct seccomp_notif *request)
{
    (void)request;
    return n->truncates_ruled;
}

static bool allow_self_0(struct notices *n, const struct seccomp_notif *request)
{
    (void)n;
    return is_caller(request, request->data.args[0]);
}

static bool allow_self_1(struct notices *n, const struct seccomp_notif *request)
{
    (void)n;
    return is_caller(request, request->data.args[1]);
}

/* Since Linux 6.6, the kernel can wake the caller on the same processor, as it waits for the
 * answer: that halves the time. An older kernel wakes it as usual. */
#define SET_FLAGS _IOW('!', 4, uint64_t)
#define SYNC_WAKE 1

void notices_init(struct notices *ret, int listener, unsigned flavour, int outer,
                  volatile bool *touched)
{
    *ret = (struct notices){
        .listener = listener, .flavour = flavour, .locks = {.outer = outer}, .touched = touched};
    if (listener < 0)
        return;
    (void)ioctl(listener, SET_FLAGS, SYNC_WAKE);
    if (touched && flavour & FILTER_TELLS_SOCKETS)
        *touched = false;
}

void notices_own_files(struct notices *n, int box, bool landlock_holds)
{
    enum { KNOWS_TRUNCATE = 3 }; /* Landlock's ABI */

    changes_init(&n->changes, n->listener, box);
    n->truncates_ruled = landlock_holds && landlock_abi() >= KNOWS_TRUNCATE;
}

/* Notes that the network is used. This is done before the call continues, so no use is missed. */
static void note_socket(struct notices *n, const struct seccomp_notif *request)
{
    if (n->touched && filter_is_socket(filter_native(), &request->data))
        *n->touched = true;
}

static bool allows(struct notices *n, const struct seccomp_notif *request)
{
    static bool (*const rules[FILTER_NOTICES])(struct notices *, const struct seccomp_notif *) = {
        [FILTER_NOTICE_LEAVE] = allow_leave,   [FILTER_NOTICE_LOCK] = allow_lock,
        [FILTER_NOTICE_MEMBER] = allow_member, [FILTER_NOTICE_SELF_0] = allow_self_0,
        [FILTER_NOTICE_SELF_1] = allow_self_1, [FILTER_NOTICE_TRUNCATE] = allow_truncate,
    };
    enum filter_notice notice = filter_notice(filter_native(), &request->data);

    return rules[notice] && rules[notice](n, request);
}

bool let_continue(int listener, uint64_t id)
{
    struct seccomp_notif_resp go_on = {.id = id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

    return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &go_on) == 0 || errno != EINVAL;
}

static void answer_quietly(int listener, uint64_t id, uint32_t error)
{
    struct seccomp_notif_resp response = {.id = id, .error = -(int32_t)error};

    (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static bool make_change(struct notices *n, const struct seccomp_notif *request)
{
    int error = 0;

    if (!(n->flavour & FILTER_NO_ROOT) || !changes_make(&n->changes, request, &error))
        return false;
    answer_quietly(n->listener, request->id, (uint32_t)error);
    return true;
}

/* The errno for a call that the filter permits, or 0. */
static int refuse(struct notices *n, const struct seccomp_notif *request)
{
    if (filter_is_birth(&request->data))
        return births_allow(&n->births, request->pid) ? 0 : EAGAIN;
    return n->forks ? target_check(request) : 0;
}

bool notice_answer(struct notices *n, const struct seccomp_notif *request)
{
    uint32_t verdict = filter_judge(filter_native(), n->flavour, &request->data);

    if ((verdict & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO) {
        answer_quietly(n->listener, request->id, verdict & SECCOMP_RET_DATA);
        return true;
    }
    int error = verdict == SECCOMP_RET_ALLOW ? refuse(n, request) : 0;
    if (error) {
        answer_quietly(n->listener, request->id, (uint32_t)error);
        return true;
    }
    if (verdict == SECCOMP_RET_ALLOW)
        note_socket(n, request);
    else if (filter_notice(filter_native(), &request->data) == FILTER_NOTICE_CHANGE)
        return make_change(n, request);
    return (verdict == SECCOMP_RET_ALLOW || allows(n, request)) &&
           let_continue(n->listener, request->id);
}
