// Quantities over the whole Kubernetes grammar. The expectations were made with exact fractions and agree with
// k8s.io/apimachinery's resource.Quantity 0.36 wherever its int64 does not overflow.
#include "base/random.h"
#include "harness/test.h"
#include "text/quantity.h"

#include <stdio.h>

#include <stdlib.h>
#include <time.h>

static Arena arena;

static void end(void) {
    arena_free(&arena);
}

AFTER_EACH(end);

#define RANGE INT64_MIN // no quantity has this value: the answer is ERR_RANGE

static const struct {
    const char *text;
    int64_t units, millis;
    const char *canonical; // NULL: ERR_RANGE
} good[] = {
    {"0", 0, 0, "0"},
    {"1", 1, 1000, "1"},
    {"-1", -1, -1000, "-1"},
    {"+1", 1, 1000, "1"},
    {"00", 0, 0, "0"},
    {"007", 7, 7000, "7"},
    {"0.0", 0, 0, "0"},
    {"1.", 1, 1000, "1"},
    {".5", 1, 500, "500m"},
    {"-.5", -1, -500, "-500m"},
    {"+.5", 1, 500, "500m"},
    {"1.5", 2, 1500, "1500m"},
    {"-1.5", -2, -1500, "-1500m"},
    {"100m", 1, 100, "100m"},
    {"1500m", 2, 1500, "1500m"},
    {"0.5", 1, 500, "500m"},
    {"0.001", 1, 1, "1m"},
    {"0.0001", 1, 1, "100u"},
    {"0.0000001", 1, 1, "100n"},
    {"1n", 1, 1, "1n"},
    {"-1n", -1, -1, "-1n"},
    {"1u", 1, 1, "1u"},
    {"1m", 1, 1, "1m"},
    {"-1m", -1, -1, "-1m"},
    {"1k", 1000, 1000000, "1k"},
    {"1M", 1000000, 1000000000, "1M"},
    {"1G", 1000000000, INT64_C(1000000000000), "1G"},
    {"1T", INT64_C(1000000000000), INT64_C(1000000000000000), "1T"},
    {"1P", INT64_C(1000000000000000), INT64_C(1000000000000000000), "1P"},
    {"1E", INT64_C(1000000000000000000), RANGE, "1E"},
    {"9E", INT64_C(9000000000000000000), RANGE, "9E"},
    {"10E", RANGE, RANGE, NULL},
    {"1Ki", 1024, 1024000, "1Ki"},
    {"1Mi", 1048576, 1048576000, "1Mi"},
    {"1Gi", 1073741824, INT64_C(1073741824000), "1Gi"},
    {"1Ti", INT64_C(1099511627776), INT64_C(1099511627776000), "1Ti"},
    {"1Pi", INT64_C(1125899906842624), INT64_C(1125899906842624000), "1Pi"},
    {"1Ei", INT64_C(1152921504606846976), RANGE, "1Ei"},
    {"7Ei", INT64_C(8070450532247928832), RANGE, "7Ei"},
    {"8Ei", RANGE, RANGE, NULL},
    {"-8Ei", RANGE, RANGE, NULL},
    {"1.5Gi", 1610612736, INT64_C(1610612736000), "1536Mi"},
    {"0.1Ki", 103, 102400, "102400m"},
    {"0.0001Ki", 1, 103, "102400u"},
    {"1.0001Ki", 1025, 1024103, "1024102400u"},
    {"1023", 1023, 1023000, "1023"},
    {"1024", 1024, 1024000, "1024"},
    {"-1024", -1024, -1024000, "-1024"},
    {"1000", 1000, 1000000, "1k"},
    {"1000Ki", 1024000, 1024000000, "1000Ki"},
    {"1024Ki", 1048576, 1048576000, "1Mi"},
    {"1536Mi", 1610612736, INT64_C(1610612736000), "1536Mi"},
    {"0.5Ki", 512, 512000, "512"},
    {"0.9765625Ki", 1000, 1000000, "1k"},
    {"0.99Ki", 1014, 1013760, "1013760m"},
    {"1e3", 1000, 1000000, "1e3"},
    {"1E3", 1000, 1000000, "1e3"},
    {"1e+3", 1000, 1000000, "1e3"},
    {"1e-3", 1, 1, "1e-3"},
    {"1e0", 1, 1000, "1"},
    {"12e6", 12000000, INT64_C(12000000000), "12e6"},
    {"1.5e3", 1500, 1500000, "1500"},
    {"1500e-3", 2, 1500, "1500e-3"},
    {"15e-1", 2, 1500, "1500e-3"},
    {"123456789e-9", 1, 124, "123456789e-9"},
    {"1e-9", 1, 1, "1e-9"},
    {"1e-10", 1, 1, "1e-9"},
    {"1e-1000", 1, 1, "1e-9"},
    {"-1e-1000", -1, -1, "-1e-9"},
    {"1e18", INT64_C(1000000000000000000), RANGE, "1e18"},
    {"1e19", RANGE, RANGE, NULL},
    {"9223372036854775807", INT64_C(9223372036854775807), RANGE, "9223372036854775807"},
    {"9223372036854775808", RANGE, RANGE, NULL},
    {"-9223372036854775807", INT64_C(-9223372036854775807), RANGE, "-9223372036854775807"},
    {"-9223372036854775808", RANGE, RANGE, NULL},
    {"9223372036854775.807", INT64_C(9223372036854776), INT64_C(9223372036854775807), "9223372036854775807m"},
    {"9223372036854775807m", INT64_C(9223372036854776), INT64_C(9223372036854775807), "9223372036854775807m"},
    {"9223372036854775808m", INT64_C(9223372036854776), RANGE, "9223372036854775808m"},
    {"9300000000.5", INT64_C(9300000001), INT64_C(9300000000500), "9300000000500m"},
    {"9300000000.0000000001", INT64_C(9300000001), INT64_C(9300000000001), "9300000000000000001n"},
    {"0.1n", 1, 1, "1n"},
    {"123.456m", 1, 124, "123456u"},
    {"1.23456789012345678901234567890", 2, 1235, "1234567891n"},
    {"2.5Mi", 2621440, INT64_C(2621440000), "2560Ki"},
    {"0e99999", 0, 0, "0"},
    {"0Ki", 0, 0, "0"},
    {"-0", 0, 0, "0"},
    {"0m", 0, 0, "0"},
    {"12345678901234567890", RANGE, RANGE, NULL},
    {"1e99999999999", RANGE, RANGE, NULL},
    {"1e1000", RANGE, RANGE, NULL},
    {"1.999999999999999999999999", 2, 2000, "2"},
    {"0.3", 1, 300, "300m"},
    {"100000", 100000, 100000000, "100k"},
    {"1000000", 1000000, 1000000000, "1M"},
    {"10000000k", INT64_C(10000000000), INT64_C(10000000000000), "10G"},
    {"0.1Mi", 104858, 104857600, "104857600m"},
    {"1.7Gi", 1825361101, INT64_C(1825361100800), "1825361100800m"},
    {"1000E", RANGE, RANGE, NULL},
    {"500u", 1, 1, "500u"},
    {"1000n", 1, 1, "1u"},
    {"999999999n", 1, 1000, "999999999n"},
    {"1000000000n", 1, 1000, "1"},
    {"5e-324", 1, 1, "1e-9"},
    {"3.0", 3, 3000, "3"},
    {"1.10", 2, 1100, "1100m"},
    {"0.000000001", 1, 1, "1n"},
    {"0.0000000001", 1, 1, "1n"},
};

