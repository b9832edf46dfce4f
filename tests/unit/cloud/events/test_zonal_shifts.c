// Zonal shifts: upstream's area "cloud provider" (pkg/providers/zonalshift). Reference aws.md 7.9.
#include "base/time.h"
#include "cloud/aws/events/zonal_shifts.h"
#include "harness/test.h"

enum { SHIFTS_MAX = 3 };

#define NOW (INT64_C(1795420800) * NS_PER_S)

typedef struct {
    const char *name;
    struct {
        const char *zone, *status;
        int minutes; // until it ends; 0: does not say
    } shifts[SHIFTS_MAX];
    struct {
        const char *zone, *status;
    } autoshifts[SHIFTS_MAX];
    const char *wanted; // "zone:minutes" or "zone:open", with a space behind each
} Row;

static const Row rows[] = {
    {"cloud provider: no shift", {{0}}, {{0}}, ""},
    {"cloud provider: one shift", {{"usw2-az1", "APPLIED", 60}}, {{0}}, "usw2-az1:60 "},
    {"cloud provider: a shift that is not applied", {{"usw2-az1", "NOT_APPLIED", 60}}, {{0}}, ""},
    {"cloud provider: a shift that is over", {{"usw2-az1", "APPLIED", -1}}, {{0}}, ""},
    {"cloud provider: a shift without an end", {{"usw2-az1", "APPLIED", 0}}, {{0}}, ""},
    {"cloud provider: a shift without a zone", {{"", "APPLIED", 60}}, {{0}}, ""},
    {"cloud provider: shifts come by zone",
     {{"usw2-az3", "APPLIED", 5}, {"usw2-az1", "APPLIED", 60}},
     {{0}},
     "usw2-az1:60 usw2-az3:5 "},
    {"cloud provider: of two shifts of a zone the longer one",
     {{"usw2-az1", "APPLIED", 5}, {"usw2-az1", "APPLIED", 60}, {"usw2-az1", "NOT_APPLIED", 90}},
     {{0}},
     "usw2-az1:60 "},
    {"cloud provider: an autoshift has no end", {{0}}, {{"usw2-az2", "APPLIED"}}, "usw2-az2:open "},
    {"cloud provider: an autoshift that is not applied", {{0}}, {{"usw2-az2", "NOT_APPLIED"}}, ""},
    {"cloud provider: a shift and an autoshift of a zone",
     {{"usw2-az2", "APPLIED", 5}},
     {{"usw2-az2", "APPLIED"}},
     "usw2-az2:open "},
    {"cloud provider: a shift and an autoshift of two zones",
     {{"usw2-az2", "APPLIED", 5}},
     {{"usw2-az1", "APPLIED"}},
     "usw2-az1:open usw2-az2:5 "},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

static ZonalShiftVec read_row(Arena *arena, const Row *row) {
    ArcGetManagedResourceOutput answer = {0};

    for (uint32_t i = 0; i < SHIFTS_MAX; i++) {
        ArcZonalShift shift = {.away_from = slice_of(row->shifts[i].zone),
                               .applied_status = slice_of(row->shifts[i].status)};

        if (row->shifts[i].minutes)
            shift.expiry_time = aws_time(NOW + row->shifts[i].minutes * NS_PER_MIN);
        if (row->shifts[i].zone)
            vec_push(arena, &answer.zonal_shifts, shift);
        if (row->autoshifts[i].zone)
            vec_push(arena, &answer.autoshifts,
                     (ArcAutoshift){slice_of(row->autoshifts[i].zone), slice_of(row->autoshifts[i].status)});
    }
    return zonal_shifts_read(arena, &answer, NOW);
}

TEST_EACH(const Row, row, an_answer_tells_the_zones_to_leave, list_rows) {
    Arena arena = {0};
    Slice all = SLICE("");
    ZonalShiftVec shifts = read_row(&arena, row);

    for (vec_each(const ZonalShift, shift, &shifts)) {
        all = arena_printf(&arena, "%.*s%.*s:", SLICE_ARG(all), SLICE_ARG(shift->zone_id));
        if (shift->until_ns == INT64_MAX)
            all = arena_printf(&arena, "%.*sopen ", SLICE_ARG(all));
        else
            all = arena_printf(&arena, "%.*s%d ", SLICE_ARG(all), (int)((shift->until_ns - NOW) / NS_PER_MIN));
    }
    assert_string_equal(arena_text(&arena, all), row->wanted);
    arena_free(&arena);
}

TEST(a_shift_that_ends_now_is_over) {
    ArcZonalShift shift = {
        .away_from = SLICE("usw2-az1"), .applied_status = SLICE("APPLIED"), .expiry_time = aws_time(NOW)};
    ArcGetManagedResourceOutput answer = {.zonal_shifts = {&shift, 1, 1}};
    Arena arena = {0};

    assert_int_equal(zonal_shifts_read(&arena, &answer, NOW).count, 0);
    assert_int_equal(zonal_shifts_read(&arena, &answer, NOW - 1).count, 1);
    arena_free(&arena);
}

TEST(a_shift_ends_in_time_without_another_answer) {
    static const Row one = {"", {{"usw2-az1", "APPLIED", 60}}, {{"usw2-az2", "APPLIED"}}, ""};
    Arena arena = {0};
    ZonalShiftVec shifts = read_row(&arena, &one);

    assert_true(zonal_shifts_have(&shifts, SLICE("usw2-az1"), NOW));
    assert_true(zonal_shifts_have(&shifts, SLICE("usw2-az1"), NOW + 60 * NS_PER_MIN - 1));
    assert_false(zonal_shifts_have(&shifts, SLICE("usw2-az1"), NOW + 60 * NS_PER_MIN));
    assert_true(zonal_shifts_have(&shifts, SLICE("usw2-az2"), NOW + NS_PER_DAY));
    assert_false(zonal_shifts_have(&shifts, SLICE("usw2-az3"), NOW));
    arena_free(&arena);
}

TEST(a_cancelled_shift_ends_though_another_one_goes_on) {
    static const Row before = {"", {{"usw2-az1", "APPLIED", 60}, {"usw2-az2", "APPLIED", 60}}, {{0}}, ""};
    static const Row after = {"", {{"usw2-az2", "APPLIED", 60}, {"usw2-az3", "APPLIED", 60}}, {{0}}, ""};
    Arena arena = {0};
    ZonalShiftVec old = read_row(&arena, &before), now = read_row(&arena, &after);
    SliceVec ended = zonal_shifts_beyond(&arena, &old, &now), begun = zonal_shifts_beyond(&arena, &now, &old);

    assert_int_equal(ended.count, 1);
    assert_true(slice_eq_text(ended.items[0], "usw2-az1"));
    assert_int_equal(begun.count, 1);
    assert_true(slice_eq_text(begun.items[0], "usw2-az3"));
    arena_free(&arena);
}
