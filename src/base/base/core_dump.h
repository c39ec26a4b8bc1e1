/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_CORE_DUMP_H
#define BASE_CORE_DUMP_H

/* From now on a core dump of this process and of its children holds no memory, and so no key.
 * Unlike a process that is not dumpable, this one can still make user namespaces for guests. */
void core_dump_without_memory(void);

#endif
