/* SPDX-License-Identifier: Apache-2.0 */
#include "zygote/zygote_pages.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"

#define PAGE       4096u
#define RANGES_MAX 1024
/* The number of pages of a file that one fault maps, an aligned group (mm/memory.c,
 * fault_around_bytes). */
#define AROUND     16
#define AREA_PAGES (64u << 10)
#define PM_PRESENT (1ULL << 63)
#define PM_OWN     (1ULL << 56) /* mapped by no other process: copied or made since the fork */

struct range {
    uint64_t at;
    uint32_t pages;
    uint32_t write;
};

static struct range ranges[RANGES_MAX];
static size_t range_count;

/* Buffers for reading the memory map, and the result. They are shared with the rehearsing fork, so
 * that reading does not add pages to the result. No guest ever has them. */
struct look {
    char text[8192];
    uint64_t entries[512];
    struct range found[RANGES_MAX];
    size_t count;
    bool whole;
};

static struct look *look;

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

/* Adds a page to the last range, or starts a new range if the page does not follow it. */
static void zygote_pages_add(uint64_t at, bool write, const struct area *area)
{
    struct range *last = look->count ? &look->found[look->count - 1] : NULL;

    if (last && last->at >= area->at && at == last->at + (uint64_t)last->pages * PAGE)
        last->pages++;
    else if (look->count < RANGES_MAX)
        look->found[look->count++] = (struct range){at, 1, write};
}

/* Records pages of an area: in writable memory the pages that only we have, in read-only files the
 * mapped pages. */
static void note_area(int pagemap, const struct area *area)
{
    uint64_t *entries = look->entries;
    uint64_t wanted = area->writable ? PM_OWN : PM_PRESENT;

    if ((!area->writable && !area->named) || (area->end - area->at) / PAGE > AREA_PAGES)
        return;
    for (uint64_t at = area->at; at < area->end;) {
        ssize_t got = pread(pagemap, entries, sizeof look->entries, (off_t)(at / PAGE * 8));
        if (got < 8)
            return;
        for (size_t i = 0; i < (size_t)got / 8 && at < area->end; i++, at += PAGE)
            if (entries[i] & wanted)
                zygote_pages_add(at, area->writable, area);
    }
}

/* Calls `act` for each area. Does not use stdio, which allocates and frees memory and so may change
 * the map. */
static int each_area(void (*act)(int fd, const struct area *area), int fd)
{
    char *text = look->text;
    struct area area;
    size_t n = 0;
    ssize_t got;
    AUTO_CLOSE int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

    while (maps >= 0 && (got = read(maps, text + n, sizeof look->text - 1 - n)) > 0) {
        char *line = text, *end;
        n += (size_t)got;
        text[n] = '\0';
        for (; (end = strchr(line, '\n')); line = end + 1) {
            *end = '\0';
            if (read_area(line, &area))
                act(fd, &area);
        }
        n -= (size_t)(line - text);
        memmove(text, line, n);
    }
    return maps < 0 ? -1 : 0;
}

static void end_look(void)
{
    (void)munmap(look, sizeof *look);
    look = NULL;
}

int pages_begin(void)
{
    void *memory =
        mmap(NULL, sizeof *look, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return -1;
    look = memory;
    return 0;
}

void pages_note(void)
{
    AUTO_CLOSE int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

    look->whole = pagemap >= 0 && each_area(note_area, pagemap) == 0;
}

int pages_learn(void)
{
    range_count = look->whole ? look->count : 0;
    memcpy(ranges, look->found, range_count * sizeof *ranges);
    end_look();
    return range_count ? 0 : -1;
}

static bool usable[RANGES_MAX];

static void find_usable(int fd, const struct area *area)
{
    (void)fd;
    for (size_t i = 0; i < range_count; i++)
        usable[i] |= ranges[i].at >= area->at &&
                     ranges[i].at + (uint64_t)ranges[i].pages * PAGE <= area->end &&
                     ranges[i].write == area->writable;
}

void pages_settle(void)
{
    size_t kept = 0;

    memset(usable, 0, sizeof usable);
    if (pages_begin() == 0) {
        (void)each_area(find_usable, -1);
        end_look();
    }
    for (size_t i = 0; i < range_count; i++)
        if (usable[i])
            ranges[kept++] = ranges[i];
    range_count = kept;
}

/* Touches the pages: MADV_POPULATE_WRITE and MADV_POPULATE_READ need a call for each range, and
 * take longer. */
void pages_fetch(void)
{
    for (size_t i = 0; i < range_count; i++) {
        const struct range *r = &ranges[i];
        for (uint64_t n = r->at / PAGE, end = n + r->pages; n < end;) {
            volatile char *p = (volatile char *)(uintptr_t)(n * PAGE); /* NOLINT: as noted */
            if (r->write)
                *p = *p;
            else
                (void)*p;
            n = r->write ? n + 1 : (n | (AROUND - 1)) + 1;
        }
    }
}
