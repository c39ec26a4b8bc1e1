/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "judge/suite.h"

const struct tally_task *tally_find(const struct tally *t, const char *id)
{
    const json_t *place = json_object_get(t->places, id);

    return place ? &t->at[json_integer_value(place)] : NULL;
}

struct tally_task *tally_task(struct tally *t, const char *id)
{
    const struct tally_task *known = tally_find(t, id);

    if (known)
        return &t->at[known - t->at];
    if (!t->places)
        t->places = json_object();
    if (!t->at || t->n == t->room)
        t->at = mem_grow(t->at, &t->room, sizeof *t->at);
    t->at[t->n] = (struct tally_task){.id = xstrdup(id)};
    json_object_set_new_nocheck(t->places, id, json_integer((json_int_t)t->n));
    return &t->at[t->n++];
}

void tally_done(struct tally *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->at[i].id);
    free(t->at);
    json_decref(t->places);
    *t = (struct tally){0};
}

/* As a product, because binomials exceed the range of a double. */
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

/* Wilson's interval of a rate that was seen in n tries. */
static void wilson(double rate, double n, double *ret_from, double *ret_to)
{
    const double z = 1.959964, zz = z * z / n;
    const double middle = (rate + zz / 2) / (1 + zz);
    const double half = z / (1 + zz) * sqrt(rate * (1 - rate) / n + zz / (4 * n));

    *ret_from = fmax(middle - half, 0);
    *ret_to = fmin(middle + half, 1);
}

/* With one sample for each task, the tasks are tries of equal weight. With more samples, a task's
 * estimate varies less than a single try. Then `tries` is the number of single tries that would
 * give a mean of the same accuracy; it is at most the number of all samples. */
void tally_interval(const struct tally *t, size_t k, double *ret_from, double *ret_to)
{
    double tasks = 0, samples = 0, squares = 0;
    size_t n;
    const double mean = tally_pass_at(t, k, &n);

    for (size_t i = 0; i < t->n; i++) {
        if (t->at[i].n < k || !t->at[i].n)
            continue;
        double distance = pass_at_k(t->at[i].n, t->at[i].passed, k) - mean;
        squares += distance * distance;
        samples += (double)t->at[i].n;
        tasks++;
    }
    const double all = tasks * mean * (1 - mean);
    const double tries = all <= 0 ? tasks : fmin(samples, tasks * all / fmax(squares, 1e-12));
    wilson(mean, fmax(tries, 1), ret_from, ret_to);
}
