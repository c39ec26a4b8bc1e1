/* SPDX-License-Identifier: Apache-2.0 */
#include "run/prepare.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "environments/requirement.h"
#include "jail/surroundings.h"
#include "languages/pythons.h"
#include "registry/registry.h"
#include "request/environment.h"
#include "run/arguments.h"
#include "run/check.h"
#include "run/first.h"

void prepared_init(struct prepared *p, const struct run_request *request)
{
    *p = (struct prepared){.request = request,
                           .work_dirfd = -1,
                           .out_dirfd = -1,
                           .environment = ENV_USED_NONE,
                           .watch = {.cancel_fd = -1}};
}

void prepared_done(struct prepared *p)
{
    interpreter_done(&p->interpreter);
    free(p->called);
    fd_close(&p->work_dirfd);
    fd_close(&p->out_dirfd);
    environment_free(p->argv);
    environment_free(p->env);
    requirements_done(p->packages);
    env_close(&p->environment);
    views_done(&p->views);
}

/* A limit below our own needs for making a guest would look like a failure of ours. */
static int check_least(const struct jail_limits *l, struct err *err)
{
    const struct {
        const char *what;
        uint64_t value, least;
    } counts[] = {
        {"inodes", l->inodes, RUN_INODES_LEAST},
        {"open files", l->open_files, RUN_OPEN_FILES_LEAST},
    };

    for (size_t i = 0; i < ARRAY_LEN(counts); i++)
        if (counts[i].value && counts[i].value < counts[i].least)
            return err_set(err, ERR_USAGE,
                           "a limit of %llu %s is less than the jail itself needs, %llu",
                           (unsigned long long)counts[i].value, counts[i].what,
                           (unsigned long long)counts[i].least);
    /* A likely mistake: "128" for 128m is a number of bytes. */
    if (l->memory_bytes && l->memory_bytes < RUN_BYTES_LEAST)
        return err_set(err, ERR_USAGE,
                       "a memory limit of %llu bytes is less than the jail itself needs; did you "
                       "mean %llum?",
                       (unsigned long long)l->memory_bytes, (unsigned long long)l->memory_bytes);
    if (l->disk_bytes && l->disk_bytes < RUN_BYTES_LEAST)
        return err_set(err, ERR_USAGE,
                       "a disk limit of %llu bytes is too small for any file; did you mean %llum?",
                       (unsigned long long)l->disk_bytes, (unsigned long long)l->disk_bytes);
    return 0;
}

/* An ability that the request needs, and the option that requires it. */
struct wish {
    bool asked;
    enum backend_ability ability;
    const char *option;
};

enum { WISHES_MAX = JAIL_LIMITS + 8 };

