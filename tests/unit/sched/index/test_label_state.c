// Label states and the steps between them.
#include "harness/test.h"
#include "sched/prepare.h"
#include "sched/solver.h"
#include "sched/support/world_plan.h"

#include <stdio.h>
#include <stdlib.h>

// The states of a world with one pool, a node in zone a, and pods with requirements on zones and teams.
typedef struct {
    World *world;
    Arena arena;
    Solver solver;
    uint32_t zone, team; // keys
} Prepared;

static Prepared *setup(void) {
    Prepared *p = calloc(1, sizeof *p);

    p->world = world_setup();
    world_pool(p->world, .name = "default", .requirements = IN("team", "red, blue"));
    world_node(p->world, .name = "node-1", .labels = ZONE ": a, team: red");
    world_pods(p->world, .name = "web", .requests = "cpu: 1",
               .spec = AFFINITY(NODE(TERM(IN(ZONE, "a, b, x")) ", " TERM(IN("team", "red, blue, green")))));
    world_plan(p->world);
    solver_init(&p->solver, &p->arena, world_input(p->world));
    p->zone = universe_key(&p->solver.universe, NAME_ZONE);
    p->team = universe_key(&p->solver.universe, symbol_find(p->solver.universe.symbols, SLICE("team")));
    return p;
}

static void teardown(Prepared *p) {
    arena_free(&p->arena);
    world_teardown(p->world);
    free(p);
}

FIXTURE(Prepared, setup, teardown);

static uint32_t atom_of(const Prepared *p, uint32_t key, const char *value) {
    return universe_atom(&p->solver.universe, key, symbol_find(p->solver.universe.symbols, slice_of(value)));
}

static LabelSetId pin(Prepared *p, uint32_t key, const char *value) {
    return label_state_pin_set(&p->solver.states, key, atom_of(p, key, value));
}

static uint32_t open_state(const Prepared *p) {
    return p->solver.pools.items[0].open_state;
}

TEST_F(Prepared, p, step_narrows_a_claim) {
    uint32_t to = label_state_step(&p->solver.states, open_state(p), pin(p, p->zone, "b"));

    assert_int_not_equal(to, LABEL_STATE_NONE);
    assert_int_not_equal(to, open_state(p));
    assert_int_equal(
        bitset_count(label_state_key(&p->solver.states, to, p->zone), p->solver.universe.keys.items[p->zone].words), 1);
}

TEST_F(Prepared, p, step_twice_leads_to_the_same_state) {
    LabelStates *states = &p->solver.states;
    uint32_t one =
        label_state_step(states, label_state_step(states, open_state(p), pin(p, p->zone, "b")), pin(p, p->team, "red"));
    uint32_t other =
        label_state_step(states, label_state_step(states, open_state(p), pin(p, p->team, "red")), pin(p, p->zone, "b"));

    assert_int_equal(one, other); // interned: the order of the steps does not matter
    assert_int_equal(label_state_step(states, one, pin(p, p->zone, "b")), one);
    assert_int_equal(label_state_step(states, one, LABEL_SET_EMPTY), one);
}

TEST_F(Prepared, p, step_into_a_contradiction_leads_nowhere) {
    LabelStates *states = &p->solver.states;
    uint32_t red = label_state_step(states, open_state(p), pin(p, p->team, "red"));

    assert_int_equal(label_state_step(states, red, pin(p, p->team, "blue")), LABEL_STATE_NONE);
    assert_int_equal(label_state_step(states, red, pin(p, p->team, "blue")), LABEL_STATE_NONE); // from the cache
    assert_int_equal(label_state_step(states, open_state(p), pin(p, p->team, "green")), LABEL_STATE_NONE);
}

TEST_F(Prepared, p, step_without_a_type_leads_nowhere) {
    assert_int_equal(label_state_step(&p->solver.states, open_state(p), pin(p, p->zone, "x")), LABEL_STATE_NONE);
}

TEST_F(Prepared, p, step_of_a_node_goes_nowhere_else) {
    uint32_t node = p->solver.node_states[0];

    assert_null(label_state_at(&p->solver.states, node)->table);
    assert_int_equal(label_state_step(&p->solver.states, node, pin(p, p->zone, "a")), node);
    assert_int_equal(label_state_step(&p->solver.states, node, pin(p, p->zone, "b")), LABEL_STATE_NONE);
    assert_int_equal(label_state_step(&p->solver.states, node, pin(p, p->team, "red")), node);
}

// A step does not lead to a state without types, even if that state was interned before.
TEST_F(Prepared, p, state_without_types_is_kept_only_when_asked_for) {
    LabelStates *states = &p->solver.states;
    const Pool *pool = &p->solver.pools.items[0];
    uint64_t *row = arena_copy(&p->arena, pool->template_row, (p->solver.universe.row_words + 1) * sizeof *row);
    uint32_t kept;

    row_narrow(&p->solver.universe, row, label_set(&p->solver.universe, pin(p, p->zone, "x")));
    assert_int_equal(label_state_intern(states, pool->table, row, false), LABEL_STATE_NONE);
    kept = label_state_intern(states, pool->table, row, true);
    assert_int_not_equal(kept, LABEL_STATE_NONE);

    assert_int_equal(label_state_intern(states, pool->table, row, true), kept);
    assert_int_equal(label_state_intern(states, pool->table, row, false), LABEL_STATE_NONE);
}

TEST_F(Prepared, p, pins_are_made_once) {
    assert_int_equal(pin(p, p->zone, "a"), pin(p, p->zone, "a"));
    assert_int_not_equal(pin(p, p->zone, "a"), pin(p, p->zone, "b"));
}

// Joining claims makes no new states beyond LABEL_STATES_MANY; opening a claim always does.
TEST_F(Prepared, p, with_very_many_states_pods_join_by_known_steps_only) {
    LabelStates *states = &p->solver.states;
    uint32_t count = states->states.count, known;

    known = label_state_join(states, open_state(p), pin(p, p->zone, "a"));
    assert_int_not_equal(known, LABEL_STATE_NONE);
    assert_int_equal(states->states.count, count + 1);
    for (uint32_t i = states->states.count; i < LABEL_STATES_MANY; i++)
        vec_push(states->arena, &states->states, *label_state_at(states, known));

    assert_int_equal(label_state_join(states, open_state(p), pin(p, p->zone, "a")), known);
    assert_int_equal(label_state_join(states, known, LABEL_SET_EMPTY), known);
    assert_int_equal(label_state_join(states, open_state(p), pin(p, p->zone, "b")), LABEL_STATE_NONE);
    assert_int_not_equal(label_state_step(states, open_state(p), pin(p, p->zone, "b")), LABEL_STATE_NONE);
    assert_int_not_equal(label_state_join(states, open_state(p), pin(p, p->zone, "b")), LABEL_STATE_NONE);
}
