/* SPDX-License-Identifier: Apache-2.0 */
#include "base/num.h"

#include "base/clock.h"
#include "base/mem.h"
#include "tap.h"

static const struct {
    const char *text;
    bool ok;
    int64_t want;
} ints[] = {
    {"0", true, 0},
    {"-0", true, 0},
    {"+7", true, 7},
    {"007", true, 7},
    {"9223372036854775807", true, INT64_MAX},
    {"-9223372036854775808", true, INT64_MIN},
    {"9223372036854775808", false, 0},
    {"-9223372036854775809", false, 0},
    {"99999999999999999999999", false, 0},
    {"", false, 0},
    {"-", false, 0},
    {"+", false, 0},
    {"--1", false, 0},
    {" 1", false, 0},
    {"1 ", false, 0},
    {"1.0", false, 0},
    {"0x10", false, 0},
    {"1e3", false, 0},
};

static const struct {
    const char *text;
    bool ok;
    uint64_t want;
} sizes[] = {
    {"0", true, 0},
    {"1048576", true, 1 << 20},
    {"64k", true, 64 << 10},
    {"512m", true, 512 << 20},
    {"512M", true, 512 << 20},
    {"512MB", true, 512 << 20},
    {"512MiB", true, 512 << 20},
    {" 512 mib ", true, 512 << 20},
    {"7b", true, 7},
    {"1.5g", true, 3ULL << 29},
    {".5k", true, 512},
    {"1.k", true, 1024},
    {"0.0009k", true, 0},
    {"2t", true, 2ULL << 40},
    {"9223372036854775807", true, INT64_MAX},
    {"8388607.999t", true, 9223372035755264180ULL},
    {"8388608t", false, 0},
    {"9223372036854775808", false, 0},
    {"18446744073709551616", false, 0},
    {"", false, 0},
    {"m", false, 0},
    {".", false, 0},
    {"-1", false, 0},
    {"+1", false, 0},
    {"1.2.3", false, 0},
    {"12q", false, 0},
    {"1 2", false, 0},
    {"0x10", false, 0},
    {"1e3", false, 0},
};

static const struct {
    const char *text;
    bool ok;
    int64_t want;
} durations[] = {
    {"30s", true, 30000},
    {"30", true, 30000},
    {"1.5s", true, 1500},
    {"1.0009", true, 1000},
    {"200ms", true, 200},
    {"0.9ms", true, 0},
    {"2m", true, 120000},
    {"1h", true, 3600000},
    {"0", true, 0},
    {"9223372036854775807ms", true, INT64_MAX},
    {"9223372036854775808ms", false, 0},
    {"2562047788016h", false, 0},
    {"-1s", false, 0},
    {"", false, 0},
    {"1d", true, 86400000},
    {"1m30s", true, 90000},
    {"1h 30m", true, 5400000},
    {"2 days", true, 172800000},
    {"5 seconds", true, 5000},
    {"1h30", false, 0},
    {"30 1h", false, 0},
    {"1h-5m", false, 0},
    {"1h.m", false, 0},
    {"9223372036854775807ms1s", false, 0},
    {"1y", false, 0},
};

static const struct {
    const char *text;
    bool ok;
    int64_t want;
} millis[] = {
    {"1.0", true, 1000}, {"2", true, 2000},    {"0.5", true, 500}, {"0.0019", true, 1},
    {"1k", false, 0},    {"", false, 0},       {"-1", false, 0},   {"0.000", true, 0},
    {"0", true, 0},      {"0.0009", false, 0},
};

static void test_reading(void)
{
    struct err err;

    for (size_t i = 0; i < ARRAY_LEN(ints); i++) {
        int64_t got = 0;
        OK(num_int64(str_from(ints[i].text), &got) == ints[i].ok && got == ints[i].want,
           "int64 '%s'", ints[i].text);
    }
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        uint64_t got = 0;
        bool ok = num_size(str_from(sizes[i].text), &got, &err) == 0;
        OK(ok == sizes[i].ok && got == sizes[i].want, "size '%s'", sizes[i].text);
    }
    for (size_t i = 0; i < ARRAY_LEN(durations); i++) {
        int64_t got = 0;
        bool ok = num_duration_ms(str_from(durations[i].text), &got, &err) == 0;
        OK(ok == durations[i].ok && got == durations[i].want, "duration '%s'", durations[i].text);
    }
    for (size_t i = 0; i < ARRAY_LEN(millis); i++) {
        int64_t got = 0;
        bool ok = num_milli(str_from(millis[i].text), &got, &err) == 0;
        OK(ok == millis[i].ok && got == millis[i].want, "milli '%s'", millis[i].text);
    }
}

