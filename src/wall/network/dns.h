/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of DNS: a guest's question, and our answer to it (RFC 1035). Bytes in, bytes out.
 */
#ifndef NETWORK_DNS_H
#define NETWORK_DNS_H

#include "base/str.h"
#include "network/rules.h"

enum {
    DNS_QUERY_MAX = 1232, /* what a resolver sends at most over UDP */
    DNS_ANSWER_MAX = 512,
};

enum dns_code { DNS_FINE = 0, DNS_MALFORMED = 1, DNS_FAILED = 2, DNS_NO_NAME = 3, DNS_NO_VERB = 4 };

struct dns_question {
    enum dns_code code;          /* DNS_FINE, or the reason to give at once */
    char name[NET_NAME_MAX + 1]; /* in lower case; '?' for what no host's name has */
    bool wants_v4;               /* an address of IPv4; other records have no answer */
    size_t end;                  /* of the question in the message; 0 if it could not be read */
};

/* False if the message is not a question and must not be answered. */
bool dns_question_read(struct str message, struct dns_question *ret);
/* Writes the answer; returns its length. `address` may be NULL. */
size_t dns_answer(struct str message, const struct dns_question *question, enum dns_code code,
                  const struct net_address *address, char ret[DNS_ANSWER_MAX]);

#endif