// None of these is a quantity by the published grammar. Go reads ".", "-" and "m" as zero, which tenon does not: a
// missing number would request nothing.
static const char *const bad[] = {
    "",     " ",     ".",    "+",   "-",     "m",    "Ki",  " 1",   "1 ",    "1\n",   "1.1.1", "1,5",  "1K",
    "1ki",  "1mi",   "1Kib", "1KB", "1e",    "1e+",  "1e-", "1e3k", "1e3Mi", "1e1.5", "1e 3",  "1ee3", "e3",
    "0x10", "1_000", "abc",  "1i",  "1mm",   "--1",  "+-1", "1Mi5", "1e5Mi", "1e9n",  "1Gi1",  "1-",   "1.-",
    "1m.5", "inf",   "nan",  "½",   "1\xff", "1.5.", "..5", "1Ki ", "1µ",    "1e+-3", "1 k",
};

TEST(each_vector_has_its_value) {
    assert_true(sizeof good / sizeof *good >= 80);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        for (int scale = 0; scale < 2; scale++) {
            int64_t expected = scale == QUANTITY_MILLI ? good[i].millis : good[i].units, value = 77;
            Err err = {0};
            ErrCode code = quantity_parse(slice_of(good[i].text), (QuantityScale)scale, &value, &err);

            if (expected == RANGE && (code != ERR_RANGE || value != 77))
                fail_msg("%s: expected a range error, got code %d and %lld", good[i].text, code, (long long)value);
            if (expected != RANGE && (code != OK || value != expected))
                fail_msg("%s, scale %d: expected %lld, got %lld (%s)", good[i].text, scale, (long long)expected,
                         (long long)value, err.text);
        }
    }
}

