/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_wall.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "formats/json_get.h"
#include "jail/surroundings.h"
#include "options/user_file.h"

enum { NOTE_MAX = 4096, DAY_S = 24 * 60 * 60 };

static void add_names(struct buf *b, layer_mask layers)
{
    (void)buf_adds(b, "without");
    for (unsigned layer = 0; layer < LAYER_COUNT; layer++)
        if (layers & LAYER_BIT(layer))
            (void)buf_addf(b, " %s", jail_layers[layer].name);
}

/* Returns the layers that a run should have had and lost; with `why`, only those lost for that
 * reason. */
static layer_mask all_lost(const json_t *missing, const char *why)
{
    layer_mask layers = 0;
    const json_t *item;
    size_t i;

    json_array_foreach(missing, i, item)
    {
        const char *name = json_get_text(item, "layer"), *because = json_get_text(item, "why");
        bool counts =
            json_get_true(item, "lost") && name && because && (!why || strcmp(because, why) == 0);
        for (unsigned layer = 0; counts && layer < LAYER_COUNT; layer++)
            if (strcmp(jail_layers[layer].name, name) == 0)
                layers |= LAYER_BIT(layer);
    }
    return layers;
}

/* Prints one line for each reason, with all its layers. */
static void say_reasons(const struct report *how, const json_t *missing, bool here)
{
    layer_mask said = 0;
    const json_t *item;
    size_t i;

    json_array_foreach(missing, i, item)
    {
        const char *why = json_get_text(item, "why");
        layer_mask layers = why ? all_lost(missing, why) & ~said : 0;
        AUTO_BUF struct buf b = {0};
        if (!layers)
            continue;
        said |= layers;
        buf_init(&b, NOTE_MAX);
        add_names(&b, layers);
        (void)buf_addf(&b, ": %s%s", why, here ? " ('glovebox doctor' prints more)" : "");
        report_say(how->settings, b.p);
    }
}

static void write_hint(struct buf *b, layer_mask lost, enum surroundings where)
{
    bool proc_alone = lost == LAYER_BIT(LAYER_PROC);

    add_names(b, lost);
    (void)buf_addf(b, ": this is %s. To get the whole wall: %s. This line comes once a day.",
                   surroundings_title(where),
                   proc_alone ? layer_how(LAYER_PROC, where) : wall_how(where));
}

/* True if the file does not have this text, or is a day old; then the text is written to it. */
static bool is_news(int fd, struct str text)
{
    AUTO_BUF struct buf before = {0};
    struct stat st;

    buf_init(&before, NOTE_MAX);
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || fd_read_all(fd, &before) < 0)
        return false;
    if (str_eq(buf_str(&before), text) && time(NULL) - st.st_mtime < DAY_S)
        return false;
    return pwrite(fd, text.p, text.n, 0) == (ssize_t)text.n && ftruncate(fd, (off_t)text.n) == 0;
}

/* Where this user's state cannot be kept, a terminal session shows the hint once. A stderr that is
 * not a terminal never gets it: the hint would repeat with each run. */
static bool is_news_to_terminal(void)
{
    AUTO_FREE char *session = xasprintf("%d", (int)getsid(0));
    AUTO_CLOSE int fd =
        isatty(STDERR_FILENO) ? user_file_open_temporary("wall_hint", O_RDWR | O_CREAT) : -1;

    return is_news(fd, str_from(session));
}

static bool is_due(struct str hint)
{
    AUTO_CLOSE int fd = user_file_open("wall_hint", O_RDWR | O_CREAT);

    return fd >= 0 ? is_news(fd, hint) : is_news_to_terminal();
}

/* True if the wall was made by the jail: a layer that it lacks is missing on this machine. */
static bool is_here(const json_t *doc)
{
    const char *backend = json_get_text(doc, "backend");

    return !backend || strcmp(backend, "jail") == 0;
}

void report_wall(const struct report *how, const json_t *doc)
{
    const struct cli_settings *s = how->settings;
    const json_t *missing = json_object_get(doc, "missing");
    layer_mask lost = all_lost(missing, NULL);
    AUTO_BUF struct buf b = {0};

    if (!lost || s->quiet)
        return;
    enum surroundings where = surroundings_find();
    if (where == ON_HOST || !is_here(doc)) {
        say_reasons(how, missing, is_here(doc));
        return;
    }
    if (s->json || s->common.events)
        return;
    buf_init(&b, NOTE_MAX);
    write_hint(&b, lost, where);
    if (is_due(buf_str(&b)))
        report_say(s, b.p);
}
