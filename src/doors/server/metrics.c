/* SPDX-License-Identifier: Apache-2.0 */
#include "server/metrics.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/record.h"
#include "server/metrics_parts.h"

/* ---- figures ---- */

void figures_of(const struct result *r, enum figures_kind kind, int64_t total_us,
                struct run_figures *ret)
{
    *ret = (struct run_figures){.kind = kind,
                                .outcome = outcome_of_result(r),
                                .total_us = total_us,
                                .cpu_ms = r->cpu_ms,
                                .memory_peak = r->memory_peak};
    snprintf(ret->language, sizeof ret->language, "%s", r->language ? r->language : "unknown");
    for (size_t i = 0; i < r->outcome.denied_count && ret->denied_n < ARRAY_LEN(ret->denied); i++) {
        snprintf(ret->denied[ret->denied_n], sizeof ret->denied[0], "%s",
                 r->outcome.denied[i].name);
        ret->denied_counts[ret->denied_n++] = r->outcome.denied[i].count;
    }
}

/* ---- counting ---- */

/* Upper bounds in microseconds; one more bucket has everything above the last. */
const int64_t histogram_bounds[HISTOGRAM_BOUNDS] = {100,    250,    500,     1000,    2500,
                                                    5000,   10000,  25000,   50000,   100000,
                                                    250000, 500000, 1000000, 5000000, 30000000};

static void observe(struct histogram *h, int64_t us)
{
    int i = 0;

    while (i < HISTOGRAM_BOUNDS && us > histogram_bounds[i])
        i++;
    h->buckets[i]++;
    h->count++;
    h->sum_us += us;
}

struct metrics *metrics_new(void)
{
    return xcalloc(1, sizeof(struct metrics));
}

void metrics_free(struct metrics *m)
{
    free(m);
}

/* Finds the counter of a name. When the table is full, all other names share the counter "other".
 */
static struct named *metrics_find(struct named *list, const char *name)
{
    int i = 0;

    for (; i < NAMES_MAX - 1 && list[i].name[0]; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    snprintf(list[i].name, sizeof list[i].name, "%s", i < NAMES_MAX - 1 ? name : "other");
    return &list[i];
}

void metrics_add(struct metrics *m, const struct run_figures *f)
{
    struct named *language = metrics_find(m->languages, f->language);

    language->by_outcome[f->kind][f->outcome]++;
    observe(&m->runs[f->kind], f->total_us);
    m->cpu_ms += (uint64_t)f->cpu_ms;
    if (f->memory_peak > m->memory_peak)
        m->memory_peak = f->memory_peak;
    for (size_t i = 0; i < f->denied_n; i++)
        metrics_find(m->denied, f->denied[i])->count += f->denied_counts[i];
}

uint64_t metrics_total(const struct metrics *m)
{
    return m->runs[FIGURES_RUN].count + m->runs[FIGURES_CELL].count + m->runs[FIGURES_TEST].count;
}

void metrics_request(struct metrics *m, int status, int64_t us)
{
    m->by_status[status >= 100 && status < 600 ? status : 599]++;
    if (status != 101) /* 101: the connection is now used for something else */
        observe(&m->requests, us);
}

void metrics_waited(struct metrics *m, int64_t us)
{
    observe(&m->waited, us);
}

void metrics_refused(struct metrics *m, enum refusal_kind kind)
{
    m->refused[kind]++;
}
