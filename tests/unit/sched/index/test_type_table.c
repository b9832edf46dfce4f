// TypeTable and Room: the rows that labels and offerings leave, and those with enough room.
#include "harness/test.h"
#include "sched/prepare.h"
#include "sched/solver.h"
#include "sched/support/world_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// A prepared solver of a world; the table is that of its first pool.
typedef struct {
    Arena arena;
    Solver solver;
} Prepared;

static Prepared *prepare(World *w) {
    Prepared *prepared = calloc(1, sizeof *prepared);

    world_plan(w);
    solver_init(&prepared->solver, &prepared->arena, world_input(w));
    return prepared;
}

static void release(Prepared *prepared) {
    arena_free(&prepared->arena);
    free(prepared);
}

static const TypeTable *table_of(const Prepared *prepared) {
    return prepared->solver.pools.items[0].table;
}

// Names of the rows' types: "small medium".
static const char *names_of(Prepared *prepared, const uint64_t *rows) {
    const TypeTable *table = table_of(prepared);
    Slice text = SLICE("");

    for (bitset_each(row, rows, table->words))
        text = arena_printf(&prepared->arena, "%.*s%s%.*s", SLICE_ARG(text), text.len ? " " : "",
                            SLICE_ARG(symbol_text(prepared->solver.universe.symbols, table->rows[row].type->name)));
    return arena_text(&prepared->arena, text);
}

// The rows that a state of the first pool has after "key In [value]".
static const char *rows_after(Prepared *prepared, Symbol key, const char *value) {
    Solver *solver = &prepared->solver;
    uint32_t index = universe_key(&solver->universe, key);
    uint32_t atom = universe_atom(&solver->universe, index, symbol_intern(solver->universe.symbols, slice_of(value)));
    uint32_t state = label_state_step(&solver->states, solver->pools.items[0].full_state,
                                      label_state_pin_set(&solver->states, index, atom));

    return state == LABEL_STATE_NONE ? "" : names_of(prepared, label_state_at(&solver->states, state)->rows);
}

static void add_world(World *w) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1, memory: 1Gi",
               .spec = AFFINITY(NODE(TERM(IN(ZONE, "a, b, c")) ", " TERM(IN(ARCH, "amd64, arm64")) ", " TERM(
                   IN(CAPACITY_TYPE, "spot, on-demand")))));
}

TEST_F(World, w, rows_by_label) {
    Prepared *prepared;

    add_world(w);
    prepared = prepare(w);

    assert_string_equal(rows_after(prepared, NAME_ARCH, "arm64"), "arm");
    assert_string_equal(rows_after(prepared, NAME_ARCH, "amd64"), "small medium large huge");
    assert_string_equal(rows_after(prepared, NAME_ZONE, "b"), "small medium large huge arm");
    release(prepared);
}

TEST_F(World, w, rows_by_offering) {
    Prepared *prepared;
    world_type(w, .name = "a-only", .capacity = "cpu: 2, memory: 4Gi, pods: 5", .zones = "a", .price = 1);
    world_type(w, .name = "spot-b", .capacity = "cpu: 2, memory: 4Gi, pods: 5", .zones = "");
    world_offering(w, .type = "spot-b", .zone = "b", .capacity_type = "spot", .price = 1);
    world_offering(w, .type = "spot-b", .zone = "a", .price = 1, .unavailable = true);

    add_world(w);
    prepared = prepare(w);

    assert_string_equal(rows_after(prepared, NAME_ZONE, "a"), "a-only");
    assert_string_equal(rows_after(prepared, NAME_ZONE, "b"), "spot-b");
    assert_string_equal(rows_after(prepared, NAME_ZONE, "c"), "");
    assert_string_equal(rows_after(prepared, NAME_CAPACITY_TYPE, "spot"), "a-only spot-b");
    assert_string_equal(rows_after(prepared, NAME_CAPACITY_TYPE, "on-demand"), "a-only");
    release(prepared);
}

// A type has one row for its base capacity and one for each distinct override.
TEST_F(World, w, rows_per_override) {
    Prepared *prepared;
    const TypeTable *table;
    world_type(w, .name = "plain", .capacity = "cpu: 2, memory: 4Gi, pods: 5", .price = 1);
    world_type(w, .name = "varied", .capacity = "cpu: 2, memory: 4Gi, pods: 5", .price = 1);
    world_offering(w, .type = "varied", .zone = "a", .price = 1, .capacity = "cpu: 3");
    world_offering(w, .type = "varied", .zone = "b", .price = 1, .capacity = "cpu: 3");
    world_offering(w, .type = "varied", .zone = "c", .price = 1, .capacity = "cpu: 4");

    add_world(w);
    prepared = prepare(w);
    table = table_of(prepared);

    assert_int_equal(table->row_count, 4);
    assert_int_equal(table->rows[1].group, 0);
    assert_int_equal(table->rows[2].group, 1);
    assert_int_equal(table->rows[3].group, 2);
    for (uint32_t row = 1; row < 4; row++)
        assert_int_equal(table->rows[row].type_index, 1);
    release(prepared);
}

