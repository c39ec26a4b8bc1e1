/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 (FIPS 180-4), with the processor's own instructions where it has them.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_HEX 65 /* 64 digits and the NUL */

struct sha256 {
    uint32_t state[8];
    uint64_t total;
    unsigned char block[64];
};

void sha256_init(struct sha256 *h);
void sha256_add(struct sha256 *h, const void *p, size_t n);
void sha256_hex(struct sha256 *h, char ret_hex[SHA256_HEX]); /* ends the hash */
void sha256_of(const void *p, size_t n, char ret_hex[SHA256_HEX]);

/* Adds `blocks` blocks of 64 bytes to the state. sha256_add uses the fastest function; the plain
 * one runs on every processor, and tests compare the fast one with it. */
typedef void sha256_blocks_fn(uint32_t state[8], const unsigned char *p, size_t blocks);
void sha256_blocks_plain(uint32_t state[8], const unsigned char *p, size_t blocks);
sha256_blocks_fn *sha256_blocks_best(void);

#endif
