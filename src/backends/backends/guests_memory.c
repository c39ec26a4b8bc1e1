/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/guests_parts.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/mem.h"
#include "base/thread.h"
#include "jail/host_box.h"
#include "limits/cgroup.h"

#define MIB ((uint64_t)1 << 20)

/* How fast one processor fills memory, in bytes per millisecond: more than any that was measured.
 */
#define FILL_PER_MS (4 * MIB)
enum { LOOK_MS_MIN = 5, LOOK_MS_MAX = 1000, LOOK_SHARE = 4 /* as WATCH_SHARE in local.c */ };

/* Parts of the ceiling where guests are marked and killed. */
enum { TENTHS = 10, MARKED_AT = 7, KILLED_AT = 9, MARK_EVERY_MS = 200 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects everything below */
static struct counted_guest *first;
static uint64_t most, sum; /* the ceiling; the memory of the guests that are not killed */
static int nowhere = -1;   /* a descriptor of an object without a name */
static atomic_bool counts;

static struct guest_parts parts; /* without groups */

/* Files of which no guest has the number any more. To free them may take long, and is done without
 * the lock. */
struct released {
    int fd;
    bool emptied;
};
static struct {
    struct released *list;
    size_t n, cap;
} released;

/* ---- the guest to kill ---- */

static uint64_t owner_has(const struct counted_guest *guest)
{
    uint64_t bytes = 0;

    for (const struct counted_guest *g = first; g; g = g->next)
        bytes += g->owner == guest->owner && !atomic_load(&g->killed) ? g->bytes : 0;
    return bytes;
}

/* The largest guest of the owner with the most memory: when all together have too much, that owner
 * is above its share. */
static struct counted_guest *find_largest(void)
{
    struct counted_guest *found = NULL;
    uint64_t found_has = 0;

    for (struct counted_guest *g = first; g; g = g->next) {
        if (!g->bytes || atomic_load(&g->killed))
            continue;
        uint64_t has = owner_has(g);
        if (!found || has > found_has || (has == found_has && g->bytes > found->bytes)) {
            found = g;
            found_has = has;
        }
    }
    return found;
}

static void count_with(struct counted_guest *guest, uint64_t bytes)
{
    if (!atomic_load(&guest->killed))
        sum = sum - guest->bytes + bytes;
    guest->bytes = bytes;
}

static void set_report(struct counted_guest *guest, struct guest_report report)
{
    if (!atomic_load(&guest->killed)) {
        parts.sum.most += report.most - guest->report.most;
        parts.sum.least += report.least - guest->report.least;
    }
    guest->report = report;
    count_with(guest, guest_part_now(guest));
}

static void set_bytes(struct counted_guest *guest, uint64_t bytes)
{
    set_report(guest, (struct guest_report){bytes, bytes});
}

static void keep_released(int file, bool emptied)
{
    int fd = fcntl(file, F_DUPFD_CLOEXEC, 0);

    if (fd < 0)
        return;
    if (released.n == released.cap)
        released.list = mem_grow(released.list, &released.cap, sizeof *released.list);
    released.list[released.n++] = (struct released){fd, emptied};
}

/* Another thread may be using the descriptor: its number stays open, but refers to `nowhere`. */
static void guests_memory_release(int *file)
{
    if (*file >= 0 && nowhere >= 0) {
        keep_released(*file, false);
        (void)dup3(nowhere, *file, O_CLOEXEC);
    }
    *file = -1;
}

static void release_files(struct counted_guest *guest)
{
    if (guest->emptied >= 0)
        keep_released(guest->emptied, true);
    guest->emptied = -1;
    for (int i = 0; i < COUNTED_FILES; i++)
        guests_memory_release(&guest->files[i]);
}

static void unlock(void)
{
    struct released *list = mem_take(&released.list);
    size_t n = released.n;

    released.n = released.cap = 0;
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < n; i++) {
        if (list[i].emptied)
            (void)host_box_empty_until(list[i].fd, clock_mono_ms() + GUESTS_EMPTY_MS);
        (void)close(list[i].fd);
    }
    free(list);
}

static bool is_below(const struct counted_guest *guest, const struct counted_guest *other)
{
    while (guest && guest != other)
        guest = guest->above;
    return guest;
}

static void kill_one(struct counted_guest *guest)
{
    set_bytes(guest, 0);
    atomic_store(&guest->killed, true);
    if (guest->init_pidfd >= 0)
        (void)pidfd_send_signal(guest->init_pidfd, SIGKILL, NULL, 0);
    else if (guest->group && !guest->ended)
        cgroup_kill(guest->group);
    if (guest->group && !guest->ended)
        cgroup_hurry(guest->group);
    release_files(guest);
}

/* Kills a guest and its forks. A killed guest does not count any more: its memory is about to be
 * free. */
static void kill_with_forks(struct counted_guest *guest)
{
    for (struct counted_guest *g = first; g; g = g->next)
        if (is_below(g, guest) && !atomic_load(&g->killed))
            kill_one(g);
}

