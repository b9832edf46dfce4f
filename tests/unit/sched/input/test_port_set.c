// Port sets against comparing every pair of ports.
#include "base/random.h"
#include "harness/test.h"
#include "sched/input/port_set.h"

#include <stdlib.h>

typedef struct {
    Arena arena;
    Symbols symbols;
    Random random;
} Ports;

static Ports *setup(void) {
    Ports *t = calloc(1, sizeof *t);

    names_init(&t->symbols);
    random_seed(&t->random, 7);
    return t;
}

static void teardown(Ports *t) {
    arena_free(&t->arena);
    symbols_free(&t->symbols);
    free(t);
}

FIXTURE(Ports, setup, teardown);

static HostPortVec random_ports(Ports *t) {
    static const char *const addresses[] = {"0.0.0.0", "::", "10.0.0.1", "10.0.0.2", "fd00::1"};
    HostPortVec ports = {0};

    for (uint32_t i = random_below(&t->random, 6); i > 0; i--)
        vec_push(&t->arena, &ports,
                 (HostPort){.ip = symbol_intern(&t->symbols, slice_of(addresses[random_below(&t->random, 5)])),
                            .port = (uint16_t)(80 + random_below(&t->random, 6)),
                            .protocol = (Protocol)random_below(&t->random, 3)});
    return ports;
}

static bool is_any(Ports *t, Symbol ip) {
    Slice text = symbol_text(&t->symbols, ip);

    return slice_eq_text(text, "0.0.0.0") || slice_eq_text(text, "::");
}

static bool any_pair_conflicts(Ports *t, const HostPortVec *a, const HostPortVec *b) {
    for (vec_each(const HostPort, x, a)) {
        for (vec_each(const HostPort, y, b)) {
            if (x->port == y->port && x->protocol == y->protocol &&
                (x->ip == y->ip || is_any(t, x->ip) || is_any(t, y->ip)))
                return true;
        }
    }
    return false;
}

static const PortSet *set_of(Ports *t, const HostPortVec *ports) {
    return port_set_make(&t->arena, &t->symbols, ports);
}

TEST_F(Ports, t, sets_conflict_when_some_pair_of_ports_does) {
    uint32_t conflicts = 0;

    for (int i = 0; i < 5000; i++) {
        HostPortVec a = random_ports(t), b = random_ports(t);
        bool expected = any_pair_conflicts(t, &a, &b);

        assert_int_equal(port_sets_conflict(set_of(t, &a), set_of(t, &b)), expected);
        conflicts += expected;
    }
    assert_true(conflicts > 500 && conflicts < 4500);
}

TEST_F(Ports, t, joined_set_has_the_ports_of_both_and_without_takes_them_off_again) {
    for (int i = 0; i < 2000; i++) {
        HostPortVec a = random_ports(t), b = random_ports(t), all = {0};
        const PortSet *x = set_of(t, &a), *y = set_of(t, &b), *both = port_set_join(&t->arena, x, y);

        for (vec_each(const HostPort, port, &a))
            vec_push(&t->arena, &all, *port);
        for (vec_each(const HostPort, port, &b))
            vec_push(&t->arena, &all, *port);
        assert_true(port_sets_equal(both, set_of(t, &all)));
        assert_int_equal(port_set_hash(both), port_set_hash(set_of(t, &all)));
        assert_true(port_sets_equal(port_set_without(&t->arena, both, y), port_set_without(&t->arena, x, y)));
        assert_null(port_set_without(&t->arena, both, both));
    }
}

TEST_F(Ports, t, no_ports_are_no_set) {
    HostPortVec none = {0};

    assert_null(set_of(t, &none));
    assert_false(port_sets_conflict(NULL, NULL));
    assert_null(port_set_join(&t->arena, NULL, NULL));
}
