/* SPDX-License-Identifier: Apache-2.0 */
#include "show_image_png.h"
#include "show_image_sixel.h"

/* The command line's files are not in the library. */
#include "terminal/png.c"
#include "terminal/show_image.c"
#include "terminal/sixel.c"

#include <fcntl.h>
#include <sys/wait.h>

#include "tap.h"

/* ---- decoding ---- */

static bool reads_as(const struct sample_png *s, struct str png)
{
    struct png_picture picture;
    struct err err = {0};
    uint8_t want[4];
    bool same = true;

    if (png_decode(png, &picture, &err) < 0) {
        printf("# %s\n", err.msg);
        return false;
    }
    same = picture.width == s->width && picture.height == s->height;
    for (unsigned y = 0; same && y < s->height; y++)
        for (unsigned x = 0; same && x < s->width; x++) {
            sample_pixel(s, x, y, want);
            same = memcmp(picture.rgba + ((size_t)y * s->width + x) * 4, want, 4) == 0;
            if (!same)
                printf("# at %u, %u\n", x, y);
        }
    png_done(&picture);
    return same;
}

static void check_kind(unsigned kind, unsigned depth, bool transparent)
{
    static const unsigned sides[] = {1, 2, 3, 4, 5, 8, 9, 33};
    unsigned right = 0, count = 0;

    for (size_t i = 0; i < ARRAY_LEN(sides) * ARRAY_LEN(sides) * 2; i++) {
        struct sample_png s = {.width = sides[i / 2 % 8],
                               .height = sides[i / 16],
                               .depth = depth,
                               .kind = kind,
                               .interlaced = i & 1,
                               .transparent = transparent};
        AUTO_BUF struct buf png = {0};
        buf_init(&png, 1 << 20);
        sample_write(&s, &png);
        count++;
        right += reads_as(&s, buf_str(&png));
    }
    OK(right == count, "colour type %u, %u bits%s: %u of %u sizes", kind, depth,
       transparent ? ", transparency" : "", right, count);
}

static void test_kinds(void)
{
    for (unsigned depth = 1; depth <= 16; depth *= 2) {
        for (unsigned transparent = 0; transparent < 2; transparent++) {
            check_kind(0, depth, transparent);
            if (depth <= 8)
                check_kind(3, depth, transparent);
            if (depth >= 8)
                check_kind(2, depth, transparent);
        }
        if (depth >= 8) {
            check_kind(4, depth, false);
            check_kind(6, depth, false);
        }
    }
}

/* Puts the checksums right, so that what was changed is looked at. */
static void mend(struct buf *png)
{
    for (size_t at = 8; at + 12 <= png->n;) {
        uint32_t n = u32_at(png->p + at);
        if (n > png->n - at - 12)
            return;
        uint32_t sum = (uint32_t)crc32(0, (const Bytef *)png->p + at + 4, n + 4);
        for (unsigned i = 0; i < 4; i++)
            png->p[at + 8 + n + i] = (char)(sum >> (24 - 8 * i));
        at += 12 + n;
    }
}

static enum err_kind decode(struct str png)
{
    struct png_picture picture;
    struct err err = {0};
    /* In memory of its own, so that a sanitizer sees a read beyond it. */
    AUTO_FREE char *copy = xmalloc(png.n + 1);

    memcpy(copy, png.p, png.n);
    if (png_decode((struct str){copy, png.n}, &picture, &err) < 0)
        return err.kind;
    png_done(&picture);
    return ERR_NONE;
}

static void test_damaged(void)
{
    static const struct sample_png samples[] = {
        {9, 9, 8, 6, true, false}, {9, 5, 4, 3, false, true}, {5, 9, 16, 2, false, true}};
    unsigned cut = 0, flipped = 0, mended = 0, all = 0, bits = 0;

    for (size_t k = 0; k < ARRAY_LEN(samples); k++) {
        AUTO_BUF struct buf png = {0}, other = {0};
        buf_init(&png, 1 << 20);
        buf_init(&other, 1 << 20);
        sample_write(&samples[k], &png);
        size_t pixels = png.n - 12 - 19; /* what follows them is not read */
        for (size_t n = 0; n < pixels; n++, all++)
            cut += decode(str_slice(buf_str(&png), 0, n)) == ERR_GUEST;
        for (size_t i = 0; i < pixels * 8; i++, bits++) {
            buf_clear(&other);
            (void)buf_add_str(&other, buf_str(&png));
            other.p[i / 8] = (char)(other.p[i / 8] ^ (1 << i % 8));
            flipped += decode(buf_str(&other)) == ERR_GUEST;
            mend(&other);
            mended += decode(buf_str(&other)) != ERR_NONE;
        }
    }
    OK(cut == all, "cut off anywhere it is damaged (%u of %u)", cut, all);
    OK(flipped == bits, "with any bit turned it is damaged (%u of %u)", flipped, bits);
    OK(mended > bits / 2 && mended < bits, "also most often when the checksum knows of it (%u)",
       mended);
}

