// The vectorized loops against scalar arithmetic.
#include "base/random.h"
#include "harness/test.h"
#include "sched/index/lanes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LANES = 600, UNTOUCHED = -77777777 };

typedef struct {
    Random random;
    int32_t in[MOST_LANES], out[MOST_LANES], expected[MOST_LANES];
    uint32_t count;
} Lanes;

static int32_t between(Random *random, int32_t from, int32_t to) {
    return from + (int32_t)random_below(random, (uint32_t)(to - from) + 1);
}

// Lengths around those of vector registers, and unaligned starts.
static void each_length(Lanes *lanes, void (*test)(Lanes *lanes)) {
    random_seed(&lanes->random, 1);
    for (uint32_t count = 0; count < MOST_LANES; count += count < 70 ? 1 : 93) {
        lanes->count = count;
        for (int round = 0; round < 20; round++)
            test(lanes);
    }
}

static void check_lanes(const Lanes *lanes) {
    for (uint32_t i = 0; i < lanes->count; i++)
        assert_int_equal(lanes->out[i], lanes->expected[i]);
    if (lanes->count < MOST_LANES)
        assert_int_equal(lanes->out[lanes->count], UNTOUCHED);
}

// --- excess

static void check_excess(Lanes *lanes) {
    int32_t most = between(&lanes->random, -1000, 1000);

    for (uint32_t i = 0; i < lanes->count; i++) {
        lanes->in[i] = between(&lanes->random, -1000, 1000);
        lanes->out[i] = between(&lanes->random, -1000, 1000);
        lanes->expected[i] = lanes->in[i] - most > lanes->out[i] ? lanes->in[i] - most : lanes->out[i];
    }
    lanes->out[lanes->count] = UNTOUCHED;
    lanes_excess(lanes->in, most, lanes->count, lanes->out);
    check_lanes(lanes);
}

TEST(excess_keeps_the_worst) {
    Lanes lanes = {0};

    each_length(&lanes, check_excess);
}

TEST(excess_adds_up_over_several_resources) {
    int32_t cpu[] = {5, 9, 5, 9}, memory[] = {3, 3, 8, 8}, excess[4];

    memset(excess, 0x80, sizeof excess);
    lanes_excess(cpu, 6, 4, excess);
    lanes_excess(memory, 6, 4, excess);
    assert_true(excess[0] <= 0);
    assert_true(excess[1] > 0 && excess[2] > 0 && excess[3] > 0);
}

// --- within

static void check_within(Lanes *lanes) {
    uint32_t found[MOST_LANES], count = 0, few = random_below(&lanes->random, 2) ? 1 : 60;

    for (uint32_t i = 0; i < lanes->count; i++)
        lanes->in[i] = (int32_t)random_below(&lanes->random, 100) < (int32_t)few ? between(&lanes->random, -9, 0)
                                                                                 : between(&lanes->random, 1, 9);
    assert_in_range(lanes_within(lanes->in, lanes->count, found), 0, lanes->count);
    for (uint32_t i = 0; i < lanes->count; i++) {
        if (lanes->in[i] <= 0)
            assert_int_equal(found[count++], i);
    }
    assert_int_equal(lanes_within(lanes->in, lanes->count, found), count);
}

TEST(within_names_the_lanes_that_are_not_above_zero) {
    Lanes lanes = {0};

    each_length(&lanes, check_within);
}

// --- fit

// Values that a float represents exactly: powers of two, and free room below 2^24.
static void check_fit_by_powers_of_two(Lanes *lanes) {
    int32_t need = 1 << random_below(&lanes->random, 12);

    for (uint32_t i = 0; i < lanes->count; i++) {
        lanes->in[i] = between(&lanes->random, 0, (1 << 24) - 1);
        lanes->out[i] = between(&lanes->random, 0, 5000);
        lanes->expected[i] = lanes->in[i] / need < lanes->out[i] ? lanes->in[i] / need : lanes->out[i];
    }
    lanes->out[lanes->count] = UNTOUCHED;
    lanes_fit(lanes->in, 1.0F / (float)need, lanes->count, lanes->out);
    check_lanes(lanes);
}

