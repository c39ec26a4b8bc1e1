/* SPDX-License-Identifier: Apache-2.0
 *
 * Images that are built for a run, by `docker build`: from a Dockerfile of the user, or from one
 * that adds packages to an image. The image's tag is a hash of its sources, so each is built once.
 * Two processes may build the same image: the engine names the image in one step, at the end.
 *
 * Files of a client go as an archive to the command's input: such a build can read no file of this
 * host. No value of our environment becomes an argument or a secret of a build.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "engine/engine_command.h"
#include "engine/engine_parts.h"
#include "engine/folder.h"
#include "engine/tar.h"

enum {
    BUILD_MS = 1800000,
    DOCKERFILE_MAX = 1 << 20,
    SHOWN_MAX = 2000,
    LINE_MAX_SHOWN = 200,
    TAIL_MAX = 240
};

struct build {
    const struct engine_wish *wish;
    bool is_pip;               /* the steps are ours: only their output is useful to the user */
    struct buf text;           /* the Dockerfile */
    struct tar context;        /* .fd is -1 if there is a folder */
    char *folder, *dockerfile; /* the user's folder, and the file in it */
    char hash[SHA256_HEX];     /* a hash of the sources */
    bool is_known;             /* the hash covers all sources */

    unsigned shown;
    char step[LINE_MAX_SHOWN]; /* the step that began last */
    const char *cause;         /* the cause of a failure, if pip's output shows it; or NULL */
    struct buf tail;           /* the last part of the step's output */
};

/* ---- the command's output ---- */

static void engine_build_show(struct build *b, const char *line)
{
    if (b->wish->step && b->shown++ < SHOWN_MAX)
        b->wish->step(b->wish->ctx, line);
}

/* True for an image's ID, which is Podman's last line. */
static bool is_id(struct str line)
{
    return line.n == 64 && strspn(line.p, "0123456789abcdef") >= line.n;
}

/* True for the command's own lines between the steps; the last three are advice to install
 * BuildKit. */
static bool is_noise(struct str line)
{
    static const char *const heads[] = {" ---> ",
                                        "--> ",
                                        "Removing intermediate container",
                                        "Successfully built ",
                                        "Successfully tagged ",
                                        "COMMIT ",
                                        "Sending build context ",
                                        "DEPRECATED: ",
                                        "            Install the buildx",
                                        "            https://docs.docker.com",
                                        "            BuildKit is currently disabled",
                                        "            environment-variable."};

    for (size_t i = 0; i < ARRAY_LEN(heads); i++)
        if (str_starts(line, heads[i]))
            return true;
    return !str_trim(line).n || is_id(line);
}

/* True for "Step 2/3 : RUN make", for Podman's "STEP 2/3: RUN make", and for BuildKit's "#5 [2/3]
 * RUN make". */
static bool is_step(struct str line)
{
    size_t digits = str_starts(line, "#") ? strspn(line.p + 1, "0123456789") : 0;

    return str_starts(line, "Step ") || str_starts(line, "STEP ") ||
           (digits && str_starts(str_slice(line, 1 + digits, line.n), " ["));
}

static void engine_build_keep(struct build *b, const char *line)
{
    if (b->tail.n)
        (void)buf_adds(&b->tail, " | ");
    (void)buf_adds(&b->tail, line);
    if (b->tail.n > TAIL_MAX)
        buf_drop(&b->tail, b->tail.n - TAIL_MAX);
}

#define NO_NETWORK "no network: the engine reaches no index of packages"

/* Strings in pip's output. The first one that occurs decides: without a network, pip also reports
 * that it finds no package. */
static const struct {
    const char *words, *cause;
} causes[] = {
    {"No module named pip", "the image has no pip"},
    {"name resolution", NO_NETWORK},
    {"Name or service not known", NO_NETWORK},
    {"NewConnectionError", NO_NETWORK},
    {"ConnectTimeoutError", NO_NETWORK},
    {"No matching distribution found for", "there is no such package, or not for this Python"},
    {"No space left on device", "the engine's disk is full"},
};

static void look_for_cause(struct build *b, const char *line)
{
    for (size_t i = 0; i < ARRAY_LEN(causes) && !b->cause; i++)
        if (strstr(line, causes[i].words))
            b->cause = causes[i].cause;
}