static enum err_kind decode_size(uint32_t width, uint32_t height)
{
    struct sample_png s = {9, 9, 8, 6, false, false};
    AUTO_BUF struct buf png = {0};

    buf_init(&png, 1 << 20);
    sample_write(&s, &png);
    for (unsigned i = 0; i < 4; i++) {
        png.p[16 + i] = (char)(width >> (24 - 8 * i));
        png.p[20 + i] = (char)(height >> (24 - 8 * i));
    }
    mend(&png);
    return decode(buf_str(&png));
}

static void test_sizes(void)
{
    EQ_INT(decode_size(9, 9), ERR_NONE);
    EQ_INT(decode_size(PNG_SIDE_MAX, PNG_SIDE_MAX), ERR_GUEST);
    EQ_INT(decode_size(PNG_SIDE_MAX + 1, 1), ERR_LIMIT);
    EQ_INT(decode_size(1, 0xFFFFFFFF), ERR_LIMIT);
    EQ_INT(decode_size(0, 9), ERR_GUEST);
    EQ_INT(decode((struct str){"", 0}), ERR_GUEST);
    EQ_INT(decode(STR("GIF89a and more")), ERR_GUEST);
}

/* ---- what reaches the terminal ---- */

static void make_png(struct buf *png, struct buf *plain)
{
    static const struct sample_png s = {60, 60, 16, 6, false, false};
    struct err err = {0};

    buf_init(png, 1 << 20);
    buf_init(plain, 1 << 20);
    sample_write(&s, png);
    OK(png_strip(buf_str(png), plain, &err) == 0 && reads_as(&s, buf_str(plain)),
       "what is left of a PNG is the same picture");
    OK(str_find(buf_str(png), STR("tEXt")) > 0 && str_find(buf_str(plain), STR("tEXt")) < 0 &&
           str_find(buf_str(plain), STR("tIME")) < 0,
       "without what is not needed");
}

static void test_kitty(void)
{
    AUTO_BUF struct buf png = {0}, plain = {0}, out = {0}, base64 = {0}, want = {0};
    struct show_terminal terminal = {.how = SHOW_KITTY};
    struct err err = {0};
    unsigned pieces = 0, last = 0, longest = 0;

    make_png(&png, &plain);
    buf_init(&out, 1 << 20);
    buf_init(&base64, 1 << 20);
    buf_init(&want, 1 << 20);
    EQ_INT(show_image_put(&terminal, buf_str(&png), &out, &err), 0);
    struct str rest = buf_str(&out);
    OK(str_starts(rest, "\033_Ga=T,f=100,q=2,m=1;"), "kitty is told what comes");
    while (str_starts(rest, "\033_G")) {
        long from = str_find(rest, STR(";")), to = str_find(rest, STR("\033\\"));
        if (from < 0 || to < from)
            break;
        last = rest.p[from - 1] == '0';
        longest = (unsigned)(to - from) > longest ? (unsigned)(to - from) : longest;
        (void)buf_add(&base64, rest.p + from + 1, (size_t)(to - from - 1));
        rest = str_slice(rest, (size_t)to + 2, rest.n);
        pieces++;
    }
    (void)base64_add(&want, buf_str(&plain));
    OK(str_is(rest, "\n") && pieces > 2 && last && longest <= PIECE + 1, "in %u pieces", pieces);
    OK(str_eq(buf_str(&base64), buf_str(&want)), "which are the picture");
    terminal.width = 59;
    terminal.columns = 7;
    buf_clear(&out);
    EQ_INT(show_image_put(&terminal, buf_str(&png), &out, &err), 0);
    OK(str_starts(buf_str(&out), "\033_Ga=T,f=100,q=2,c=7,m=1;"), "one that is too wide is fitted");
}

static void test_iterm(void)
{
    AUTO_BUF struct buf png = {0}, plain = {0}, out = {0}, want = {0};
    struct show_terminal terminal = {.how = SHOW_ITERM};
    struct err err = {0};

    make_png(&png, &plain);
    buf_init(&out, 1 << 20);
    buf_init(&want, 1 << 20);
    EQ_INT(show_image_put(&terminal, buf_str(&png), &out, &err), 0);
    (void)buf_addf(&want, "\033]1337;File=inline=1;size=%zu:", plain.n);
    (void)base64_add(&want, buf_str(&plain));
    (void)buf_adds(&want, "\a\n");
    OK(str_eq(buf_str(&out), buf_str(&want)), "iTerm2 gets it in one");

    terminal.how = SHOW_NONE;
    EQ_INT(show_image_put(&terminal, buf_str(&png), &out, &err), -1);
    EQ_INT(err.kind, ERR_UNSUPPORTED);
    terminal.how = SHOW_KITTY;
    EQ_INT(show_image_put(&terminal, STR("\x89PNG\r\n\x1a\n\033]0;title\a"), &out, &err), -1);
    EQ_INT(err.kind, ERR_GUEST);
    AUTO_BUF struct buf small = {0};
    buf_init(&small, 100);
    EQ_INT(show_image_put(&terminal, buf_str(&png), &small, &err), -1);
    EQ_INT(err.kind, ERR_LIMIT);
}