static size_t list_wishes(const struct prepared *p, struct wish ret[WISHES_MAX])
{
    const struct run_request *q = p->request;
    const struct jail_limits *l = &q->limits;
    const struct wish all[WISHES_MAX] = {
#define JAIL_LIMIT(id, type, member, name)                                                         \
    {q->asked & 1U << JAIL_LIMIT_##id && l->member, CAN_LIMIT_##id, "--" name},
#include "limits/limits.def"
        {q->place.asked_no_net, CAN_CLOSE_NET, "--net=none"},
        {q->place.net_host, CAN_HOST_NET, "--net=host"},
        {q->place.net_rules, CAN_NAMED_NET, "--net=allow:"},
        {q->workspace.files && q->workspace.files[0], CAN_FILES, "--file"},
        {q->workspace.input_count, CAN_FILES, "the files"},
        {q->workspace.work_dir, CAN_FILES, "--work-dir"},
        {q->workspace.out_dir, CAN_FILES, "--out"},
        {p->packages, CAN_PACKAGES, "--pip"},
    };
    size_t n = 0;

    for (size_t i = 0; i < WISHES_MAX; i++)
        if (all[i].asked)
            ret[n++] = all[i];
    return n;
}

/* Returns the first backend that has the ability and a wall; NULL for none. */
static const struct backend *find_able(enum backend_ability ability)
{
    for (size_t i = 0; backends[i]; i++)
        if (!backends[i]->unsafe && !backend_why_not(backends[i], ability))
            return backends[i];
    return NULL;
}

static int prepare_refuse(const struct prepared *p, const struct wish *wish, const char *why_not,
                          struct err *err)
{
    const struct backend *able = find_able(wish->ability);

    return err_set(err, ERR_UNSUPPORTED, "backend %s %s: leave %s out%s%s", p->backend->name,
                   why_not, wish->option, able ? ", or use --backend " : "",
                   able ? able->name : "");
}

/* Refuses an ability that this backend never has, and notes the layers that the others need. */
static int check_abilities(struct prepared *p, struct err *err)
{
    struct wish wishes[WISHES_MAX];
    size_t n = list_wishes(p, wishes);

    p->needed = 0;
    for (size_t i = 0; i < n; i++) {
        struct backend_need need = backend_need(p->backend, wishes[i].ability);
        if (need.why_not)
            return prepare_refuse(p, &wishes[i], need.why_not, err);
        p->needed |= need.layers;
    }
    return 0;
}

/* Programs written for a foreign name of the backend search the message for these words. */
static const char *foreign_words(const char *name)
{
    return strcasecmp(name, "local") == 0 ? " (local executor requires explicit opt-in to unsafe "
                                            "execution via WithAllowUnsafe(true))"
                                          : "";
}

static int check_image(const struct prepared *p, struct err *err)
{
    const struct run_request *q = p->request;
    bool built = q->place.dockerfile || q->place.dockerfile_text.p;

    if (q->place.image && built)
        return err_set(err, ERR_USAGE, "--image and --dockerfile exclude each other");
    if (q->place.dockerfile_text.n > RUN_DOCKERFILE_MAX)
        return err_set(err, ERR_LIMIT, "--dockerfile: it is larger than %u bytes",
                       RUN_DOCKERFILE_MAX);
    if (built && !p->backend->has_runtimes)
        return err_set(err, ERR_USAGE,
                       "backend %s builds no images: --dockerfile needs --backend=docker",
                       p->backend->name);
    if (!q->place.image || p->backend->interpreter)
        return 0;
    return err_set(err, ERR_USAGE,
                   "backend %s has no images, it runs this machine's interpreters: --image needs "
                   "--backend=docker",
                   p->backend->name);
}

int prepare_backend(struct prepared *p, struct err *err)
{
    const struct run_request *q = p->request;
    const char *name = q->place.backend ? q->place.backend : "jail";

    p->backend = q->place.own_backend ? q->place.own_backend : backend_find(str_from(name), err);
    if (!p->backend)
        return -1;
    if (p->backend->unsafe && !q->place.allow_unsafe)
        return err_set(
            err, ERR_USAGE,
            "backend %s has no wall: add --allow-unsafe to run the program on this host, "
            "or leave --backend out%s",
            name, foreign_words(name));
    if (q->place.without && !q->place.allow_unsafe)
        return err_set(err, ERR_USAGE, "--without removes layers of the wall: add --allow-unsafe");
    if (check_image(p, err) < 0 || requirements_read(q->place.pip, &p->packages, err) < 0 ||
        prepare_check_backend_environment(p, err) < 0)
        return -1;
    if (q->place.runtime && !p->backend->has_runtimes)
        return err_set(err, ERR_USAGE,
                       "backend %s has no container runtimes: --runtime needs --backend=docker",
                       p->backend->name);
    if (q->workspace.writable && p->backend->interpreter)
        return err_set(err, ERR_UNSUPPORTED,
                       "backend %s has the folders of its image: leave --writable out",
                       p->backend->name);
    if (check_abilities(p, err) < 0 || views_check(q->workspace.writable, err) < 0 ||
        workspace_folder(str_from(q->workspace.cwd), &p->folder, err) < 0)
        return -1;
    return check_least(&q->limits, err);
}

int prepare_language(struct prepared *p, struct examination *e, struct err *err)
{
    struct err refused;

    e->runs = true;
    if (examine_language(e, err) < 0)
        return -1;
    p->language = e->language;
    /* The check will report it; the interpreter is not needed. */
    if (check_language_allowed(e->policy, p->language, &refused) < 0)
        return 0;
    if (prepare_check_language_environment(p, err) < 0)
        return -1;
    if (prepare_interpreter(p, e->python ? e->python : p->request->program.python, err) < 0)
        return -1;
    p->python = p->language->traits->has_versions ? interpreter_minor(&p->interpreter) : 0;
    e->target = check_target_of(p->python);
    return 0;
}

static int open_folders(struct prepared *p, struct err *err)
{
    const struct run_request *q = p->request;

    p->work_dir_missing = q->workspace.work_dir && profile_is_kodeagent(q) &&
                          access(q->workspace.work_dir, F_OK) < 0 && errno == ENOENT;
    if (q->workspace.work_dir && !p->work_dir_missing &&
        (p->work_dirfd = workspace_open_dir(q->workspace.work_dir, false, err)) < 0)
        return err_wrap(err, "--work-dir");
    if (q->workspace.out_dir &&
        (p->out_dirfd = workspace_open_dir(q->workspace.out_dir, true, err)) < 0)
        return err_wrap(err, "--out");
    return 0;
}

static int lay_context(const struct run_request *q, const struct run_context *context,
                       struct lay_list *laid, struct err *err)
{
    for (size_t i = 0; context && i < context->input_count; i++)
        if (lay_add_bytes(laid, context->inputs[i].name, buf_str(&context->inputs[i].bytes), 0644,
                          err) < 0)
            return err_wrap(err, "%s", q->context.path ? q->context.path : "'context'");
    return 0;
}

int prepare_lay(struct prepared *p, const struct run_context *context, struct lay_list **ret,
                struct err *err)
{
    const struct run_request *q = p->request;

    if (open_folders(p, err) < 0)
        return -1;
    struct lay_list *laid = *ret = lay_list_new(q->limits.disk_bytes, q->limits.inodes);
    for (const char *const *path = q->workspace.withheld; path && *path; path++)
        lay_withhold(laid, *path);
    for (char *const *path = q->workspace.writable; path && *path; path++)
        if (lay_add_folder(laid, str_from(*path + 1), err) < 0)
            return -1;
    for (size_t i = 0; i < q->workspace.input_count; i++)
        if (lay_add_bytes(laid, q->workspace.inputs[i].name, q->workspace.inputs[i].bytes, 0644,
                          err) < 0)
            return -1;
    if (lay_context(q, context, laid, err) < 0)
        return -1;
    for (char *const *f = q->workspace.files; f && *f; f++)
        if (lay_add_file(laid, *f, err) < 0)
            return -1;
    if (p->work_dirfd >= 0 && lay_add_tree(laid, p->work_dirfd, err) < 0)
        return -1;
    /* An image can have folders that are not among the inputs. */
    return request_image(q) ? 0 : lay_list_find_folder(laid, p->folder, err);
}

/* A warm guest could take longer strings than execve does: refuse them in both cases, so that
 * results do not depend on warmth. */
static int check_lengths(char *const *texts, const char *what, struct err *err)
{
    for (; texts && *texts; texts++) {
        size_t n = strlen(*texts);
        if (n > RUN_ARGUMENT_MAX)
            return err_set(err, ERR_USAGE,
                           "%s has %zu bytes ('%.20s...'), more than %u; give it as a file", what,
                           n, *texts, RUN_ARGUMENT_MAX);
    }
    return 0;
}

struct jail_limits prepared_limits(const struct prepared *p)
{
    struct jail_limits limits = p->request->limits;

    if (backend_need(p->backend, CAN_LIMIT_MEMORY).why_not)
        limits.memory_bytes = 0;
    if (backend_need(p->backend, CAN_LIMIT_CPUS).why_not)
        limits.cpu_milli = 0;
    return limits;
}

/* True if the run executes what was compiled: its folder is no place for programs. */
static bool is_product(const struct prepared *p)
{
    return p->compiled && p->language->compile->native && !p->backend->interpreter;
}

int prepare_surroundings(struct prepared *p, struct err *err)
{
    const struct run_request *q = p->request;

    if (views_make(&p->interpreter, q->workspace.ro, q->workspace.writable, &p->views, err) < 0)
        return -1;
    /* A backend with interpreters of its own shows nothing of this host. */
    if (q->workspace.places && !p->backend->interpreter)
        views_add_places(&p->views);
    struct jail_limits limits = prepared_limits(p);
    AUTO_FREE char *limit = arguments_variable(p->language, &limits);
    p->env =
        environment_make(q, is_product(p) ? "/bin/sh" : p->interpreter.path, p->called, limit, err);
    if (!p->env || check_lengths(q->program.args, "an argument", err) < 0)
        return -1;
    return check_lengths(p->env, "a variable", err);
}

void prepare_warn_backend(const struct prepared *p, struct buf *out)
{
    if (p->backend->unsafe)
        (void)buf_adds(out, PREPARE_HOST_WARNING "\n");
}

void prepare_warn_python(const struct prepared *p, struct buf *out)
{
    if (p->missing_python)
        (void)buf_addf(out,
                       PREPARE_PYTHON_WARNING "3.%u, which this machine does not have; %s "
                                              "runs the program.\n",
                       p->missing_python, p->interpreter.path);
}

void prepare_warn_limits(const struct prepared *p, layer_mask held, struct buf *out)
{
    const struct jail_limits *l = &p->request->limits;
    layer_mask for_pids = backend_need(p->backend, CAN_LIMIT_PIDS).layers;
    bool elsewhere = p->backend->interpreter;
    layer_mask for_memory = elsewhere ? backend_need(p->backend, CAN_LIMIT_MEMORY).layers : 0;
    bool watched = !backend_need(p->backend, CAN_LIMIT_MEMORY).why_not;
    const struct {
        bool unheld;
        const char *text;
    } rows[] = {
        {l->memory_bytes && (for_memory & ~held),
         "Whether the memory limit holds could not be verified (layer memory)."},
        {watched && !for_memory && l->memory_bytes && !(held & LAYER_BIT(LAYER_MEMORY)),
         "The memory limit is watched, a few milliseconds late (layer memory)."},
        {l->pids && (for_pids & ~held), "The number of processes is not limited (layer pids)."},
        {watched && l->cpu_milli && !(held & LAYER_BIT(LAYER_CPU)),
         "The share of the processors is not limited (layer cpu)."},
        {watched && l->disk_bytes && !(held & LAYER_BIT(LAYER_ROOT)),
         "The disk limit holds for each file alone (layer root)."},
        {watched && l->inodes && !(held & LAYER_BIT(LAYER_ROOT)),
         "The number of files is not limited (layer root)."},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].unheld)
            (void)buf_addf(out, "%s\n", rows[i].text);
    if (!watched)
        (void)buf_addf(out, PREPARE_NO_LIMITS "\n", p->backend->name);
    if (p->work_dir_missing)
        (void)buf_addf(out, "There is no folder %s; the program had a temporary one.\n",
                       p->request->workspace.work_dir);
}