/* Removes escapes such as "\33[91m", which the engine puts around errors. */
static struct str without_colours(struct str line, char ret[LINE_MAX_SHOWN])
{
    size_t kept = 0;

    for (size_t i = 0; i < line.n && kept < LINE_MAX_SHOWN - 1; i++) {
        if (line.p[i] == '\33' && i + 1 < line.n && line.p[i + 1] == '[')
            for (i += 2; i < line.n && strchr("0123456789;", line.p[i]);)
                i++;
        else
            ret[kept++] = line.p[i];
    }
    ret[kept] = '\0';
    return (struct str){ret, kept};
}

static void engine_build_take_line(void *ctx, struct str line)
{
    struct build *b = ctx;
    char plain[LINE_MAX_SHOWN], shown[LINE_MAX_SHOWN];

    line = without_colours(line, plain);
    bool step = is_step(line);
    if (is_noise(line) || (step && b->is_pip))
        return;
    engine_show_str(line, shown, sizeof shown);
    engine_build_show(b, shown);
    if (!step) {
        look_for_cause(b, shown);
        engine_build_keep(b, shown);
        return;
    }
    buf_clear(&b->tail);
    snprintf(b->step, sizeof b->step, "%s", shown);
}

/* ---- building ---- */

static const char *hint(const struct build *b)
{
    const char *tail = b->tail.n ? b->tail.p : "";
    /* The older builder treats the lines of a here-document (<<EOF) as instructions. */
    bool split = b->text.n && memmem(b->text.p, b->text.n, "<<", 2) &&
                 strcasestr(tail, "unknown instruction");

    if (split || strcasestr(tail, "buildkit") || strcasestr(tail, "unknown flag"))
        return "; a Dockerfile that needs BuildKit: install docker-buildx";
    if (!b->wish->dockerfile && !b->is_pip && strstr(b->step, "COPY"))
        return "; a Dockerfile that was sent can copy only the files that were sent with it";
    return "";
}

static int say_failed(const struct build *b, struct err *err)
{
    int n = (int)b->tail.n;
    const char *tail = n ? b->tail.p : "it printed nothing";

    if (!n)
        n = (int)strlen(tail);
    if (b->is_pip)
        return err_set(err, ERR_UNSUPPORTED, "%s%spip's last output: %.*s",
                       b->cause ? b->cause : "", b->cause ? "; " : "", n, tail);
    return err_set(err, ERR_UNSUPPORTED, "the image was not built%s%.100s; its last output: %.*s%s",
                   b->step[0] ? ": " : "", b->step, n, tail, hint(b));
}

static int run_build(struct engine *e, struct build *b, const char *image, struct err *err)
{
    AUTO_FREE char *label = xasprintf("%s=image", ENGINE_LABEL);
    const char *argv[12] = {"", "build", "-t", image, "--label", label, "--force-rm"};
    size_t n = 7;
    int status;

    if (b->folder) {
        argv[n++] = "-f";
        argv[n++] = b->dockerfile;
    }
    argv[n++] = "--"; /* the next argument is no option, whatever its name is */
    argv[n] = b->folder ? b->folder : "-";
    const struct engine_command build = {.place = &e->place,
                                         .argv = argv,
                                         .no_buildkit = e->podman || b->is_pip,
                                         .input = b->context.fd,
                                         .timeout_ms = BUILD_MS,
                                         .cancel_fd = b->wish->cancel_fd,
                                         .line = engine_build_take_line,
                                         .ctx = b};
    buf_init(&b->tail, TAIL_MAX + 2 * LINE_MAX_SHOWN);
    if (engine_command_run(&build, &status, err) < 0)
        return -1;
    return status == 0 ? 0 : say_failed(b, err);
}

static char *need_built(struct engine *e, struct build *b, struct err *err)
{
    AUTO_FREE char *image = xasprintf(ENGINE_IMAGES_BUILT ":%.32s", b->hash);
    char *id = NULL;

    err->kind = ERR_NONE;
    if (b->is_known)
        id = engine_find_image(e, image, err);
    if (id || err->kind || run_build(e, b, image, err) < 0)
        return id;
    id = engine_find_image(e, image, err);
    if (!id && !err->kind)
        (void)err_set(err, ERR_SYSTEM, "the engine built an image, but does not have it");
    return id;
}