/* ---- sixels ---- */

/* How far the colours are off, at most and on the whole. */
static unsigned compare(const struct png_picture *a, const struct drawn *b, unsigned *ret_mean)
{
    size_t pixels = (size_t)a->width * a->height;
    unsigned most = 0;
    uint64_t sum = 0;

    if (!b->rgba || !pixels || pixels != (size_t)b->width * b->height)
        return 1000;
    for (size_t i = 0; i < pixels; i++) {
        if (b->rgba[i * 4 + 3] != 255)
            return 1000;
        for (size_t c = 0; c < 3; c++) {
            unsigned off = (unsigned)abs(a->rgba[i * 4 + c] - b->rgba[i * 4 + c]);
            most = off > most ? off : most;
            sum += off;
        }
    }
    *ret_mean = (unsigned)(sum / (pixels * 3));
    return most;
}

static void check_sixel(struct png_picture *picture, const char *name, unsigned most,
                        unsigned most_mean)
{
    AUTO_BUF struct buf out = {0};
    struct drawn d = {0};
    struct err err = {0};
    unsigned mean_off = 1000;

    buf_init(&out, 16 << 20);
    EQ_INT(sixel_put(picture, 0, 0, &out, &err), 0);
    OK(draw(out.p, &d) && d.width == picture->width && d.height == picture->height,
       "%s can be drawn again", name);
    unsigned off = compare(picture, &d, &mean_off);
    OK(off <= most && mean_off <= most_mean && d.colours <= 256,
       "%s: %u colours, off by %u at most and %u on the whole", name, d.colours, off, mean_off);
    free(d.rgba);
}

static void test_sixel(void)
{
    struct png_picture p = {.width = 301, .height = 205};

    p.rgba = xmalloc((size_t)4 * p.width * p.height);
    for (size_t i = 0; i < (size_t)p.width * p.height; i++) {
        bool line = i % p.width == i / p.width;
        memcpy(p.rgba + 4 * i, line ? "\xff\x10\x20\xff" : "\xff\xff\xff\xff", 4);
    }
    check_sixel(&p, "a line on white", 3, 1);
    for (size_t i = 0; i < (size_t)p.width * p.height; i++) {
        size_t x = i % p.width, y = i / p.width;
        uint8_t c[4] = {(uint8_t)(x * 255 / 300), (uint8_t)(y * 255 / 204), (uint8_t)(x ^ y), 255};
        memcpy(p.rgba + 4 * i, c, 4);
    }
    check_sixel(&p, "all colours", 40, 8);
    srandom(1);
    for (size_t i = 0; i < (size_t)4 * p.width * p.height; i++)
        p.rgba[i] = i % 4 == 3 ? 255 : (uint8_t)random();
    check_sixel(&p, "noise", 50, 14);

    AUTO_BUF struct buf out = {0};
    struct drawn d = {0};
    struct err err = {0};
    buf_init(&out, 16 << 20);
    EQ_INT(sixel_put(&p, 100, 1000, &out, &err), 0);
    OK(draw(out.p, &d) && d.width == 100 && d.height == 68, "one that is too wide is made smaller");
    free(d.rgba);
    d = (struct drawn){0};
    memset(p.rgba, 100, (size_t)4 * p.width * p.height);
    buf_clear(&out);
    EQ_INT(sixel_put(&p, 0, 0, &out, &err), 0);
    OK(draw(out.p, &d) && d.colours == 0, "what is more transparent than not is not drawn");
    free(d.rgba);
    png_done(&p);
}

/* ---- terminals ---- */

static const char *const *environment;

static char *get_variable(const char *name)
{
    static char values[8][40];

    for (size_t i = 0; environment[i]; i += 2)
        if (strcmp(environment[i], name) == 0) {
            (void)snprintf(values[i / 2], sizeof values[0], "%s", environment[i + 1]);
            return values[i / 2];
        }
    return NULL;
}

