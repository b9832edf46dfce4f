// Reservations that end: upstream's area "cloud provider" (pkg/controllers/capacityreservation). Reference
// aws.md 3.6, 7.6.
#include "cloud/aws/events/reservations.h"
#include "harness/test.h"
#include "model/names.h"
#include "text/duration.h"

#define NOW "2026-11-23T12:00:00Z"

static int64_t at(const char *text) {
    int64_t ns;

    assert_int_equal(time_parse(slice_of(text), &ns, NULL), OK);
    return ns;
}

typedef struct {
    const char *name, *type, *end; // NULL: absent
    const char *state;
} Row;

static const Row rows[] = {
    {"cloud provider: a block with an hour left", "capacity-block", "2026-11-23T13:00:00Z", "active"},
    {"cloud provider: a block with 40 minutes and a second left", "capacity-block", "2026-11-23T12:40:01Z", "active"},
    {"cloud provider: a block with 40 minutes left", "capacity-block", "2026-11-23T12:40:00Z", "expiring"},
    {"cloud provider: a block with 10 minutes left", "capacity-block", "2026-11-23T12:10:00Z", "expiring"},
    {"cloud provider: a block that is over", "capacity-block", "2026-11-23T11:00:00Z", "expiring"},
    {"cloud provider: a block without an end", "capacity-block", NULL, "active"},
    {"cloud provider: an ordinary reservation that ends soon", "default", "2026-11-23T12:10:00Z", "active"},
    {"cloud provider: a reservation of no type", NULL, "2026-11-23T12:10:00Z", "active"},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

static Ec2CapacityReservation reservation_of(const Row *row, const char *id) {
    Ec2CapacityReservation reservation = {.capacity_reservation_id = slice_of(id),
                                          .reservation_type = slice_of(row->type)};

    if (row->end)
        reservation.end_date = aws_time(at(row->end));
    return reservation;
}

TEST_EACH(const Row, row, only_blocks_expire_and_soon, list_rows) {
    Ec2CapacityReservation reservation = reservation_of(row, "cr-1");
    Ec2CapacityReservationVec all = {&reservation, 1, 1};
    bool is_expiring = strcmp(row->state, "expiring") == 0;
    CapacityReservation read;
    Arena arena = {0};
    Symbols symbols;

    names_init(&symbols);
    read = reservation_read(&arena, &symbols, &reservation, at(NOW));
    assert_true(slice_eq_text(symbol_text(&symbols, read.state), row->state));
    assert_true(slice_eq_text(symbol_text(&symbols, read.type), row->type ? row->type : "default"));
    assert_int_equal(read.end_ns, row->end ? at(row->end) : 0);
    assert_int_equal(reservations_expiring(&arena, &all, at(NOW)).count, is_expiring);
    symbols_free(&symbols);
    arena_free(&arena);
}

TEST(expiring_reservations_are_named_once_in_order) {
    Ec2CapacityReservation list[] = {reservation_of(&rows[3], "cr-2"), reservation_of(&rows[0], "cr-3"),
                                     reservation_of(&rows[3], "cr-1"), reservation_of(&rows[4], "cr-2")};
    Ec2CapacityReservationVec all = {list, 4, 4};
    Arena arena = {0};
    SliceVec ids = reservations_expiring(&arena, &all, at(NOW));

    assert_int_equal(ids.count, 2);
    assert_true(slice_eq_text(ids.items[0], "cr-1"));
    assert_true(slice_eq_text(ids.items[1], "cr-2"));
    arena_free(&arena);
}

TEST(a_reservation_is_read_whole) {
    Ec2CapacityReservation answer = {
        .capacity_reservation_id = SLICE("cr-1"),
        .owner_id = SLICE("012345678901"),
        .instance_type = SLICE("p5.48xlarge"),
        .availability_zone = SLICE("us-west-2a"),
        .available_instance_count = aws_integer(3),
        .instance_match_criteria = SLICE("targeted"),
        .interruptible = aws_bool(true),
    };
    CapacityReservation read;
    Arena arena = {0};
    Symbols symbols;

    names_init(&symbols);
    read = reservation_read(&arena, &symbols, &answer, at(NOW));
    assert_true(slice_eq_text(symbol_text(&symbols, read.id), "cr-1"));
    assert_true(slice_eq_text(symbol_text(&symbols, read.zone), "us-west-2a"));
    assert_true(slice_eq_text(symbol_text(&symbols, read.instance_type), "p5.48xlarge"));
    assert_true(slice_eq_text(read.match_criteria, "targeted"));
    assert_true(slice_eq_text(read.owner_id, "012345678901"));
    assert_int_equal(read.available_count, 3);
    assert_true(read.interruptible);
    answer.available_instance_count = aws_integer(-1);
    assert_int_equal(reservation_read(&arena, &symbols, &answer, at(NOW)).available_count, 0);
    answer.available_instance_count = aws_integer(INT64_C(1) << 40);
    assert_int_equal(reservation_read(&arena, &symbols, &answer, at(NOW)).available_count, INT32_MAX);
    symbols_free(&symbols);
    arena_free(&arena);
}
