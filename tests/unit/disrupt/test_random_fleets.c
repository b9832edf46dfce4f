// Random fleets: whatever a pass finds keeps the promises of reference lifecycle.md 11, 1 to 4.
#include "base/random.h"
#include "base/time.h"
#include "disrupt/replacement.h"
#include "disrupt/support/estate.h"

#include <math.h>

enum { POOLS = 3, NODES_MAX = 12 };

// What was put into a fleet, for judging a pass without the code that made it.
typedef struct {
    const char *names[NODES_MAX];
    uint32_t pool[NODES_MAX];
    bool blocked[NODES_MAX];    // by itself: deleting, nominated, in a command, annotated
    bool pods_block[NODES_MAX]; // a pod on it must not be disturbed, and nothing bounds its drain
    bool consuming[NODES_MAX];
    bool has_pods[NODES_MAX];
    uint32_t node_count, budget[POOLS], replicas[POOLS];
    bool is_static[POOLS];
} Known;

static const char *const pool_names[POOLS] = {"default", "other", "third"};
static const char *const type_names[] = {"small", "medium", "large", "huge", "gone"};

static const char *pick(Random *random, const char *const *words, uint32_t count) {
    return words[random_below(random, count)];
}

// --- a random fleet

static void add_pool(Estate *f, Random *random, Known *known, uint32_t at) {
    static const char *const policies[] = {"WhenEmpty", "WhenEmptyOrUnderutilized", "WhenEmptyOrUnderutilized",
                                           "Balanced"};
    static const char *const after[] = {"0s", "0s", "1h", "Never"};
    const char *replicas = "";

    known->budget[at] = random_below(random, 4);
    known->is_static[at] = at == 2 && random_chance(random, 50);
    if (known->is_static[at])
        replicas = "replicas: 20, ";
    world_pool(f->world, .name = pool_names[at],
               .requirements = random_chance(random, 50) ? IN(CAPACITY_TYPE, "on-demand") : NULL,
               .spec = arena_printf(&f->arena,
                                    "%sdisruption: {consolidateAfter: %s, consolidationPolicy: %s, budgets: [{nodes: "
                                    "\"%u\"}]}",
                                    replicas, pick(random, after, 4), pick(random, policies, 4), known->budget[at])
                           .ptr);
}

static void add_pods(Estate *f, Random *random, Known *known, uint32_t node, bool is_bounded) {
    uint32_t count = random_below(random, 4);

    for (uint32_t i = 0; i < count; i++) {
        bool protects = random_chance(random, 8), guarded = random_chance(random, 8);
        const char *cpu = arena_printf(&f->arena, "cpu: %um", 100 + random_below(random, 15) * 100).ptr;

        known->has_pods[node] = true;
        known->pods_block[node] |= (protects || guarded) && !is_bounded;
        world_pods(f->world, .name = arena_printf(&f->arena, "w-%u-%u", node, i).ptr, .requests = cpu,
                   .labels = guarded ? "app: guarded" : "app: w", .node = known->names[node],
                   .meta = protects ? "annotations: {karpenter.sh/do-not-disrupt: \"true\"}" : NULL,
                   .spec = random_chance(random, 15) ? SELECT(ZONE ": a") : NULL);
    }
}

static void add_node(Estate *f, Random *random, Known *known, bool *bounded) {
    static const char *const zones[] = {"a", "b", "c"};
    uint32_t at = known->node_count++;
    bool annotated = random_chance(random, 8), is_bounded = random_chance(random, 20);

    known->names[at] = arena_printf(&f->arena, "n%02u", at).ptr;
    known->pool[at] = random_below(random, POOLS);
    known->blocked[at] = annotated;
    bounded[at] = is_bounded;
    estate_node(f, .name = known->names[at], .type = type_names[random_below(random, 9) * 5 / 9],
                .pool = pool_names[known->pool[at]], .zone = pick(random, zones, 3),
                .capacity_type = random_chance(random, 40) ? "spot" : "on-demand",
                .claim_spec = is_bounded ? "terminationGracePeriod: 1h" : NULL);
    add_pods(f, random, known, at, false);
}

// What befalls nodes after they were read.
static void befall(Estate *f, Random *random, Known *known, uint32_t at) {
    uint32_t view = estate_at(f, known->names[at]);
    const char *name = known->names[at];
    uint32_t fate = random_below(random, 12);

    if (known->blocked[at])
        labels_set(&f->arena, &estate_object(f, name)->meta.annotations, NAME_DO_NOT_DISRUPT, NAME_TRUE);
    if (fate == 0) {
        f->facts.nodes.items[view].deleting = known->blocked[at] = known->consuming[at] = true;
    } else if (fate == 1) {
        f->bits[view] |= NODE_IN_COMMAND;
        known->blocked[at] = known->consuming[at] = true;
    } else if (fate == 2) {
        f->bits[view] |= NODE_NOMINATED;
        known->blocked[at] = true;
    } else if (fate == 3) {
        estate_object(f, name)->conditions.count = 0;
        known->consuming[at] = true;
    }
    if (random_chance(random, 20))
        estate_mark(f, name, "Drifted", 1 + random_below(random, 100));
    if (random_chance(random, 10))
        estate_unmark(f, name, "Consolidatable");
}

static void make(Estate *f, Random *random, Known *known, bool *bounded) {
    uint32_t count = 1 + random_below(random, NODES_MAX);

    for (uint32_t i = 0; i < POOLS; i++)
        add_pool(f, random, known, i);
    for (uint32_t i = 0; i < count; i++)
        add_node(f, random, known, bounded);
    if (random_chance(random, 30))
        world_pods(f->world, .name = "pending", .requests = "cpu: 1");
    world_object(f->world, "apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b, namespace: default}, "
                           "spec: {selector: {matchLabels: {app: guarded}}}, status: {disruptionsAllowed: 0}");
    estate_read(f);
    for (uint32_t i = 0; i < known->node_count; i++)
        befall(f, random, known, i);
    f->options.spot_to_spot = random_chance(random, 50);
    f->options.consolidation = random_chance(random, 50) ? CONSOLIDATION_CLASSIC : CONSOLIDATION_FLEET;
}

