/* SPDX-License-Identifier: Apache-2.0
 *
 * jansson reports memory that is out by a status that documents of hundreds of fields would have to
 * check at each; one that is overlooked is a field that is missing. So it aborts as base/mem.h
 * does.
 */
#ifndef BASE_JSON_MEM_H
#define BASE_JSON_MEM_H

/* From now on, for the whole process, with the allocator that jansson has now. Any thread, any
 * number of times. */
void json_mem_init(void);

#endif
