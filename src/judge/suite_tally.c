/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/suite.h"

/* FNV-1a. A suite is its user's own: its ids are not chosen to collide. */
static uint32_t hash(const char *id)
{
    uint32_t h = 2166136261u;

    for (; *id; id++)
        h = (h ^ (unsigned char)*id) * 16777619u;
    return h;
}

static uint32_t *slot_of(const struct tally *t, const char *id)
{
    size_t i = hash(id) & (t->index_size - 1);

    while (t->index[i] && strcmp(t->at[t->index[i] - 1].id, id) != 0)
        i = (i + 1) & (t->index_size - 1);
    return &t->index[i];
}

static void grow(struct tally *t)
{
    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        t->at = xrealloc_array(t->at, t->room, sizeof *t->at);
    }
    if (2 * t->n < t->index_size)
        return;
    free(t->index);
    t->index_size = t->index_size ? 2 * t->index_size : 128;
    t->index = xcalloc(t->index_size, sizeof *t->index);
    for (size_t i = 0; i < t->n; i++)
        *slot_of(t, t->at[i].id) = (uint32_t)i + 1;
}

const struct tally_task *tally_find(const struct tally *t, const char *id)
{
    uint32_t place = t->index_size ? *slot_of(t, id) : 0;

    return place ? &t->at[place - 1] : NULL;
}

struct tally_task *tally_task(struct tally *t, const char *id)
{
    grow(t);
    uint32_t *slot = slot_of(t, id);
    if (!*slot) {
        t->at[t->n] = (struct tally_task){.id = xstrdup(id)};
        *slot = (uint32_t)++t->n;
    }
    return &t->at[*slot - 1];
}

void tally_done(struct tally *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->at[i].id);
    free(t->at);
    free(t->index);
    *t = (struct tally){0};
}

/* As a product, for the binomials themselves leave the range of a double. */
double pass_at_k(size_t n, size_t c, size_t k)
{
    double none = 1;

    if (c + k > n)
        return 1;
    for (size_t i = n - c + 1; i <= n; i++)
        none *= 1 - (double)k / (double)i;
    return 1 - none;
}

double tally_pass_at(const struct tally *t, size_t k, size_t *ret_tasks)
{
    double sum = 0;
    size_t tasks = 0;

    for (size_t i = 0; i < t->n; i++) {
        if (t->at[i].n < k || !t->at[i].n)
            continue;
        sum += pass_at_k(t->at[i].n, t->at[i].passed, k);
        tasks++;
    }
    *ret_tasks = tasks;
    return tasks ? sum / (double)tasks : 0;
}