TEST(each_vector_has_its_canonical_form) {
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        Slice text = SLICE("untouched");
        Err err = {0};
        ErrCode code = quantity_canonical(&arena, slice_of(good[i].text), &text, &err);

        if (!good[i].canonical) {
            assert_int_equal(code, ERR_RANGE);
            assert_true(slice_eq(text, SLICE("untouched")));
        } else if (code != OK || !slice_eq_text(text, good[i].canonical)) {
            fail_msg("%s: expected %s, got %.*s (%s)", good[i].text, good[i].canonical, SLICE_ARG(text), err.text);
        }
    }
}

TEST(what_is_no_quantity_is_refused) {
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t value = 77;
        Slice text = SLICE("untouched");
        Err err = {0};

        if (quantity_parse(slice_of(bad[i]), QUANTITY_UNIT, &value, &err) != ERR_INVALID)
            fail_msg("\"%s\" was taken as %lld", bad[i], (long long)value);
        assert_int_equal(value, 77);
        assert_int_equal(quantity_canonical(&arena, slice_of(bad[i]), &text, NULL), ERR_INVALID);
        assert_true(slice_eq(text, SLICE("untouched")));
    }
    assert_int_equal(quantity_parse((Slice){"1\0", 2}, QUANTITY_UNIT, &(int64_t){0}, NULL), ERR_INVALID);
    assert_int_equal(quantity_parse((Slice){0}, QUANTITY_UNIT, &(int64_t){0}, NULL), ERR_INVALID);
}

TEST(a_complaint_says_what_was_expected_in_one_line) {
    Err err;

    assert_int_equal(quantity_parse(SLICE("12\nGB"), QUANTITY_UNIT, &(int64_t){0}, &err), ERR_INVALID);
    assert_non_null(strstr(err.text, "expected a quantity such as"));
    assert_non_null(strstr(err.text, "GB"));
    assert_null(strchr(err.text, '\n'));
    assert_int_equal(quantity_parse(SLICE("1e1000"), QUANTITY_UNIT, &(int64_t){0}, &err), ERR_RANGE);
    assert_non_null(strstr(err.text, "\"1e1000\" is too large"));
}

