/* SPDX-License-Identifier: Apache-2.0 */
#include "review/review_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "formats/json_get.h"
#include "formats/json_mem.h"
#include "formats/printable.h"
#include "options/user_file.h"
#include "store/store.h"

enum { FILE_MAX = 8 << 10, NAME = SHA256_HEX + 5, LEFT = REVIEW_CACHE_FILES * 3 / 4 };

/* ---- the folder ---- */

static bool review_cache_is_ours(int fd, mode_t kind)
{
    struct stat st;

    return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == kind && st.st_uid == geteuid() &&
           !(st.st_mode & 077);
}

/* Opens the folder, which is beside the run log. -1 when there is none, or when other users have
 * rights in it. */
static int open_cache_folder(bool make)
{
    AUTO_FREE char *log = NULL;
    struct err err;

    if (store_default_path(&log, &err) < 0)
        return -1;
    *strrchr(log, '/') = '\0';
    AUTO_FREE char *path = xasprintf("%s/reviews", log);
    if (make && (user_file_make_folders(path) < 0 || (mkdir(path, 0700) < 0 && errno != EEXIST)))
        return -1;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && !review_cache_is_ours(fd, S_IFDIR))
        fd_close(&fd);
    return fd;
}

static void review_cache_name_of(const char key[SHA256_HEX], char ret[NAME])
{
    snprintf(ret, NAME, "%s.json", key);
}

/* ---- finding ---- */

static bool is_recent(int64_t then_ms)
{
    int64_t now_ms = clock_wall_ms();

    return then_ms <= now_ms && now_ms - then_ms < REVIEW_CACHE_DAYS * 86400000LL;
}

/* The file contains the key, too, so that a renamed file approves nothing. */
static bool read_verdict(const json_t *doc, const char *key, struct review_answer *ret)
{
    const char *named = json_get_text(doc, "key"), *reason = json_get_text(doc, "reason");
    const json_t *secure = json_object_get(doc, "is_secure");

    if (!named || strcmp(named, key) != 0 || !reason || !json_is_boolean(secure) ||
        !is_recent(json_get_int(doc, "time_ms")))
        return false;
    AUTO_BUF struct buf line = {0};
    buf_init(&line, 4 * FILE_MAX);
    printable_add_word(&line, str_from(reason), REVIEW_REASON_MAX);
    *ret = (struct review_answer){.secure = json_is_true(secure),
                                  .answered = true,
                                  .cached = true,
                                  .reason = buf_take(&line)};
    return true;
}

static bool review_cache_read_file(int fd, const char *key, struct review_answer *ret)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, FILE_MAX);
    if (fd_read_all(fd, &text) < 0)
        return false;
    json_t *doc = json_loadb(text.p, text.n, JSON_REJECT_DUPLICATES, NULL);
    bool found = read_verdict(doc, key, ret);
    json_decref(doc);
    return found;
}

bool review_cache_find(const char key[SHA256_HEX], struct review_answer *ret)
{
    AUTO_CLOSE int folder = open_cache_folder(false);
    char name[NAME];

    json_mem_init();
    review_cache_name_of(key, name);
    AUTO_CLOSE int fd =
        folder < 0
            ? -1
            : openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    return fd >= 0 && review_cache_is_ours(fd, S_IFREG) && review_cache_read_file(fd, key, ret);
}

/* ---- keeping ---- */

struct old_file {
    char name[NAME];
    int64_t time_ns;
};

static int by_age(const void *a, const void *b)
{
    const struct old_file *x = a, *y = b;

    return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

/* Lists the files, also those that a process left half written. */
static size_t list_files(DIR *dir, struct old_file **ret)
{
    struct dirent *entry;
    struct stat st;
    size_t n = 0;

    while ((entry = readdir(dir))) {
        if (entry->d_name[0] == '.' || strlen(entry->d_name) >= NAME ||
            fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        *ret = xrealloc_array(*ret, n + 1, sizeof **ret);
        (*ret)[n].time_ns = st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec;
        memcpy((*ret)[n++].name, entry->d_name, strlen(entry->d_name) + 1);
    }
    return n;
}

static void remove_some(int folder, struct old_file *files, size_t n)
{
    size_t too_many = n > REVIEW_CACHE_FILES ? n - LEFT : 0;

    qsort(files, n, sizeof *files, by_age);
    for (size_t i = 0; i < n; i++)
        if (i < too_many || !is_recent(files[i].time_ns / 1000000))
            (void)unlinkat(folder, files[i].name, 0);
}

static void remove_oldest(int folder)
{
    int fd = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct old_file *files = NULL;

    if (!dir) {
        fd_close(&fd);
        return;
    }
    size_t n = list_files(dir, &files);
    if (n)
        remove_some(folder, files, n);
    free(files);
    closedir(dir);
}

static char *verdict_text(const char *key, const struct review_answer *answer)
{
    json_t *doc =
        json_pack("{s:s, s:I, s:b, s:s}", "key", key, "time_ms", (json_int_t)clock_wall_ms(),
                  "is_secure", answer->secure, "reason", answer->reason);
    char *text = doc ? json_dumps(doc, JSON_COMPACT) : NULL;

    json_decref(doc);
    return text;
}

static bool write_file(int folder, const char *name, const char *text)
{
    AUTO_CLOSE int fd =
        openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    return fd >= 0 && fd_write_all(fd, text, strlen(text)) == 0;
}

void review_cache_keep(const char key[SHA256_HEX], const struct review_answer *answer)
{
    AUTO_CLOSE int folder = open_cache_folder(true);
    char name[NAME], temporary[NAME];

    json_mem_init();
    AUTO_FREE char *text = folder < 0 ? NULL : verdict_text(key, answer);
    if (!text)
        return;
    review_cache_name_of(key, name);
    snprintf(temporary, sizeof temporary, "new-%d-%llx", getpid(),
             (unsigned long long)clock_mono_ns());
    if (!write_file(folder, temporary, text) || renameat(folder, temporary, folder, name) < 0)
        (void)unlinkat(folder, temporary, 0);
    remove_oldest(folder);
}