static void kill_until_it_fits(uint64_t fits)
{
    struct counted_guest *largest;

    while (sum > fits && (largest = find_largest()))
        kill_with_forks(largest);
}

/* ---- without groups: parts of what guests share ---- */

static void note_part(const struct guest_part *part)
{
    for (struct counted_guest *g = first; g; g = g->next)
        if (guest_part_take(part, g))
            count_with(g, guest_part_now(g));
}

/* Call it with the lock; releases it while it measures. */
static void measure_parts(void)
{
    int64_t begin = clock_mono_ms();
    size_t n;
    AUTO_FREE struct guest_part *list = guest_parts_list(first, &n);

    parts.under_way = true;
    pthread_mutex_unlock(&lock);
    guest_parts_measure(list, n);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n; i++)
        note_part(&list[i]);
    parts.under_way = false;
    guest_parts_pause(&parts, begin, clock_mono_ms());
}

/* Call it with the lock. Kills guests beyond the ceiling, once it is known that they are. */
static void fit_reports(void)
{
    int64_t now = clock_mono_ms();

    if (parts.sum.least > most) {
        for (struct counted_guest *g = first; g; g = g->next)
            count_with(g, g->report.least);
    } else if (sum > most || (parts.sum.most > most && now >= parts.again_ms)) {
        if (parts.under_way || now < parts.next_ms)
            return;
        measure_parts();
    }
    kill_until_it_fits(most);
}

/* ---- where groups hold memory: a thread that looks at them ---- */

static struct {
    pthread_mutex_t control; /* protects its start and its end */
    pthread_cond_t woken;
    pthread_t thread;
    bool runs;
    bool over; /* under `lock`, as the next member */
    int64_t marked_ms;
    bool marks; /* a guest was marked at some time */
} looker = {.control = PTHREAD_MUTEX_INITIALIZER};

/* The bytes of the files of an ended guest that count for the guest itself. Its group, which `kept`
 * has, contains them, too. */
static uint64_t bytes_of_files(const struct counted_guest *kept)
{
    uint64_t bytes = 0;

    for (const struct counted_guest *g = first; g; g = g->next)
        bytes += g->above == kept && g->ended && !g->group ? g->bytes : 0;
    return bytes;
}

static void read_guests(void)
{
    for (struct counted_guest *g = first; g; g = g->next) {
        if (!g->group || atomic_load(&g->killed))
            continue;
        uint64_t taken = cgroup_taken(g->group), files = g->kept ? bytes_of_files(g) : 0;
        set_bytes(g, taken > files ? taken - files : 0);
    }
}

/* A mark costs some 20 us for each process. */
static void mark_owner_of(const struct counted_guest *largest, int64_t now)
{
    looker.marked_ms = now;
    looker.marks |= largest != NULL;
    for (struct counted_guest *g = first; g; g = g->next) {
        bool marked = largest && g->owner == largest->owner;
        if (!g->group || atomic_load(&g->killed) || g->sealed || g->ended ||
            (marked == g->marked && !g->unsure))
            continue;
        g->marked = marked;
        g->unsure = !cgroup_kill_first(g->group, marked);
    }
}

/* Call this with the lock held. Returns the number of bytes that are left until guests are killed.
 * The groups' charge may be much more than the guests' memory, because of caches and exiting
 * guests; so the guests are read if it is near the ceiling. */
static uint64_t guests_memory_look(int64_t now)
{
    struct cgroup_together all;

    if (!cgroup_together(&all))
        return UINT64_MAX;
    uint64_t fits = all.most / TENTHS * KILLED_AT;
    bool is_over = all.now > fits, is_near = all.now > all.most / TENTHS * MARKED_AT;
    bool marks_are_due = now >= looker.marked_ms + MARK_EVERY_MS;
    if (!is_near && marks_are_due && looker.marks)
        mark_owner_of(NULL, now);
    if (!is_over && (!is_near || !marks_are_due))
        return fits - all.now;
    read_guests();
    mark_owner_of(find_largest(), now);
    kill_until_it_fits(fits);
    return sum < fits ? fits - sum : 0;
}

static int64_t pause_after(uint64_t left, int64_t took_ms)
{
    static _Atomic uint64_t per_ms;

    if (!per_ms)
        per_ms = FILL_PER_MS * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    int64_t ms = left / per_ms > LOOK_MS_MAX ? LOOK_MS_MAX : (int64_t)(left / per_ms);
    if (ms < took_ms * LOOK_SHARE)
        ms = took_ms * LOOK_SHARE;
    return ms < LOOK_MS_MIN ? LOOK_MS_MIN : ms;
}

