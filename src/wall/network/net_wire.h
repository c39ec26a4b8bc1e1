/* SPDX-License-Identifier: Apache-2.0
 *
 * What the library (network.h) and glovebox-net (main.c) send each other.
 *
 * The program's standard input is a stream: each byte of it brings a descriptor, the line to a new
 * guest, and its end ends the program when no guest is left. A line is a socket that keeps
 * messages apart:
 *
 *   to the program   LINE_OPEN    u64 bytes that may be carried (0: any), string rules; with the
 *                                 sockets: UDP and TCP of the name server, then the listeners
 *                    LINE_RULES   string rules, "" for none: from now on
 *                    LINE_TAKE    the rows since the last time are wanted
 *   to the library   the answer to LINE_TAKE: rows as net_book_take writes them
 *
 * When a line closes, everything of its guest is closed.
 */
#ifndef NETWORK_NET_WIRE_H
#define NETWORK_NET_WIRE_H

enum line_message { LINE_OPEN = 1, LINE_RULES, LINE_TAKE };

enum { LINE_MAX = 32 << 10 }; /* of a message to the program */

#endif
