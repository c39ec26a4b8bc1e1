/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sha256.h"

#include <stdatomic.h>
#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

/* FIPS 180-4, 4.2.2: the first 32 bits of the fractions of the cube roots of the first 64 primes.
 */
static const uint32_t k[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static uint32_t load_be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void expand(uint32_t w[64], const unsigned char *p)
{
    for (unsigned t = 0; t < 16; t++)
        w[t] = load_be32(p + 4 * t);
    for (unsigned t = 16; t < 64; t++) {
        uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
}

/* Each round would rename a to h by one place. Instead of moving them, round t finds `a` at index
 * -t modulo 8. With the inner loop unrolled the indexes are constants, and the eight values stay in
 * registers. */
static void rounds(uint32_t state[8], const uint32_t w[64])
{
    uint32_t s[8];

    memcpy(s, state, sizeof s);
    for (unsigned eight = 0; eight < 64; eight += 8) {
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++) {
            uint32_t a = s[-i & 7], b = s[(1 - i) & 7], c = s[(2 - i) & 7];
            uint32_t e = s[(4 - i) & 7], f = s[(5 - i) & 7], g = s[(6 - i) & 7];
            uint32_t t1 = s[(7 - i) & 7] + k[eight + i] + w[eight + i] + ((e & f) ^ (~e & g)) +
                          (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25));
            uint32_t t2 =
                (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            s[(3 - i) & 7] += t1;
            s[(7 - i) & 7] = t1 + t2;
        }
    }
    for (unsigned i = 0; i < 8; i++)
        state[i] += s[i];
}

void sha256_blocks_plain(uint32_t state[8], const unsigned char *p, size_t blocks)
{
    uint32_t w[64];

    for (; blocks; blocks--, p += 64) {
        expand(w, p);
        rounds(state, w);
    }
}

#ifdef __x86_64__
#define SHA_NI __attribute__((target("sha,sse4.1,ssse3")))

/* Four rounds with the words in w. The instruction does two rounds and takes its two words from the
 * low half. */
SHA_NI static inline void four_rounds(__m128i *abef, __m128i *cdgh, __m128i w, unsigned t)
{
    __m128i wk = _mm_add_epi32(w, _mm_load_si128((const __m128i *)(const void *)(k + t)));

    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, wk);
    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_unpackhi_epi64(wk, wk));
}

/* The next four words of the schedule out of the last sixteen, oldest first. */
SHA_NI static inline __m128i next_words(__m128i w0, __m128i w1, __m128i w2, __m128i w3)
{
    __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));

    return _mm_sha256msg2_epu32(sum, w3);
}

/* The instructions take the state as two vectors, {f,e,b,a} and {h,g,d,c}, from low to high. */
SHA_NI static void blocks_sha_ni(uint32_t state[8], const unsigned char *p, size_t blocks)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i abef = _mm_set_epi32((int)state[0], (int)state[1], (int)state[4], (int)state[5]);
    __m128i cdgh = _mm_set_epi32((int)state[2], (int)state[3], (int)state[6], (int)state[7]);
    uint32_t out[8];

    for (; blocks; blocks--, p += 64) {
        __m128i abef_before = abef, cdgh_before = cdgh, w[4];
        for (unsigned i = 0; i < 4; i++) {
            w[i] = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));
            w[i] = _mm_shuffle_epi8(w[i], swap);
            four_rounds(&abef, &cdgh, w[i], 4 * i);
        }
#pragma GCC unroll 12
        for (unsigned i = 4; i < 16; i++) {
            w[i % 4] = next_words(w[i % 4], w[(i + 1) % 4], w[(i + 2) % 4], w[(i + 3) % 4]);
            four_rounds(&abef, &cdgh, w[i % 4], 4 * i);
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    _mm_storeu_si128((__m128i *)(void *)out, abef);
    _mm_storeu_si128((__m128i *)(void *)(out + 4), cdgh);
    static const unsigned char place[8] = {5, 4, 1, 0, 7, 6, 3, 2};
    for (unsigned i = 0; i < 8; i++)
        state[place[i]] = out[i];
}

/* gcc before 14 does not know "sha" in __builtin_cpu_supports. */
static sha256_blocks_fn *choose_blocks(void)
{
    unsigned a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1) || !(c & bit_SSSE3))
        return sha256_blocks_plain;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_SHA))
        return sha256_blocks_plain;
    return blocks_sha_ni;
}
#else
static sha256_blocks_fn *choose_blocks(void)
{
    return sha256_blocks_plain;
}
#endif

sha256_blocks_fn *sha256_blocks_best(void)
{
    /* The answer is kept, because in a virtual machine every cpuid leaves the guest (tens of
     * microseconds). Threads that race here store the same answer. */
    static _Atomic(sha256_blocks_fn *) chosen;
    sha256_blocks_fn *best = atomic_load_explicit(&chosen, memory_order_relaxed);

    if (!best) {
        best = choose_blocks();
        atomic_store_explicit(&chosen, best, memory_order_relaxed);
    }
    return best;
}

void sha256_init(struct sha256 *h)
{
    /* FIPS 180-4, 5.3.3. */
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    memcpy(h->state, start, sizeof start);
    h->total = 0;
}

void sha256_add(struct sha256 *h, const void *p, size_t n)
{
    sha256_blocks_fn *blocks = sha256_blocks_best();
    const unsigned char *at = p;
    size_t held = h->total % 64;

    if (!n)
        return;
    h->total += n;
    if (held) {
        size_t fill = n < 64 - held ? n : 64 - held;
        memcpy(h->block + held, at, fill);
        at += fill;
        n -= fill;
        if (held + fill < 64)
            return;
        blocks(h->state, h->block, 1);
    }
    if (n >= 64)
        blocks(h->state, at, n / 64);
    memcpy(h->block, at + n / 64 * 64, n % 64);
}

void sha256_hex(struct sha256 *h, char ret_hex[SHA256_HEX])
{
    static const char digits[] = "0123456789abcdef";
    static const unsigned char pad[64] = {0x80};
    uint64_t bits = h->total * 8;
    unsigned char length[8];

    for (unsigned i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(h, pad, 64 - (h->total + 8) % 64);
    sha256_add(h, length, sizeof length);
    for (unsigned i = 0; i < 64; i++)
        ret_hex[i] = digits[h->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    ret_hex[64] = '\0';
}

void sha256_of(const void *p, size_t n, char ret_hex[SHA256_HEX])
{
    struct sha256 h;

    sha256_init(&h);
    sha256_add(&h, p, n);
    sha256_hex(&h, ret_hex);
}