static void *look_main(void *ctx)
{
    (void)ctx;
    pthread_mutex_lock(&lock);
    while (!looker.over) {
        int64_t begin = clock_mono_ms();
        uint64_t left = guests_memory_look(begin);
        int64_t now = clock_mono_ms();
        unlock();
        pthread_mutex_lock(&lock);
        if (!looker.over)
            (void)cond_wait_until(&looker.woken, &lock, now + pause_after(left, now - begin));
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void start_looking(void)
{
    looker.over = false;
    cond_init(&looker.woken);
    looker.runs = thread_start(&looker.thread, NULL, look_main, NULL) == 0;
}

static void stop_looking(void)
{
    pthread_mutex_lock(&lock);
    looker.over = true;
    pthread_cond_signal(&looker.woken);
    pthread_mutex_unlock(&lock);
    pthread_join(looker.thread, NULL);
    pthread_cond_destroy(&looker.woken);
    looker.runs = false;
}

/* ---- the ceiling ---- */

void guests_memory_limit(uint64_t bytes)
{
    pthread_mutex_lock(&looker.control);
    bool held = cgroup_ceiling(bytes);

    pthread_mutex_lock(&lock);
    most = bytes;
    if (nowhere < 0)
        nowhere = eventfd(0, EFD_CLOEXEC);
    pthread_mutex_unlock(&lock);
    atomic_store(&counts, bytes && !held);
    if (looker.runs != (bytes && held))
        looker.runs ? stop_looking() : start_looking();
    pthread_mutex_unlock(&looker.control);
}

uint64_t guests_memory_usual(void)
{
    uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t around = cgroup_memory_around();

    return (around < machine ? around : machine) / 2 & ~(MIB - 1);
}

bool guests_memory_is_counted(void)
{
    return atomic_load(&counts);
}

/* ---- one guest ---- */

/* Call it with the lock held. */
static void put_first(struct counted_guest *guest)
{
    guest->counted = true;
    guest->next = first;
    guest->link = &first;
    if (first)
        first->link = &guest->next;
    first = guest;
}

void guests_memory_join(struct counted_guest *guest)
{
    pthread_mutex_lock(&lock);
    if (most && !guest->counted) {
        guest->unsure = guest->above && looker.marks; /* a fork is marked as its origin was */
        put_first(guest);
    }
    pthread_mutex_unlock(&lock);
}

void guests_memory_seal(struct counted_guest *guest, bool sealed)
{
    pthread_mutex_lock(&lock);
    guest->sealed = sealed;
    pthread_mutex_unlock(&lock);
}

void guests_memory_count(struct counted_guest *guest, struct guest_report report)
{
    pthread_mutex_lock(&lock);
    if (guest->counted && !atomic_load(&guest->killed))
        set_report(guest, report);
    if (most)
        fit_reports();
    unlock();
}

void guests_memory_lend(struct counted_guest *guest, int file)
{
    int i = 0;

    if (!guest->counted)
        return;
    pthread_mutex_lock(&lock);
    while (i < COUNTED_FILES && guest->files[i] >= 0)
        i++;
    if (i < COUNTED_FILES)
        guest->files[i] = file;
    if (atomic_load(&guest->killed))
        release_files(guest);
    unlock();
}

void guests_memory_ended(struct counted_guest *guest, const struct guest_left *left)
{
    if (!guest->counted)
        return;
    pthread_mutex_lock(&lock);
    guest->ended = true;
    guest->init_pidfd = -1;
    for (int i = 0; i < COUNTED_FILES; i++)
        guest->files[i] = left->files[i];
    guest->emptied = left->emptied;
    if (!atomic_load(&guest->killed))
        set_bytes(guest, left->bytes);
    if (atomic_load(&guest->killed) || left->release)
        kill_one(guest);
    unlock();
}

/* True if the guest and all its forks were killed: its group does not count any more
 * (kill_with_forks). */
static bool is_dying(const struct counted_guest *ended)
{
    bool dying = atomic_load(&ended->killed);

    for (const struct counted_guest *g = first; g && dying; g = g->next)
        dying = !is_below(g, ended) || atomic_load(&g->killed);
    return dying;
}

void guests_memory_keep(struct counted_guest *ended, struct counted_guest *kept)
{
    if (!ended->counted)
        return;
    pthread_mutex_lock(&lock);
    if (ended->group) {
        *kept = (struct counted_guest){.above = ended->above,
                                       .owner = ended->owner,
                                       .group = mem_take(&ended->group),
                                       .init_pidfd = -1,
                                       .files = {-1, -1},
                                       .emptied = -1,
                                       .ended = true,
                                       .kept = true,
                                       .killed = is_dying(ended)};
        ended->above = kept;
        put_first(kept);
    }
    pthread_mutex_unlock(&lock);
}

uint64_t guests_memory_of(const struct counted_guest *guest)
{
    pthread_mutex_lock(&lock);
    uint64_t bytes = guest->counted ? guest->bytes : 0;
    pthread_mutex_unlock(&lock);
    return bytes;
}

void guests_memory_leave(struct counted_guest *guest)
{
    if (!guest->counted)
        return;
    pthread_mutex_lock(&lock);
    set_bytes(guest, 0);
    for (struct counted_guest *g = first; g; g = g->next)
        if (g->above == guest)
            g->above = guest->above;
    *guest->link = guest->next;
    if (guest->next)
        guest->next->link = guest->link;
    guest->counted = false;
    pthread_mutex_unlock(&lock);
}
