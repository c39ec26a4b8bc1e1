/* SPDX-License-Identifier: Apache-2.0
 *
 * jansson reports exhausted memory by a status of each call. Code that writes hundreds of fields
 * would have to check each one, and a forgotten check loses a field. So jansson's allocations abort
 * instead, as in base/mem.h.
 */
#ifndef FORMATS_JSON_MEM_H
#define FORMATS_JSON_MEM_H

/* Takes effect for the whole process, on top of the allocator that jansson has at this moment. May
 * be called from any thread, any number of times. */
void json_mem_init(void);

#endif
