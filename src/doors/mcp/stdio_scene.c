/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "mcp/stdio_parts.h"
#include "registry/registry.h"

/* A backend with interpreters of its own shows no folder of this host; it can only copy one. */
static bool shows_folders(const struct settings *settings)
{
    struct run_request request;
    struct err err;

    if (settings_request(settings, &request, &err) < 0)
        return false;
    const struct backend *backend =
        backend_find(str_from(request.place.backend ? request.place.backend : "jail"), &err);
    return backend && !backend->interpreter;
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Adds the roots to the settings. */
static void scene_show(struct stdio_scene *scene, const struct mcp_options *options)
{
    const struct opt_list *given = &options->settings->ro;
    bool shows = shows_folders(options->settings), works = options->roots == ROOTS_RW;
    size_t n = given->n;

    scene->ro = xcalloc(given->n + scene->roots.n + 1, sizeof *scene->ro);
    if (n)
        memcpy(scene->ro, given->items, n * sizeof *scene->ro);
    for (size_t i = 0; i < scene->roots.n; i++) {
        char *path = scene->roots.at[i].path;
        if (works && is_folder(path)) {
            scene->settings.work_dir = path;
            works = false;
        } else if (shows) {
            scene->ro[n++] = path;
        }
    }
    if (n)
        scene->settings.ro = (struct opt_list){.items = scene->ro, .n = n};
}

struct stdio_scene *stdio_scene_new(const struct mcp_options *options, json_t *list,
                                    struct err *err)
{
    struct stdio_scene *scene = xcalloc(1, sizeof *scene);

    scene->references = 1;
    scene->list = json_incref(list);
    scene->settings = *options->settings;
    roots_read(list, &scene->roots);
    if (scene->roots.n)
        scene_show(scene, options);
    scene->rules = (struct request_rules){.defaults = &scene->settings};
    scene->service = (struct mcp_service){.rules = &scene->rules,
                                          .languages = options->languages,
                                          .tools = options->tools,
                                          .idle_ms = options->idle_ms,
                                          .roots = &scene->roots,
                                          .follows_roots = options->roots != ROOTS_OFF};
    if (mcp_service_open(&scene->service, err) == 0)
        return scene;
    stdio_scene_drop(scene);
    return NULL;
}

struct stdio_scene *stdio_scene_hold(struct stdio_scene *scene)
{
    atomic_fetch_add(&scene->references, 1);
    return scene;
}

void stdio_scene_drop(struct stdio_scene *scene)
{
    if (!scene || atomic_fetch_sub(&scene->references, 1) > 1)
        return;
    mcp_service_close(&scene->service);
    roots_done(&scene->roots);
    json_decref(scene->list);
    free(scene->ro);
    free(scene);
}

/* The description names every folder that is shown. */
bool stdio_scene_same(const struct stdio_scene *a, const struct stdio_scene *b)
{
    return str_eq(buf_str(&a->service.about), buf_str(&b->service.about));
}