static layer_mask required_layers(const struct prepared *p)
{
    layer_mask root = p->views.needs_root ? LAYER_BIT(LAYER_ROOT) : 0;

    return p->request->place.required | p->needed | root;
}

static layer_mask wanted_layers(const struct prepared *p)
{
    return p->backend->layers & ~p->request->place.without;
}

static void explain_wish(const struct prepared *p, const struct wish *wish, unsigned layer,
                         struct err *err)
{
    bool given_up = p->request->place.without & LAYER_BIT(layer);

    if (p->backend->interpreter) { /* guests run elsewhere: advice for this machine does not help */
        err_set(err, ERR_UNSUPPORTED,
                "%s needs layer %s, which is missing at backend %s: leave %s out", wish->option,
                jail_layers[layer].name, p->backend->name, wish->option);
        return;
    }
    err_set(err, ERR_UNSUPPORTED, "%s needs layer %s, which is %s%s%s: leave %s out", wish->option,
            jail_layers[layer].name, given_up ? "left out" : "missing here (to get it: ",
            given_up ? "" : layer_how(layer, surroundings_find()), given_up ? "" : ")",
            wish->option);
}

void prepare_explain(const struct prepared *p, layer_mask lacking, struct err *err)
{
    struct wish wishes[WISHES_MAX];
    size_t n = list_wishes(p, wishes);

    if (err->kind != ERR_UNSUPPORTED || !lacking || lacking & p->request->place.required)
        return;
    for (size_t i = 0; i < n; i++) {
        layer_mask missing = backend_need(p->backend, wishes[i].ability).layers & lacking;
        if (missing) {
            explain_wish(p, &wishes[i], (unsigned)__builtin_ctz(missing), err);
            return;
        }
    }
    if (p->views.needs_root && lacking & LAYER_BIT(LAYER_ROOT))
        err_wrap(err,
                 "%s: without a private root, a run sees the host's files only at the host's paths "
                 "only",
                 p->views.needs_root);
}