static void test_guess(void)
{
    static const struct {
        enum show_how how;
        bool ask;
        const char *variables[8];
    } cases[] = {
        {SHOW_NONE, false, {"COLORTERM", "truecolor", NULL}},
        {SHOW_NONE, false, {"TERM", "dumb", "KITTY_WINDOW_ID", "1", NULL}},
        {SHOW_KITTY, false, {"TERM", "xterm-256color", "KITTY_WINDOW_ID", "1", NULL}},
        {SHOW_KITTY, false, {"TERM", "xterm-kitty", NULL}},
        {SHOW_KITTY, false, {"TERM", "xterm-ghostty", NULL}},
        {SHOW_ITERM, false, {"TERM", "xterm-256color", "TERM_PROGRAM", "iTerm.app", NULL}},
        {SHOW_ITERM, false, {"TERM", "xterm-256color", "TERM_PROGRAM", "WezTerm", NULL}},
        {SHOW_ITERM, false, {"TERM", "xterm-256color", "LC_TERMINAL", "iTerm2", NULL}},
        {SHOW_NONE, true, {"TERM", "xterm-256color", NULL}},
        {SHOW_NONE, true, {"TERM", "tmux-256color", "KITTY_WINDOW_ID", "1", NULL}},
        {SHOW_NONE, true, {"TERM", "xterm-kitty", "TMUX", "/tmp/x,1,0", NULL}},
        {SHOW_NONE, true, {"TERM", "screen", "TERM_PROGRAM", "iTerm.app", NULL}},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        bool ask = !cases[i].ask;
        environment = cases[i].variables;
        enum show_how how = show_image_guess(get_variable, &ask);
        OK(how == cases[i].how && ask == cases[i].ask, "terminal %zu: %s=%s", i, environment[0],
           environment[1]);
    }
    EQ_INT(show_image_answer(STR("\033[?64;1;4;22c")), 1);
    EQ_INT(show_image_answer(STR("x\033[?62;4c")), 1);
    EQ_INT(show_image_answer(STR("\033[?4;22c")), 0);
    EQ_INT(show_image_answer(STR("\033[?62;14;41c")), 0);
    EQ_INT(show_image_answer(STR("\033[?62;4")), -1);
    EQ_INT(show_image_answer(STR("c")), -1);
}

/* In a terminal of its own: how it shows pictures, plus 8 when the terminal is not as before. */
static void ask_in_terminal(const char *name)
{
    struct show_terminal terminal;
    struct termios before, after;

    (void)setsid();
    int fd = open(name, O_RDWR);
    struct winsize size = {.ws_row = 24, .ws_col = 80, .ws_xpixel = 800, .ws_ypixel = 480};
    if (fd < 0 || ioctl(fd, TIOCSCTTY, 0) < 0 || ioctl(fd, TIOCSWINSZ, &size) < 0 ||
        tcgetattr(fd, &before) < 0)
        _exit(100);
    show_image_ask(fd, fd, get_variable, &terminal);
    bool same = tcgetattr(fd, &after) == 0 && before.c_lflag == after.c_lflag &&
                terminal.width == 800 && terminal.height == 480 && terminal.columns == 80;
    _exit((int)terminal.how + (same ? 0 : 8));
}

static int status_with(const char *answer)
{
    static const char *const variables[] = {"TERM", "xterm-256color", NULL};
    char said[16] = "";
    int status = -1, master = posix_openpt(O_RDWR | O_NOCTTY);

    environment = variables;
    if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
        return -1;
    char name[64];
    (void)snprintf(name, sizeof name, "%s", ptsname(master));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        ask_in_terminal(name);
    struct pollfd p = {.fd = master, .events = POLLIN};
    if (poll(&p, 1, 5000) > 0 && read(master, said, sizeof said - 1) > 0)
        OK(strcmp(said, "\033[c") == 0, "the terminal is asked");
    if (write(master, answer, strlen(answer)) < 0)
        status = -1;
    if (waitpid(child, &status, 0) != child)
        status = -1;
    close(master);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_asking(void)
{
    int pipes[2];
    struct show_terminal terminal;

    EQ_INT(status_with("\033[?64;4;6c"), SHOW_SIXEL);
    EQ_INT(status_with("\033[?64;6c"), SHOW_NONE);
    EQ_INT(status_with("typed"), SHOW_NONE);
    EQ_INT(status_with(""), SHOW_NONE);
    if (pipe(pipes) < 0)
        return;
    static const char *const variables[] = {"TERM", "xterm-kitty", NULL};
    environment = variables;
    show_image_ask(pipes[0], pipes[1], get_variable, &terminal);
    EQ_INT(terminal.how, SHOW_NONE);
    struct pollfd p = {.fd = pipes[0], .events = POLLIN};
    EQ_INT(poll(&p, 1, 0), 0);
    close(pipes[0]);
    close(pipes[1]);
}

int main(void)
{
    RUN(test_kinds());
    RUN(test_damaged());
    RUN(test_sizes());
    RUN(test_kitty());
    RUN(test_iterm());
    RUN(test_sixel());
    RUN(test_guess());
    RUN(test_asking());
    return tap_done();
}
