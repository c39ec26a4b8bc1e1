/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/json_mem.h"

#include <jansson.h>
#include <pthread.h>

#include "base/mem.h"

static json_malloc_t allocate; /* the allocator that the application may have given jansson */

static void *allocate_or_abort(size_t n)
{
    return mem_must(allocate(n));
}

static void take_over(void)
{
    json_free_t release;

    json_get_alloc_funcs(&allocate, &release);
    json_set_alloc_funcs(allocate_or_abort, release);
}

void json_mem_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, take_over);
}