TEST(any_exponent_is_read) {
    static const struct {
        const char *text;
        ErrCode code;
        int64_t value;
    } cases[] = {
        {"1e1000", ERR_RANGE, 0},
        {"1e99999999999999999999999999", ERR_RANGE, 0},
        {"1e-1000", OK, 1},
        {"-1e-1000", OK, -1},
        {"1e-99999999999999999999999999", OK, 1},
        {"0e99999", OK, 0},
        {"0e-99999", OK, 0},
        {"0e99999999999999999999999999", OK, 0},
        {"0.000e99999999999999999999999999", OK, 0},
        {"1e00000000000000000000000000003", OK, 1000},
        {"0.0000000000000000000000000000000000001e37", OK, 1},
        {"0.0000000000000000000000000000000000001e38", OK, 10},
        {"12300000000000000000000000000000000000e-35", OK, 123},
        {"12300000000000000000000000000000000001e-35", OK, 124},
        {"9223372036854775807000000000000000000000e-21", OK, INT64_MAX},
        {"9223372036854775807000000000000000000001e-21", ERR_RANGE, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 0;
        ErrCode code = quantity_parse(slice_of(cases[i].text), QUANTITY_UNIT, &value, NULL);

        if (code != cases[i].code || value != cases[i].value)
            fail_msg("%s: got code %d, %lld", cases[i].text, code, (long long)value);
    }
}

// A text of `count` times `digit` between a head and a tail.
static Slice long_text(const char *head, char digit, size_t count, const char *tail) {
    size_t head_len = strlen(head), tail_len = strlen(tail);
    char *text = arena_alloc_raw(&arena, head_len + count + tail_len);

    memcpy(text, head, head_len);
    memset(text + head_len, digit, count);
    memcpy(text + head_len + count, tail, tail_len);
    return (Slice){text, head_len + count + tail_len};
}

TEST(ten_megabytes_of_digits_are_read_quickly_and_exactly) {
    enum { MANY = 10000000 };
    static const struct {
        const char *head;
        char digit;
        const char *tail;
        ErrCode code;
        int64_t value;
    } cases[] = {
        {"", '9', "", ERR_RANGE, 0},
        {"", '0', "5", OK, 5},
        {"", '0', "", OK, 0},
        {"2.", '0', "", OK, 2},
        {"2.", '0', "1", OK, 3},
        {"2.", '0', "1Ki", OK, 2049},
        {"0.", '9', "Ei", OK, INT64_C(1) << 60},
        {"-0.", '3', "Ki", OK, -342}, // 341.33…
        {"0.", '0', "1e10000001", OK, 1},
        {"0.", '0', "1e10000000", OK, 1}, // 0.1
        {"0.", '0', "25e10000003", OK, 250},
        {"1", '0', "e-10000000", OK, 1},
        {"1e-", '9', "", OK, 1},
        {"1e", '9', "", ERR_RANGE, 0},
        {"1", '0', "e-1", ERR_RANGE, 0},
        {"", '1', "x", ERR_INVALID, 0},
    };
    clock_t started = clock();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ArenaMark mark = arena_mark(&arena);
        int64_t value = 0;
        ErrCode code =
            quantity_parse(long_text(cases[i].head, cases[i].digit, MANY, cases[i].tail), QUANTITY_UNIT, &value, NULL);

        if (code != cases[i].code || value != cases[i].value)
            fail_msg("%s%c…%s: got code %d, %lld", cases[i].head, cases[i].digit, cases[i].tail, code,
                     (long long)value);
        arena_rewind(&arena, mark);
    }
    assert_true((clock() - started) / CLOCKS_PER_SEC < 5);
}