static void build_done(struct build *b)
{
    buf_done(&b->text);
    buf_done(&b->tail);
    tar_done(&b->context);
    free(b->folder);
    free(b->dockerfile);
}

/* ---- a client's Dockerfile and files ---- */

static bool has_word(const char *text, const char *word)
{
    return strcasestr(text, word) != NULL;
}

/* True if the Dockerfile uses no files of its folder: every one that does has these words, and some
 * others have them, too. */
static bool is_alone(const struct buf *dockerfile)
{
    return !dockerfile->n || (!has_word(dockerfile->p, "copy") && !has_word(dockerfile->p, "add") &&
                              !has_word(dockerfile->p, "mount"));
}

static int by_name(const void *a, const void *b)
{
    struct str x = (*(const struct named_bytes *const *)a)->name;
    struct str y = (*(const struct named_bytes *const *)b)->name;
    int order = memcmp(x.p, y.p, x.n < y.n ? x.n : y.n);

    return order ? order : (x.n > y.n) - (x.n < y.n);
}

static int engine_build_add_file(struct tar *t, struct str name, struct str bytes, struct err *err)
{
    AUTO_FREE char *text = xstrndup(name.p, name.n);

    return tar_add(t, &(struct tar_entry){.name = text, .mode = 0644, .size = bytes.n}, bytes, err);
}

/* Adds the files sorted, so that their order in the request does not change the hash. */
static int add_sorted(struct tar *t, const struct named_bytes *files, size_t n, struct err *err)
{
    const struct named_bytes **sorted = xcalloc(n + 1, sizeof(struct named_bytes *));
    int result = 0;

    for (size_t i = 0; i < n; i++)
        sorted[i] = &files[i];
    qsort(sorted, n, sizeof(struct named_bytes *), by_name);
    for (size_t i = 0; i < n && result == 0; i++)
        result = engine_build_add_file(t, sorted[i]->name, sorted[i]->bytes, err);
    free(sorted);
    return result;
}

/* Adds the Dockerfile last: it replaces a file of its name. */
static int plan_sent(struct build *b, const struct named_bytes *files, size_t n, struct err *err)
{
    struct tar *t = &b->context;

    if (!str_trim(buf_str(&b->text)).n)
        return err_set(err, ERR_UNSUPPORTED, "the Dockerfile is empty");
    if (tar_open(t, err) < 0 || (!is_alone(&b->text) && add_sorted(t, files, n, err) < 0) ||
        engine_build_add_file(t, STR("Dockerfile"), buf_str(&b->text), err) < 0 ||
        tar_end(t, err) < 0)
        return -1;
    memcpy(b->hash, t->hash, sizeof b->hash);
    b->is_known = true;
    return 0;
}

static int keep_text(struct build *b, struct str text, struct err *err)
{
    buf_init(&b->text, DOCKERFILE_MAX);
    return buf_add_str(&b->text, text) < 0
               ? err_set(err, ERR_LIMIT, "it is larger than %d bytes", DOCKERFILE_MAX)
               : 0;
}

/* ---- a folder of the user ---- */

/* Adds an entry to the hash. A change of a file's content changes its attributes, too. A change in
 * a file that .dockerignore leaves out also changes the hash; then the command finds each step in
 * its cache. */
static int add_entry(void *ctx, const struct folder_entry *entry, struct err *err)
{
    const struct stat *st = entry->st;
    const uint64_t numbers[] = {st->st_ino,
                                st->st_mode,
                                (uint64_t)st->st_size,
                                (uint64_t)st->st_mtim.tv_sec,
                                (uint64_t)st->st_mtim.tv_nsec,
                                (uint64_t)st->st_ctim.tv_sec,
                                (uint64_t)st->st_ctim.tv_nsec};
    (void)err;
    sha256_add(ctx, entry->path, strlen(entry->path) + 1);
    /* Leave out a folder's time: its entries have their own. */
    sha256_add(ctx, numbers, S_ISDIR(st->st_mode) ? 2 * sizeof *numbers : sizeof numbers);
    return 0;
}

