/* SPDX-License-Identifier: Apache-2.0 */
#include "jail/zygote_pages.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

/* Linux 5.14; before, madvise refuses and nothing is lost. */
enum { POPULATE_READ = 22, POPULATE_WRITE = 23 };

#define PAGE       4096u
#define RANGES_MAX 1024
#define GAP        2 /* pages between two that are fetched as well */
#define AREA_PAGES (64u << 10)
#define PM_PRESENT (1ULL << 63)
#define PM_OWN     (1ULL << 56) /* mapped by nobody else: copied or made since the fork */

struct range {
    uint64_t at;
    uint32_t pages;
    uint32_t advice;
};

static struct range ranges[RANGES_MAX];
static size_t range_count;

struct area {
    uint64_t at, end;
    bool writable, shared, named;
};

static bool hex(const char **text, uint64_t *ret)
{
    const char *p = *text;

    for (*ret = 0;; p++) {
        unsigned digit = *p >= '0' && *p <= '9'   ? (unsigned)(*p - '0')
                         : *p >= 'a' && *p <= 'f' ? (unsigned)(*p - 'a' + 10)
                                                  : 16;
        if (digit == 16)
            break;
        *ret = *ret << 4 | digit;
    }
    bool any = p != *text;
    *text = p;
    return any;
}

/* "7f00-7f10 rw-p 00000000 fe:00 123   /usr/lib/..." (proc(5)) */
static bool read_area(const char *line, struct area *ret)
{
    if (!hex(&line, &ret->at) || *line++ != '-' || !hex(&line, &ret->end) || strlen(line) < 6)
        return false;
    ret->writable = line[2] == 'w';
    ret->shared = line[4] == 's';
    ret->named = strchr(line, '/') != NULL;
    return line[1] == 'r' && !ret->shared && !strstr(line, "[v");
}

static void add(uint64_t at, uint32_t advice)
{
    struct range *last = range_count ? &ranges[range_count - 1] : NULL;

    if (last && last->advice == advice && at >= last->at &&
        at <= last->at + (uint64_t)(last->pages + GAP) * PAGE) {
        last->pages = (uint32_t)((at - last->at) / PAGE) + 1;
        return;
    }
    if (range_count < RANGES_MAX)
        ranges[range_count++] = (struct range){at, 1, advice};
}

/* Writable memory: what is ours alone. Files that are only read: what is mapped. */
static void note_area(int pagemap, const struct area *area)
{
    uint64_t entries[512];
    uint64_t wanted = area->writable ? PM_OWN : PM_PRESENT;

    if ((!area->writable && !area->named) || (area->end - area->at) / PAGE > AREA_PAGES)
        return;
    for (uint64_t at = area->at; at < area->end;) {
        ssize_t got = pread(pagemap, entries, sizeof entries, (off_t)(at / PAGE * 8));
        if (got < 8)
            return;
        for (size_t i = 0; i < (size_t)got / 8 && at < area->end; i++, at += PAGE)
            if (entries[i] & wanted)
                add(at, area->writable ? POPULATE_WRITE : POPULATE_READ);
    }
}

int pages_note(int fd)
{
    char line[512];
    struct area area;
    FILE *maps = fopen("/proc/self/maps", "re");
    AUTO_CLOSE int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

    if (!maps)
        return -1;
    range_count = 0;
    while (pagemap >= 0 && fgets(line, sizeof line, maps))
        if (read_area(line, &area))
            note_area(pagemap, &area);
    fclose(maps);
    return fd_write_all(fd, ranges, range_count * sizeof *ranges);
}

int pages_learn(int fd)
{
    size_t n = 0;
    ssize_t got;

    while (n < sizeof ranges && (got = read(fd, (char *)ranges + n, sizeof ranges - n)) > 0)
        n += (size_t)got;
    range_count = n / sizeof *ranges;
    return n ? 0 : -1;
}

void pages_fetch(void)
{
    for (size_t i = 0; i < range_count; i++)
        (void)madvise((void *)(uintptr_t)ranges[i].at, (size_t)ranges[i].pages * PAGE,
                      (int)ranges[i].advice);
}