TEST(integers_are_printed_with_the_largest_suffix) {
    static const struct {
        int64_t value;
        QuantityScale scale;
        QuantityFormat format;
        const char *text;
    } cases[] = {
        {0, QUANTITY_UNIT, QUANTITY_DECIMAL, "0"},
        {0, QUANTITY_MILLI, QUANTITY_DECIMAL, "0"},
        {0, QUANTITY_UNIT, QUANTITY_BINARY, "0"},
        {1500, QUANTITY_MILLI, QUANTITY_DECIMAL, "1500m"},
        {2000, QUANTITY_MILLI, QUANTITY_DECIMAL, "2"},
        {-250, QUANTITY_MILLI, QUANTITY_DECIMAL, "-250m"},
        {1000000, QUANTITY_MILLI, QUANTITY_DECIMAL, "1k"},
        {110, QUANTITY_UNIT, QUANTITY_DECIMAL, "110"},
        {10000, QUANTITY_UNIT, QUANTITY_DECIMAL, "10k"},
        {INT64_MAX, QUANTITY_UNIT, QUANTITY_DECIMAL, "9223372036854775807"},
        {INT64_MIN, QUANTITY_UNIT, QUANTITY_DECIMAL, "-9223372036854775808"},
        {INT64_MAX, QUANTITY_MILLI, QUANTITY_DECIMAL, "9223372036854775807m"},
        {INT64_C(1000000000000000000), QUANTITY_UNIT, QUANTITY_DECIMAL, "1E"},
        {1023, QUANTITY_UNIT, QUANTITY_BINARY, "1023"},
        {1024, QUANTITY_UNIT, QUANTITY_BINARY, "1Ki"},
        {1025, QUANTITY_UNIT, QUANTITY_BINARY, "1025"},
        {-1024, QUANTITY_UNIT, QUANTITY_BINARY, "-1Ki"},
        {INT64_C(2) << 30, QUANTITY_UNIT, QUANTITY_BINARY, "2Gi"},
        {INT64_C(1500) << 20, QUANTITY_UNIT, QUANTITY_BINARY, "1500Mi"},
        {INT64_C(7) << 60, QUANTITY_UNIT, QUANTITY_BINARY, "7Ei"},
        {INT64_MIN, QUANTITY_UNIT, QUANTITY_BINARY, "-8Ei"},
        {INT64_C(1024000) << 10, QUANTITY_MILLI, QUANTITY_BINARY, "1Mi"},
        {1500, QUANTITY_MILLI, QUANTITY_BINARY, "1500m"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Slice text = quantity_print(&arena, cases[i].value, cases[i].scale, cases[i].format);

        if (!slice_eq_text(text, cases[i].text))
            fail_msg("expected %s, got %.*s", cases[i].text, SLICE_ARG(text));
    }
}

TEST(what_is_printed_reads_back) {
    Random random;

    random_seed(&random, 20260101);
    for (int i = 0; i < 50000; i++) {
        int64_t value = (int64_t)(random_u64(&random) >> (1 + random_below(&random, 63))), back = -1;
        QuantityScale scale = random_chance(&random, 50) ? QUANTITY_MILLI : QUANTITY_UNIT;
        QuantityFormat format = random_chance(&random, 50) ? QUANTITY_BINARY : QUANTITY_DECIMAL;
        ArenaMark mark = arena_mark(&arena);
        Slice text;

        if (random_chance(&random, 50))
            value &= -(INT64_C(1) << 10 * random_below(&random, 6));
        if (random_chance(&random, 50))
            value = value / 1000000 * 1000000;
        if (random_chance(&random, 50))
            value = -value;
        text = quantity_print(&arena, value, scale, format);
        if (quantity_parse(text, scale, &back, NULL) != OK || back != value)
            fail_msg("seed 20260101, round %d: %lld gave %.*s gave %lld", i, (long long)value, SLICE_ARG(text),
                     (long long)back);
        arena_rewind(&arena, mark);
    }
}

TEST(a_canonical_form_is_canonical_and_means_the_same) {
    static const char *const suffixes[] = {"",   "n",  "u",  "m",  "k",  "M",  "G",  "T",   "P",    "E",
                                           "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-3", "e-12", "e+2"};
    Random random;

    random_seed(&random, 20260102);
    for (int i = 0; i < 50000; i++) {
        ArenaMark mark = arena_mark(&arena);
        const char *suffix = suffixes[random_below(&random, sizeof suffixes / sizeof *suffixes)];
        uint32_t whole = random_below(&random, 3000), fraction = random_below(&random, 100000);
        Slice text = random_chance(&random, 50) ? arena_printf(&arena, "%u.%05u%s", whole, fraction, suffix)
                                                : arena_printf(&arena, "%u%s", whole, suffix);
        Slice once, twice;
        int64_t value = 0, again = 0;

        if (quantity_canonical(&arena, text, &once, NULL) == OK) {
            ErrCode code = quantity_parse(text, QUANTITY_MILLI, &value, NULL);

            assert_int_equal(quantity_canonical(&arena, once, &twice, NULL), OK);
            assert_int_equal(quantity_parse(once, QUANTITY_MILLI, &again, NULL), code);
            if (!slice_eq(once, twice) || value != again)
                fail_msg("seed 20260102, round %d: %.*s gave %.*s gave %.*s", i, SLICE_ARG(text), SLICE_ARG(once),
                         SLICE_ARG(twice));
        }
        arena_rewind(&arena, mark);
    }
}