struct backend_job prepared_job(const struct prepared *p)
{
    const struct run_request *q = p->request;

    return (struct backend_job){
        .exec_path = p->interpreter.path,
        .owner = q->door.owner,
        .image = p->interpreter.image,
        .runtime = q->place.runtime,
        .dockerfile = q->place.dockerfile,
        .dockerfile_text = q->place.dockerfile_text,
        .build_files = q->place.build_files,
        .build_file_count = q->place.build_file_count,
        .packages = p->packages,
        .argv = p->argv,
        .env = p->env,
        .folder = p->folder,
        .views = p->views.at,
        .view_count = p->views.n,
        .stdin_fd = q->program.stdin_fd,
        .channel = {-1, -1},
        .limits = q->limits,
        .layers = wanted_layers(p),
        .required = required_layers(p),
        .net_host = q->place.net_host,
        .net_rules = q->place.net_rules,
    };
}

struct collect_options prepared_collect(const struct prepared *p)
{
    const struct run_request *q = p->request;

    return (struct collect_options){
        .max_total_bytes = q->limits.disk_bytes,
        .max_visited = q->limits.inodes,
        .out_dirfd = p->out_dirfd,
        .work_dirfd = q->workspace.work_dir_kept ? -1 : p->work_dirfd,
        .was_laid = true,
    };
}
