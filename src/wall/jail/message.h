/* SPDX-License-Identifier: Apache-2.0
 *
 * Decodes the helper's messages (jail/proto.h): bytes in, a jail's state and an event out. It has
 * no side effects, so that it can be fuzzed; jail.c handles the descriptors that come with a
 * message.
 */
#ifndef JAIL_MESSAGE_H
#define JAIL_MESSAGE_H

#include "base/str.h"
#include "jail/jail.h"
#include "jail/proto.h"

/* Stores in *state what the message reports, and in *ret the event for the library's user. Returns
 * the message's kind. An invalid message changes no state, and is JAIL_FAILED with ERR_BUG. */
enum jail_message message_read(struct str bytes, struct jail_state *state, struct jail_event *ret);

#endif