static int plan_folder(struct build *b, struct err *err)
{
    AUTO_CLOSE int fd = open(b->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct sha256 sum;
    struct err ignored;

    if (fd < 0)
        return err_sys(err, "open %s", b->folder);
    sha256_init(&sum);
    sha256_add(&sum, b->dockerfile, strlen(b->dockerfile) + 1);
    b->is_known = folder_walk(fd, add_entry, &sum, &ignored) == 0;
    sha256_hex(&sum, b->hash);
    return 0;
}

static char *dockerfile_in(const char *folder)
{
    static const char *const names[] = {"Dockerfile", "Containerfile"};

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        AUTO_FREE char *file = xasprintf("%s/%s", folder, names[i]);
        if (access(file, F_OK) == 0)
            return mem_take(&file);
    }
    return NULL;
}

/* `path` is a Dockerfile, or a folder with one. A named Dockerfile that copies nothing is sent
 * without its folder. */
static int plan_path(struct build *b, const char *path, struct err *err)
{
    AUTO_FREE char *real = realpath(path, NULL);
    struct stat st;

    if (!real || stat(real, &st) < 0)
        return err_set(err, ERR_USAGE, "%s", strerror(errno));
    bool is_folder = S_ISDIR(st.st_mode);
    AUTO_FREE char *file = is_folder ? dockerfile_in(real) : xstrdup(real);
    if (!file)
        return err_set(err, ERR_USAGE, "there is no Dockerfile in this folder");
    buf_init(&b->text, DOCKERFILE_MAX);
    if (fd_read_file(file, &b->text, err) < 0)
        return -1;
    if (!is_folder && is_alone(&b->text))
        return plan_sent(b, NULL, 0, err);
    const char *slash = strrchr(file, '/');
    b->folder = slash == file ? xstrdup("/") : xstrndup(file, (size_t)(slash - file));
    b->dockerfile = mem_take(&file);
    return plan_folder(b, err);
}

char *engine_build(struct engine *e, const struct engine_wish *wish, struct err *err)
{
    struct build b = {.wish = wish, .context = {.fd = -1}};
    char *id = NULL;

    int planned = wish->dockerfile ? plan_path(&b, wish->dockerfile, err)
                  : keep_text(&b, wish->dockerfile_text, err) < 0
                      ? -1
                      : plan_sent(&b, wish->files, wish->file_count, err);
    if (planned == 0)
        id = need_built(e, &b, err);
    if (!id && wish->dockerfile)
        (void)err_wrap(err, "--dockerfile %.100s", wish->dockerfile);
    else if (!id)
        (void)err_wrap(err, "--dockerfile");
    build_done(&b);
    return id;
}

/* ---- packages ---- */

/* ARG values are variables of the steps alone. The last one permits pip to install into a
 * distribution's own folder of packages. */
#define PIP_SETTINGS                                                                               \
    "ARG PIP_NO_INPUT=1\nARG PIP_NO_CACHE_DIR=1\nARG PIP_DISABLE_PIP_VERSION_CHECK=1\n"            \
    "ARG PIP_PROGRESS_BAR=off\nARG PIP_ROOT_USER_ACTION=ignore\nARG PIP_BREAK_SYSTEM_PACKAGES=1\n"

/* The words of the command are a JSON array: no shell reads them. The base is a bare id, which only
 * the older builder takes. */
static char *packages_dockerfile(const char *base, const struct engine_wish *wish)
{
    json_t *words = json_pack("[s, s, s, s]", wish->python, "-m", "pip", "install");
    const char *colon = strchr(base, ':');

    for (char *const *p = wish->packages; *p; p++)
        json_array_append_new(words, json_string(*p));
    AUTO_FREE char *command = mem_must(json_dumps(words, JSON_COMPACT | JSON_ENSURE_ASCII));
    json_decref(words);
    return xasprintf("FROM %s\nUSER 0\n" PIP_SETTINGS "RUN %s\n", colon ? colon + 1 : base,
                     command);
}

char *engine_add_packages(struct engine *e, const char *base, const struct engine_wish *wish,
                          struct err *err)
{
    AUTO_FREE char *dockerfile = packages_dockerfile(base, wish);
    struct build b = {.wish = wish, .is_pip = true, .context = {.fd = -1}};
    char *id = NULL;

    if (keep_text(&b, str_from(dockerfile), err) == 0 && plan_sent(&b, NULL, 0, err) == 0)
        id = need_built(e, &b, err);
    if (!id)
        (void)err_wrap(err, "--pip");
    build_done(&b);
    return id;
}
