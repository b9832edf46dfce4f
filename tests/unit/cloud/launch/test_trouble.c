// How long what has no capacity is left alone, and how many launches ask for it afterwards: issue 15, point 7; k#3198.
// Reference aws.md 2.6 for Karpenter's rule.
#include "cloud/aws/launch/trouble_book.h"
#include "harness/test.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

// Steps: "f" EC2 has no capacity, "s" an instance is launched, "+90" 90 seconds pass; behind them, for how many seconds
// the mark stands still, and how many launches may be under way.
typedef struct {
    const char *name, *steps;
    int64_t left_s;
    uint32_t allowed;
} Row;

#define RULE "tenon: trouble: "

static const Row rows[] = {
    {RULE "the first mark lasts three minutes", "f", 180, 0},
    {RULE "and a failure while it stands prolongs it", "f +170 f", 180, 0},
    {RULE "when it is over, one launch probes", "f +180", 0, 1},
    {RULE "a probe that fails marks for twice as long", "f +180 f", 360, 0},
    {RULE "and again", "f +180 f +360 f", 720, 0},
    {RULE "up to half an hour", "f +180 f +360 f +720 f +1440 f", 1800, 0},
    {RULE "at most", "f +180 f +360 f +720 f +1440 f +1800 f", 1800, 0},
    {RULE "failures of launches that began together do not double it", "f f f +180 f f f", 360, 0},
    {RULE "a failure much later is the first one again", "f +180 f +360 +1800 f", 180, 0},
    {RULE "half an hour after the mark is not much later yet", "f +180 f +360 +1799 f", 720, 0},
    {RULE "a probe that succeeds ends it: half the budget, and one more", "f +180 s", 0, 51},
    {RULE "the next mark is a short one", "f +180 f +360 s f", 180, 0},
    {RULE "each success is one more", "f +180 s s s", 0, 53},
    {RULE "each mark halves", "f +180 s f +180 s f +180 s", 0, 14},
    {RULE "those of failed probes too, but one is left",
     "f +180 f +360 f +720 f +1440 f +1800 f +1800 f +1800 f +1800 s", 0, 2},
    {RULE "an instance of the fleet that failed is no probe", "f s +180", 0, 1},
    {RULE "nor does it make the next mark short", "f s +180 f", 360, 0},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

static Trouble walk(const char *steps, int64_t *now_ns) {
    Trouble trouble = {0};
    char *end;

    *now_ns = 5000 * NS_PER_S;
    for (const char *at = steps; *at; at++) {
        if (*at == 'f')
            trouble = trouble_failed(trouble, *now_ns);
        if (*at == 's')
            trouble = trouble_launched(trouble, *now_ns);
        if (*at == '+') {
            *now_ns += strtol(at, &end, 10) * NS_PER_S;
            at = end - 1;
        }
    }
    return trouble;
}

TEST_EACH(const Row, row, marks_double_and_budgets_halve, list_rows) {
    int64_t now_ns;
    Trouble trouble = walk(row->steps, &now_ns);
    int64_t left_ns = trouble.until_ns > now_ns ? trouble.until_ns - now_ns : 0;

    assert_int_equal(left_ns / NS_PER_S, row->left_s);
    assert_int_equal(trouble_allows(&trouble, now_ns), row->allowed);
}

TEST(trouble_has_a_largest_budget) {
    Trouble trouble = trouble_failed((Trouble){0}, 0);

    for (uint32_t i = 0; i < 3 * TROUBLE_LAUNCHES_MOST; i++)
        trouble = trouble_launched(trouble, TROUBLE_LEAST_NS);
    assert_int_equal(trouble_allows(&trouble, TROUBLE_LEAST_NS), TROUBLE_LAUNCHES_MOST);
}

// --- shares

// Rooms of offerings, the cheapest first, "5 0 -", "-" being any; who is left out has "x" in `wanted`, behind the
// number of launches.
typedef struct {
    const char *name, *rooms;
    uint32_t launches;
    bool is_last;
    const char *wanted;
} ShareRow;

#define SHARE "tenon: shares: "

static const ShareRow share_rows[] = {
    {SHARE "no trouble, no parts", "- - -", 1000, false, "1000:..."},
    {SHARE "an offering with room for all is as any", "7 -", 7, false, "7:.."},
    {SHARE "one that is probed already is left out", "0 -", 1, false, "1:x."},
    {SHARE "a lone launch probes", "1 -", 1, false, "1:.."},
    {SHARE "of many one probes first", "1 -", 100, false, "1:.."},
    {SHARE "not one that is dearer than others", "- 1", 100, false, "100:.x"},
    {SHARE "nor one that is dearer than the cheapest with room", "0 - 7 -", 100, false, "100:x.x."},
    {SHARE "and the rest goes elsewhere", "1 -", 99, true, "99:x."},
    {SHARE "unless the probe has made room", "99 -", 99, true, "99:.."},
    {SHARE "as many as the roomiest takes, without those that take less", "1 40 0 -", 100, false, "40:x.x."},
    {SHARE "no alternative: nobody waits", "0", 1, false, "1:."},
    {SHARE "no alternative with room for all: nobody waits", "0 1 50", 100, false, "100:..."},
    {SHARE "no alternative in the last turn", "0 1 50", 51, true, "51:..."},
    {SHARE "room for all among small ones", "0 1 100", 100, false, "1:x.."},
    {SHARE "room for all, which is the cheapest", "100 0 1", 100, false, "100:.xx"},
    {SHARE "no offerings", "", 3, false, "3:"},
};

static void list_shares(TestCases *cases) {
    for (size_t i = 0; i < sizeof share_rows / sizeof *share_rows; i++)
        test_case(cases, share_rows[i].name, (void *)(uintptr_t)&share_rows[i]);
}

TEST_EACH(const ShareRow, row, launches_are_shared_out_by_room, list_shares) {
    ShareOfferingVec offerings = {0};
    Arena arena = {0};
    char text[64];
    int used;

    for (const char *at = row->rooms; *at; at++) {
        if (*at == '-')
            vec_push(&arena, &offerings, (ShareOffering){.price = offerings.count, .room = UINT32_MAX});
        if (isdigit((unsigned char)*at)) {
            vec_push(&arena, &offerings, (ShareOffering){.price = offerings.count, .room = (uint32_t)atoi(at)});
            while (isdigit((unsigned char)at[1]))
                at++;
        }
    }
    used = snprintf(text, sizeof text, "%u:", launch_share(&offerings, row->launches, row->is_last));
    for (vec_each(const ShareOffering, offering, &offerings))
        used += snprintf(&text[used], sizeof text - (size_t)used, "%c", offering->is_left_out ? 'x' : '.');
    assert_string_equal(text, row->wanted);
    arena_free(&arena);
}

// --- the book

enum { TYPE = 100, ZONE, ZONE_2 };

typedef struct {
    Arena arena;
    TroubleBook book;
    ShareOfferingVec offerings; // of TYPE in ZONE and ZONE_2
    int64_t now_ns;
} Desk;

static UnavailableMark offering_in(Symbol zone) {
    return (UnavailableMark){.capacity_type = NAME_SPOT, .type = TYPE, .zone = zone};
}

static Desk *desk_new(void) {
    Desk *desk = calloc(1, sizeof *desk);

    vec_push(&desk->arena, &desk->offerings, (ShareOffering){.offering = offering_in(ZONE)});
    vec_push(&desk->arena, &desk->offerings, (ShareOffering){.offering = offering_in(ZONE_2), .price = 1});
    return desk;
}

static void desk_free(Desk *desk) {
    trouble_book_free(&desk->book);
    arena_free(&desk->arena);
    free(desk);
}

FIXTURE(Desk, desk_new, desk_free);

static int64_t fail_in(Desk *desk, Symbol zone) {
    UnavailableMark offering = offering_in(zone);

    return trouble_book_failed(&desk->book, &offering, desk->now_ns);
}

static uint32_t begin(Desk *desk, ShareOfferingVec *offerings, uint32_t launches) {
    return trouble_book_begin(&desk->book, offerings, launches, false, desk->now_ns);
}

TEST_F(Desk, d, one_launch_probes_at_a_time) {
    ShareOffering others[2] = {d->offerings.items[0], d->offerings.items[1]};
    ShareOfferingVec second = {others, 2, 2};

    d->now_ns = fail_in(d, ZONE);
    assert_int_equal(begin(d, &d->offerings, 1), 1);
    assert_false(d->offerings.items[0].is_left_out);
    assert_int_equal(begin(d, &second, 1), 1);
    assert_true(second.items[0].is_left_out);
    trouble_book_end(&d->book, &d->offerings, 1); // it went elsewhere
    assert_int_equal(begin(d, &second, 1), 1);
    assert_false(second.items[0].is_left_out);
}

TEST_F(Desk, d, launches_that_began_before_the_trouble_do_not_count) {
    assert_int_equal(begin(d, &d->offerings, 100), 100);
    d->now_ns = fail_in(d, ZONE);
    trouble_book_end(&d->book, &d->offerings, 100);
    assert_int_equal(begin(d, &d->offerings, 100), 1);
}

TEST_F(Desk, d, karpenters_rule_has_neither_long_marks_nor_budgets) {
    d->book.is_plain = true;
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(fail_in(d, ZONE) == d->now_ns + UNAVAILABLE_FOR_NS);
        d->now_ns += UNAVAILABLE_FOR_NS;
        assert_int_equal(begin(d, &d->offerings, 100), 100);
        assert_false(d->offerings.items[0].is_left_out);
        trouble_book_end(&d->book, &d->offerings, 100);
    }
}

TEST_F(Desk, d, trouble_is_forgotten_when_nobody_asks) {
    d->now_ns = fail_in(d, ZONE) + TROUBLE_MOST_NS;
    fail_in(d, ZONE_2);
    assert_int_equal(begin(d, &d->offerings, 1), 1); // probes the first
    trouble_book_sweep(&d->book, d->now_ns);
    assert_int_equal(d->book.entries.count, 2);
    trouble_book_end(&d->book, &d->offerings, 1);
    trouble_book_sweep(&d->book, d->now_ns + NS_PER_S); // it has just looked
    assert_int_equal(d->book.entries.count, 2);
    trouble_book_sweep(&d->book, d->now_ns + NS_PER_MIN);
    assert_int_equal(d->book.entries.count, 1);
    assert_int_equal(d->book.entries.items[0].offering.zone, ZONE_2);
}
