/* SPDX-License-Identifier: Apache-2.0
 *
 * What the helper says (jail/proto.h), decoded: bytes in, a jail's state and an event out. Pure, so
 * that it can be fuzzed; the descriptors that come along are jail.c's business.
 */
#ifndef JAIL_MESSAGE_H
#define JAIL_MESSAGE_H

#include "base/str.h"
#include "jail/jail.h"
#include "jail/proto.h"

/* Notes in *state what the message reports, and in *ret what the library's user gets of it.
 * Returns the kind of the message; one that is damaged changes no state and is JAIL_FAILED with
 * ERR_BUG. */
enum jail_message message_read(struct str bytes, struct jail_state *state, struct jail_event *ret);

#endif
