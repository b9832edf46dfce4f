// Prints solvers and recomputes their counts.
#include "sched/support/solver_text.h"
#include "sched/bin/claim_price.h"

#include "base/buffer.h"
#include "harness/test.h"

#include <math.h>
#include <stdio.h>

// --- as text

static void append_amounts(Buffer *text, const char *name, const int64_t *amounts, uint32_t count) {
    if (!amounts)
        return;
    buffer_printf(text, " %s", name);
    for (uint32_t i = 0; i < count; i++)
        buffer_printf(text, " %lld", (long long)amounts[i]);
}

static void append_words(Buffer *text, const char *name, const uint64_t *words, uint32_t count) {
    if (!words)
        return;
    buffer_printf(text, " %s", name);
    for (uint32_t i = 0; i < count; i++)
        buffer_printf(text, " %llx", (unsigned long long)words[i]);
}

static void append_bin(Buffer *text, Solver *solver, const Bin *bin) {
    uint32_t dims = solver->classes.dimensions.count;

    buffer_printf(text, "bin %u state %u pods %u:", bin->number, bin->state, bin->pod_count);
    for (vec_each(const BinPods, pods, &bin->pods))
        buffer_printf(text, " %u/%u×%u", pods->class, pods->variant, pods->count);
    append_amounts(text, "free", bin->free, dims);
    append_words(text, "ports", bin->ports ? bin->ports->ports : NULL, bin->ports ? bin->ports->count : 0);
    buffer_printf(text, " claims %u undecided %u", bin->claims.count, bin->undecided.count);
    if (bin->pool) {
        append_amounts(text, "used", bin->used, dims);
        append_amounts(text, "charge", bin->charge, dims);
        append_words(text, "rows", bin->rows, bin->pool->table->words);
        buffer_printf(text, " pool %u gone %d reserved %d price %.9g", bin->pool->number, bin->gone,
                      bin->reservation != NULL, claim_price(solver, bin, bin->rows, NULL, NULL));
    }
    buffer_append_char(text, '\n');
}

static void append_group(Buffer *text, const Solver *solver, const TopologyGroup *group) {
    buffer_printf(text, "group total %lld waits %d", (long long)*group->total, group->waits);
    for (uint32_t atom = 0; group->key != INDEX_NONE && atom < solver->universe.keys.items[group->key].atoms; atom++)
        buffer_printf(text, " %d-%d", group->least[atom], group->most[atom]);
    append_words(text, "supported", group->supported, group->words);
    for (uint32_t bin = 0; bin < group->bin_capacity; bin++) {
        if (group->on_bin[bin])
            buffer_printf(text, " %u:%d", bin, group->on_bin[bin]);
    }
    buffer_append_char(text, '\n');
}

const char *solver_text(Trial *trial) {
    Solver *solver = &trial->solver;
    Buffer text = {0};
    const char *copy;

    for (vec_each(const Bin, bin, &solver->bins))
        append_bin(&text, solver, bin);
    for (vec_each(const TopologyGroup, group, &solver->topology.groups))
        append_group(&text, solver, group);
    for (vec_each(const PodClass, class, &solver->classes.classes))
        buffer_printf(&text, "placed %u\n", class->placed);
    for (vec_each(const Pool, pool, &solver->pools)) {
        buffer_printf(&text, "pool nodes %lld", (long long)pool->nodes_left);
        append_amounts(&text, "left", pool->left, solver->classes.dimensions.count);
        buffer_append_char(&text, '\n');
    }
    for (vec_each(const Reservation, reservation, &solver->reservations))
        buffer_printf(&text, "reservation %lld\n", (long long)reservation->left);
    buffer_printf(&text, "domains settled %d\n", solver->domains_settled);
    copy = arena_text(&trial->arena, buffer_slice(&text));
    buffer_free(&text);
    return copy;
}

// --- recomputed

// The counts that the pods of the plan add to one group.
typedef struct {
    int32_t *least, *most; // per atom
    int32_t *on_bin;
    int64_t total;
} Added;