TEST_F(World, w, pools_with_one_list_share_the_table) {
    Prepared *prepared;
    world_pool(w, .name = "second");
    world_pool(w, .name = "third", .types = "small");

    add_world(w);
    prepared = prepare(w);

    assert_int_equal(prepared->solver.pools.count, 3);
    assert_ptr_equal(prepared->solver.pools.items[1].table, prepared->solver.pools.items[2].table);
    assert_int_equal(prepared->solver.pools.items[0].table->row_count, 1); // "third" comes first by name
    release(prepared);
}

static uint64_t *all_rows(Prepared *prepared) {
    const TypeTable *table = table_of(prepared);
    uint64_t *rows = bitset_new(&prepared->arena, table->row_count);

    bitset_fill(rows, table->row_count);
    return rows;
}

static int64_t *amounts(Prepared *prepared, int64_t cpu_milli, int64_t mem_bytes) {
    const Dimensions *dimensions = &prepared->solver.classes.dimensions;
    int64_t *made = arena_array(&prepared->arena, int64_t, dimensions->count);

    made[dimension_of(dimensions, NAME_CPU)] = cpu_milli;
    made[dimension_of(dimensions, NAME_MEMORY)] = mem_bytes;
    return made;
}

TEST_F(World, w, room_fit_keeps_rows_with_enough_of_everything) {
    Prepared *prepared;
    const Room *room;
    uint64_t *rows;

    add_world(w);
    prepared = prepare(w);
    room = prepared->solver.pools.items[0].room;

    rows = all_rows(prepared);
    assert_true(room_fit(room, amounts(prepared, 0, 0), amounts(prepared, 4000, INT64_C(8) << 30), 1, rows));
    assert_string_equal(names_of(prepared, rows), "medium large huge arm");
    rows = all_rows(prepared);
    assert_true(room_fit(room, amounts(prepared, 4000, 0), amounts(prepared, 1, 0), 1, rows));
    assert_string_equal(names_of(prepared, rows), "large huge arm");
    rows = all_rows(prepared);
    assert_true(room_fit(room, amounts(prepared, 0, INT64_C(64) << 30), amounts(prepared, 1, 0), 1, rows));
    assert_string_equal(names_of(prepared, rows), "arm");
    rows = all_rows(prepared);
    assert_false(room_fit(room, amounts(prepared, 0, 0), amounts(prepared, 16001, 0), 1, rows));
    release(prepared);
}

TEST_F(World, w, room_fit_count_is_that_of_the_roomiest_row) {
    Prepared *prepared;
    const Room *room;

    add_world(w);
    prepared = prepare(w);
    room = prepared->solver.pools.items[0].room;

    assert_int_equal(room_fit_count(room, amounts(prepared, 0, 0), amounts(prepared, 3000, 0), all_rows(prepared), 99),
                     5);
    assert_int_equal(
        room_fit_count(room, amounts(prepared, 2000, 0), amounts(prepared, 3000, 0), all_rows(prepared), 99), 4);
    assert_int_equal(room_fit_count(room, amounts(prepared, 0, 0), amounts(prepared, 3000, 0), all_rows(prepared), 2),
                     2);
    assert_int_equal(room_fit_count(room, amounts(prepared, 0, 0), amounts(prepared, 17000, 0), all_rows(prepared), 99),
                     0);
    release(prepared);
}

TEST_F(World, w, negative_room_is_never_usable) {
    Prepared *prepared;
    uint64_t *rows;
    world_type(w, .name = "broken", .capacity = "cpu: 2, memory: 1Gi, pods: 5", .overhead = "memory: 2Gi", .price = 1);
    world_type(w, .name = "sound", .capacity = "cpu: 2, memory: 1Gi, pods: 5", .price = 1);

    add_world(w);
    prepared = prepare(w);
    rows = all_rows(prepared);

    assert_true(
        room_fit(prepared->solver.pools.items[0].room, amounts(prepared, 0, 0), amounts(prepared, 0, 0), 1, rows));
    assert_string_equal(names_of(prepared, rows), "sound");
    release(prepared);
}

TEST_F(World, w, price_is_the_lowest_of_the_rows) {
    Prepared *prepared;
    const Solver *solver;
    const TypeTable *table;
    const uint64_t *row;

    add_world(w);
    prepared = prepare(w);
    solver = &prepared->solver;
    table = table_of(prepared);
    row = label_state_at(&solver->states, solver->pools.items[0].full_state)->row;

    assert_true(fabs(type_table_price(table, &solver->universe, row, all_rows(prepared)) - 0.06) < 1e-9);
    assert_true(isinf(type_table_price(table, &solver->universe, row, bitset_new(&prepared->arena, table->row_count))));
    release(prepared);
}