TEST(fit_divides_and_rounds_down) {
    Lanes lanes = {0};

    each_length(&lanes, check_fit_by_powers_of_two);
}

// Any need: never more than fits. The result may be one less where the room is used up exactly, which the factor in
// place/marginal.c corrects.
static void check_fit_by_anything(Lanes *lanes) {
    int32_t need = between(&lanes->random, 1, 5000);

    for (uint32_t i = 0; i < lanes->count; i++) {
        // often exactly enough, or one less
        int32_t fits = between(&lanes->random, 0, 800), around = between(&lanes->random, -1, 1);

        lanes->in[i] = fits * need + around < 0 ? 0 : fits * need + around;
        lanes->out[i] = INT32_MAX;
    }
    lanes->out[lanes->count] = UNTOUCHED;
    lanes_fit(lanes->in, 1.0F / (float)need, lanes->count, lanes->out);
    for (uint32_t i = 0; i < lanes->count; i++) {
        assert_true(lanes->out[i] <= lanes->in[i] / need);
        assert_true(lanes->out[i] >= lanes->in[i] / need - 1);
    }
    assert_int_equal(lanes->out[lanes->count], UNTOUCHED);
}

TEST(fit_never_says_too_many) {
    Lanes lanes = {0};

    each_length(&lanes, check_fit_by_anything);
}

// The factor that place/marginal.c uses is exact up to half a million quanta.
static void check_fit_with_a_hair(Lanes *lanes) {
    int32_t need = between(&lanes->random, 1, 500);

    for (uint32_t i = 0; i < lanes->count; i++) {
        lanes->in[i] = need * between(&lanes->random, 0, 1000) - (int32_t)random_below(&lanes->random, 2);
        lanes->out[i] = lanes->count % 2 ? 400 : INT32_MAX;
        lanes->expected[i] = lanes->in[i] < 0 ? -1 : lanes->in[i] / need;
        if (lanes->expected[i] > lanes->out[i])
            lanes->expected[i] = lanes->out[i];
    }
    lanes->out[lanes->count] = UNTOUCHED;
    lanes_fit(lanes->in, 1.000001F / (float)need, lanes->count, lanes->out);
    for (uint32_t i = 0; i < lanes->count; i++) {
        if (lanes->expected[i] < 0)
            assert_true(lanes->out[i] <= 0); // nothing fits
        else
            assert_int_equal(lanes->out[i], lanes->expected[i]);
    }
}

TEST(fit_with_a_hair_counts_what_just_fits) {
    Lanes lanes = {0};

    each_length(&lanes, check_fit_with_a_hair);
}

// --- shares

TEST(shares_are_prices_per_pod) {
    float prices[] = {6, 6, 6, 0.25F, 0}, shares[5];
    int32_t counts[] = {3, 0, -1, 2, 7};

    lanes_share(prices, counts, 5, shares);
    assert_true(shares[0] == 2 && shares[3] == 0.125F && shares[4] == 0);
    assert_true(shares[1] == INFINITY && shares[2] == INFINITY);
}

// --- raising

// Values that were raised raise others behind them, as in a knapsack whose items may be taken many times.
TEST(raise_goes_in_order) {
    Random random;

    random_seed(&random, 1);
    for (uint32_t count = 1; count < MOST_LANES; count += count < 70 ? 1 : 93) {
        double values[MOST_LANES + 1], expected[MOST_LANES + 1];
        uint32_t back = random_below(&random, count + 2) / (1 + random_below(&random, 8)) + 1;

        for (uint32_t i = 0; i <= count; i++)
            values[i] = expected[i] = between(&random, 0, 100) / 8.0;
        for (uint32_t i = back; i < count; i++)
            expected[i] = fmax(expected[i], expected[i - back] + 1.5);
        lanes_raise(back, 1.5, count, values);
        for (uint32_t i = 0; i <= count; i++)
            assert_true(values[i] == expected[i]);
    }
}