static void count_pods(Solver *solver, const TopologyGroup *group, const Bin *bin, int32_t count, Added *added) {
    Counted accepted = bin_filter(solver, group->filter, bin->state, bin_taints(bin));
    const uint64_t *mask;
    bool counted = false;

    if (!accepted)
        return;
    if (group->key == INDEX_NONE) {
        added->on_bin[bin->number] += count;
        added->total += count;
        return;
    }
    mask = label_state_key(&solver->states, bin->state, group->key);
    for (uint32_t atom = 0; atom < solver->universe.keys.items[group->key].value_count; atom++) {
        if (!bitset_has(mask, atom))
            continue;
        counted = true;
        added->most[atom] += count;
        if (accepted == COUNTED_SURELY && bitset_count(mask, group->words) == 1)
            added->least[atom] += count;
    }
    added->total += counted ? count : 0;
}

static bool has_number(const U32Vec *list, uint32_t number) {
    for (vec_each(uint32_t, each, list)) {
        if (*each == number)
            return true;
    }
    return false;
}

static Added count_group(Trial *trial, uint32_t number) {
    Solver *solver = &trial->solver;
    const TopologyGroup *group = &solver->topology.groups.items[number];
    uint32_t atoms = group->key == INDEX_NONE ? 0 : solver->universe.keys.items[group->key].atoms;
    Added added = {.least = arena_array(&trial->arena, int32_t, atoms),
                   .most = arena_array(&trial->arena, int32_t, atoms),
                   .on_bin = arena_array(&trial->arena, int32_t, solver->bins.count)};

    for (vec_each(const Bin, bin, &solver->bins)) {
        for (vec_each(const BinPods, pods, &bin->pods)) {
            const PodClass *class = &solver->classes.classes.items[pods->class];

            if (has_number(&class->counted, number))
                count_pods(solver, group, bin, (int32_t)pods->count, &added);
            if (has_number(&class->inverse, number))
                count_pods(solver, group, bin, (int32_t)pods->count, &added);
        }
    }
    return added;
}

static void check_group(Trial *trial, uint32_t number, const Added *added) {
    const Solver *solver = &trial->solver;
    const TopologyGroup *group = &solver->topology.groups.items[number], *before = &trial->initial.groups[number];

    for (uint32_t atom = 0; group->key != INDEX_NONE && atom < solver->universe.keys.items[group->key].atoms; atom++) {
        assert_int_equal(group->most[atom], before->most[atom] + added->most[atom]);
        assert_int_equal(group->least[atom], before->least[atom] + added->least[atom]);
    }
    for (uint32_t bin = 0; bin < solver->bins.count && group->key == INDEX_NONE; bin++)
        assert_int_equal(topology_on_bin(group, bin), topology_on_bin(before, bin) + added->on_bin[bin]);
}

static void check_groups(Trial *trial) {
    const Solver *solver = &trial->solver;
    uint32_t count = solver->topology.groups.count;
    Added *added = arena_array(&trial->arena, Added, count);

    for (uint32_t i = 0; i < count; i++)
        added[i] = count_group(trial, i);
    for (uint32_t i = 0; i < count; i++) {
        const TopologyGroup *group = &solver->topology.groups.items[i];
        int64_t total = trial->initial.totals[i];

        if (group->undecided)
            continue; // depends on when the pods were counted
        check_group(trial, i, &added[i]);
        for (uint32_t j = 0; j < count; j++)
            total += solver->topology.groups.items[j].total == group->total ? added[j].total : 0;
        assert_int_equal(*group->total, total);
    }
}

// Volume claims that a bin's pods share are attached once each, and no others.
static void add_shared_claims(const Solver *solver, const Bin *bin, int64_t *used) {
    uint32_t distinct = 0;
    Symbol seen[64];

    for (; distinct < bin->bound_claims; distinct++)
        seen[distinct] = bin->claims.items[distinct];

    for (vec_each(const BinPods, pods, &bin->pods)) {
        const PodClass *class = &solver->classes.classes.items[pods->class];

        for (uint32_t i = 0; i < class->shared_claims.count; i++) {
            uint32_t k = 0;

            while (k < distinct && seen[k] != class->shared_claims.items[i])
                k++;
            if (k < distinct)
                continue;
            assert_true(distinct < sizeof seen / sizeof *seen);
            seen[distinct++] = class->shared_claims.items[i];
            used[dimension_of_driver(&solver->classes.dimensions, class->shared_drivers.items[i])]++;
        }
    }
    assert_int_equal(bin->claims.count, distinct);
}