static void test_errors(void)
{
    struct err err = {0};
    uint64_t size = 7;
    int64_t ms = 7;

    EQ_INT(num_size(STR("12q"), &size, &err), -1);
    EQ_INT(err.kind, ERR_USAGE);
    EQ_STR(err.msg, "'12q' is not a size; write it like 64k, 256m or 1.5g");
    EQ_INT(size, 7);
    EQ_INT(num_duration_ms(STR("soon"), &ms, &err), -1);
    EQ_STR(err.msg, "'soon' is not a duration; write it like 500ms, 30s or 1h30m");
    EQ_INT(num_milli(STR("all"), &ms, &err), -1);
    EQ_STR(err.msg, "'all' is not a number; write it like 1, 0.5 or 2.0");
    EQ_INT(ms, 7);
    EQ_INT(num_size((struct str){"1\0m", 3}, &size, &err), -1);
    EQ_INT(num_int64((struct str){"1\0", 2}, &ms), false);
    EQ_INT(ms, 7);
}

static void test_formatting(void)
{
    static const uint64_t sizes_out[] = {0,          1,          1023,          1024,
                                         1025,       1 << 20,    (1 << 20) + 1, 512 << 20,
                                         3ULL << 29, 1ULL << 40, INT64_MAX};
    static const int64_t durations_out[] = {0,     1,     999,     1000,    1001,  59000,
                                            60000, 61000, 3600000, 3660000, 90000, INT64_MAX};
    char text[32];
    struct err err;

    EQ_STR(num_format_size(512 << 20, text, sizeof text), "512m");
    EQ_STR(num_format_size(1536, text, sizeof text), "1536");
    EQ_STR(num_format_size(0, text, sizeof text), "0");
    EQ_STR(num_format_duration(30000, text, sizeof text), "30s");
    EQ_STR(num_format_duration(90000, text, sizeof text), "90s");
    EQ_STR(num_format_duration(120000, text, sizeof text), "2m");
    EQ_STR(num_format_duration(7200000, text, sizeof text), "2h");
    EQ_STR(num_format_duration(1, text, sizeof text), "1ms");
    EQ_STR(num_format_duration(0, text, sizeof text), "0s");
    for (size_t i = 0; i < ARRAY_LEN(sizes_out); i++) {
        uint64_t back = 1;
        num_format_size(sizes_out[i], text, sizeof text);
        OK(num_size(str_from(text), &back, &err) == 0 && back == sizes_out[i], "size %s reads back",
           text);
    }
    for (size_t i = 0; i < ARRAY_LEN(durations_out); i++) {
        int64_t back = 1;
        num_format_duration(durations_out[i], text, sizeof text);
        OK(num_duration_ms(str_from(text), &back, &err) == 0 && back == durations_out[i],
           "duration %s reads back", text);
    }
}

static void test_hostile(void)
{
    size_t n = 1 << 20;
    AUTO_FREE char *text = xmalloc(n);
    struct err err;
    uint64_t size = 0;
    int64_t began = clock_mono_ms(), value;

    memset(text, '0', n);
    EQ_INT(num_size((struct str){text, n}, &size, &err), 0);
    EQ_INT(num_int64((struct str){text, n}, &value), true);
    text[1] = '.';
    EQ_INT(num_size((struct str){text, n}, &size, &err), 0);
    memset(text, '9', n);
    EQ_INT(num_size((struct str){text, n}, &size, &err), -1);
    text[1] = '.';
    EQ_INT(num_size((struct str){text, n}, &size, &err), 0);
    EQ_INT(size, 9);
    OK(clock_mono_ms() - began < 3000, "a megabyte of digits takes linear time");
}

static void test_clock_text(void)
{
    char text[CLOCK_TEXT];

    clock_text(1738346400007, text);
    EQ_STR(text, "2025-01-31T18:00:00.007Z");
    clock_text(0, text);
    EQ_STR(text, "1970-01-01T00:00:00.000Z");
}

int main(void)
{
    RUN(test_reading());
    RUN(test_errors());
    RUN(test_formatting());
    RUN(test_hostile());
    RUN(test_clock_text());
    return tap_done();
}
