/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "tap.h"

/* From FIPS 180-4's examples, and one whose length field crosses into a block of its own. */
static const struct {
    const char *text;
    const char *hex;
} known[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnop"
     "qrs"
     "mnopqrstnopqrstu",
     "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
};

static void hash(const void *p, size_t n, size_t piece, char hex[SHA256_HEX])
{
    struct sha256 h;

    sha256_init(&h);
    for (size_t i = 0; i < n; i += piece)
        sha256_add(&h, (const char *)p + i, n - i < piece ? n - i : piece);
    sha256_hex(&h, hex);
}

static void test_known(void)
{
    char hex[SHA256_HEX];

    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        hash(known[i].text, strlen(known[i].text), 1000, hex);
        EQ_STR(hex, known[i].hex);
    }
    AUTO_FREE char *many = xmalloc(1000000);
    memset(many, 'a', 1000000);
    hash(many, 1000000, 1000000, hex);
    EQ_STR(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* However the bytes are cut, and at every length around the ends of blocks, the sum is the same. */
static void test_pieces(void)
{
    unsigned char bytes[200];
    unsigned wrong = 0;

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7 + 1);
    for (size_t n = 0; n <= sizeof bytes; n++) {
        char whole[SHA256_HEX], cut[SHA256_HEX];
        hash(bytes, n, n ? n : 1, whole);
        for (size_t piece = 1; piece < 70; piece += 3) {
            hash(bytes, n, piece, cut);
            wrong += strcmp(whole, cut) != 0;
        }
    }
    EQ_INT(wrong, 0);
}

static void test_paths_agree(void)
{
    enum { BLOCKS = 9 };
    sha256_blocks_fn *best = sha256_blocks_best();
    unsigned char bytes[64 * BLOCKS + 1];
    unsigned wrong = 0, seed = 12345;

    if (best == sha256_blocks_plain) {
        SKIP("this processor has no instructions for SHA-256");
        return;
    }
    for (unsigned round = 0; round < 300; round++) {
        uint32_t a[8], b[8];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (unsigned char)((seed = seed * 1103515245 + 12345) >> 16);
        memcpy(a, bytes, sizeof a);
        memcpy(b, a, sizeof b);
        sha256_blocks_plain(a, bytes + 1, round % (BLOCKS + 1)); /* + 1: unaligned */
        best(b, bytes + 1, round % (BLOCKS + 1));
        wrong += memcmp(a, b, sizeof a) != 0;
    }
    EQ_INT(wrong, 0);
}

static void print_speed(const char *name, sha256_blocks_fn *blocks)
{
    enum { MIB = 16 };
    AUTO_FREE unsigned char *bytes = xcalloc(MIB, 1 << 20);
    uint32_t state[8] = {0};
    int64_t start = clock_mono_ns();

    blocks(state, bytes, MIB << 14);
    double seconds = (double)(clock_mono_ns() - start) / 1e9;
    printf("# %s: %.0f MB/s (%08x)\n", name, MIB * 1.048576 / seconds, state[0]);
}

int main(void)
{
    RUN(test_known());
    RUN(test_pieces());
    RUN(test_paths_agree());
    print_speed("plain", sha256_blocks_plain);
    print_speed("best", sha256_blocks_best());
    return tap_done();
}