static void check_bin(Trial *trial, const Bin *bin, uint32_t *placed) {
    const Solver *solver = &trial->solver;
    uint32_t dims = solver->classes.dimensions.count, count = 0;
    int64_t *used = arena_array(&trial->arena, int64_t, dims);

    for (vec_each(const BinPods, pods, &bin->pods)) {
        assert_true(pods->count > 0);
        count += pods->count;
        placed[pods->class] += pods->count;
        for (uint32_t dim = 0; dim < dims; dim++)
            used[dim] += solver->classes.classes.items[pods->class].requests[dim] * pods->count;
    }
    assert_int_equal(bin->pod_count, count);
    add_shared_claims(solver, bin, used);
    for (uint32_t dim = 0; dim < dims; dim++) {
        if (bin->pool)
            assert_int_equal(bin->used[dim], used[dim]);
        else
            assert_int_equal(bin->free[dim], trial->initial.bins.items[bin->number].free[dim] - used[dim]);
    }
}

// The host ports that are taken on a bin are those of its pods, and of what ran there before.
static void check_ports(Trial *trial, const Bin *bin) {
    const Solver *solver = &trial->solver;
    const PortSet *ports = bin->node ? trial->initial.bins.items[bin->number].ports : NULL;

    for (vec_each(const BinPods, pods, &bin->pods))
        ports = port_set_join(&trial->arena, ports, solver->classes.classes.items[pods->class].ports);
    assert_true(port_sets_equal(ports, bin->ports));
}

// The types of a claim have room for its pods, and its state allows them.
static void check_rows(const Trial *trial, const Bin *bin) {
    const Room *room = bin->pool->room;

    assert_false(bitset_is_empty(bin->rows, bin->pool->table->words));
    assert_true(
        bitset_is_subset(bin->rows, label_state_at(&trial->solver.states, bin->state)->rows, room->table->words));
    for (bitset_each(row, bin->rows, bin->pool->table->words)) {
        for (uint32_t dim = 0; dim < room->dims; dim++)
            assert_true(bin->used[dim] <= room->free[(size_t)row * room->dims + dim]);
    }
}

static void check_limits(const Trial *trial) {
    const Solver *solver = &trial->solver;

    for (vec_each(const Pool, pool, &solver->pools)) {
        const Pool *before = &trial->initial.pools[pool->number];

        for (uint32_t dim = 0; dim < solver->classes.dimensions.count && pool->limited; dim++) {
            int64_t charged = 0;

            for (vec_each(const Bin, bin, &solver->bins))
                charged += bin->pool == pool && bin->charge ? bin->charge[dim] : 0;
            if (before->left[dim] != INT64_MAX)
                assert_int_equal(pool->left[dim], before->left[dim] - charged);
        }
        if (before->nodes_left != INT64_MAX) {
            int64_t claims = 0;

            for (vec_each(const Bin, bin, &solver->bins))
                claims += bin->pool == pool && !bin->gone;
            assert_int_equal(pool->nodes_left, before->nodes_left - claims);
        }
    }
}

static void check_reservations(const Trial *trial) {
    const Solver *solver = &trial->solver;

    for (uint32_t i = 0; i < solver->reservations.count; i++) {
        int64_t left = trial->initial.reservations[i].left;

        for (vec_each(const Bin, bin, &solver->bins))
            left -=
                !bin->gone && bin->reservation && bin->reservation->reservation_id == solver->reservations.items[i].id;
        assert_int_equal(solver->reservations.items[i].left, left);
    }
}

void assert_counts_add_up(Trial *trial) {
    const Solver *solver = &trial->solver;
    uint32_t *placed = arena_array(&trial->arena, uint32_t, solver->classes.classes.count);

    for (vec_each(const Bin, bin, &solver->bins)) {
        check_bin(trial, bin, placed);
        check_ports(trial, bin);
        if (bin->pool && !bin->gone)
            check_rows(trial, bin);
        if (bin->pool)
            assert_int_equal(bin->gone, bin->pods.count == 0);
    }
    for (uint32_t i = 0; i < solver->classes.classes.count; i++)
        assert_int_equal(solver->classes.classes.items[i].placed, placed[i]);
    check_groups(trial);
    check_limits(trial);
    check_reservations(trial);
}