// --- what must hold

static uint32_t known_at(const Estate *f, const Known *known, uint32_t view) {
    Slice name = symbol_text(&f->facts.cluster->symbols, f->facts.nodes.items[view].name);

    for (uint32_t i = 0; i < known->node_count; i++) {
        if (slice_eq_text(name, known->names[i]))
            return i;
    }
    fail_msg("a node that is not there");
    return 0;
}

static void check_nodes(Estate *f, const Known *known, const bool *bounded, bool *is_gone) {
    for (vec_each(const DisruptCommand, command, &f->pass.commands)) {
        bool is_drift = command->method == METHOD_DRIFT || command->method == METHOD_STATIC_DRIFT;

        assert_true(command->nodes.count > 0);
        for (vec_each(const uint32_t, node, &command->nodes)) {
            uint32_t at = known_at(f, known, *node);

            assert_false(known->blocked[at]);
            assert_false(known->pods_block[at] && !(is_drift && bounded[at]));
            assert_false(is_gone[at]); // nothing goes twice
            assert_true(known->is_static[known->pool[at]] == (command->method == METHOD_STATIC_DRIFT));
            assert_false(command->method == METHOD_EMPTINESS && known->has_pods[at]);
            is_gone[at] = true;
        }
    }
}

static void check_destinations(const Estate *f) {
    for (vec_each(const DisruptCommand, command, &f->pass.commands)) {
        for (vec_each(const uint32_t, node, &command->destinations)) {
            assert_false(f->facts.nodes.items[*node].deleting);
            assert_false(f->bits[*node] & NODE_IN_COMMAND);
            assert_false(u32_vec_has(&command->nodes, *node));
        }
    }
}

static void check_budgets(const Known *known, const bool *is_gone) {
    for (uint32_t pool = 0; pool < POOLS; pool++) {
        uint32_t chosen = 0, consuming = 0;

        for (uint32_t i = 0; i < known->node_count; i++) {
            chosen += known->pool[i] == pool && is_gone[i];
            consuming += known->pool[i] == pool && known->consuming[i];
        }
        assert_true(!chosen || chosen + consuming <= known->budget[pool]);
    }
}

// Whatever is launched of a replacement costs less than what goes.
static void check_prices(Estate *f) {
    for (vec_each(const DisruptCommand, command, &f->pass.commands)) {
        if (command->method != METHOD_CONSOLIDATION)
            continue;
        assert_true(f->options.consolidation == CONSOLIDATION_FLEET || command->replacements.count <= 1);
        for (vec_each(const PlannedClaim, claim, &command->replacements)) {
            assert_true(command->saving_per_hour > 0);
            for (vec_each(const InstanceType *, type, &claim->types))
                assert_true(replacement_worst(&f->facts.cluster->symbols, claim, *type) < command->price_per_hour);
        }
    }
}

// Each command is found again at once, those before it under way.
static void check_proofs(Estate *f) {
    for (vec_each(const DisruptCommand, command, &f->pass.commands)) {
        DisruptCommand proven;

        if (command->method == METHOD_CONSOLIDATION && f->options.consolidation == CONSOLIDATION_FLEET)
            continue; // its proof is a plan of another search
        assert_string_equal(estate_prove(f, command, &proven), "");
        assert_string_equal(estate_command_text(f, &proven), estate_command_text(f, command));
        for (vec_each(const uint32_t, node, &command->nodes))
            f->bits[*node] |= NODE_IN_COMMAND;
    }
}

static uint64_t seed;
static uint32_t found[DISRUPT_METHOD_COUNT], replacements; // by all passes

static void count_commands(const Estate *f) {
    for (vec_each(const DisruptCommand, command, &f->pass.commands)) {
        found[command->method]++;
        replacements += command->method == METHOD_CONSOLIDATION && command->replacements.count;
    }
}

static void try_fleet(void) {
    Estate *f = estate_setup();
    bool bounded[NODES_MAX] = {0}, is_gone[NODES_MAX] = {0};
    Known known = {0};
    Random random;
    const char *text;

    random_seed(&random, seed);
    make(f, &random, &known, bounded);
    text = estate_pass(f);
    check_nodes(f, &known, bounded, is_gone);
    check_destinations(f);
    check_budgets(&known, is_gone);
    check_prices(f);
    check_proofs(f);
    count_commands(f);
    for (uint32_t i = 0; i < f->facts.nodes.count; i++)
        f->bits[i] &= is_gone[known_at(f, &known, i)] ? (uint8_t)~NODE_IN_COMMAND : UINT8_MAX;
    assert_string_equal(estate_pass(f), text); // the same again
    estate_teardown(f);
}

static void tell_seed(void) {
    if (seed)
        print_message("seed %llu\n", (unsigned long long)seed);
}
AFTER_EACH(tell_seed);

TEST(whatever_is_found_keeps_the_promises) {
    uint32_t count = test_random_cases(400);

    for (seed = 1; seed <= count; seed++)
        try_fleet();
    seed = 0;
    if (count < 400)
        return;
    // It is worth something only if passes find something.
    assert_true(found[METHOD_EMPTINESS] && found[METHOD_STATIC_DRIFT] && found[METHOD_DRIFT]);
    assert_true(found[METHOD_CONSOLIDATION] > replacements && replacements);
}
