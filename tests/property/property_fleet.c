// property_fleet: consolidates seeded random fleets and has the checker judge what the commands leave behind.
//
// Every node whose claim is not deleting may go, within budgets. The commands of a pass are carried out: their nodes
// are deleting, and where their pods go is the plan that the checker judges, for all commands together and for each
// alone. Besides, no command may have a node that is no candidate or that another one has, budgets must hold, and what
// comes must cost less than what goes, whatever is launched.
//
// --cases N (default 1000)  --seed S: cases S, S+1, …  --one SEED: only that one, with its commands  --heavy:
// constraints that bind (generator/generate.h)
#include "cli/report.h"
#include "disrupt/fleet.h"
#include "disrupt/replacement.h"
#include "fleet_case.h"
#include "planning.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint64_t seed, cases;
    bool heavy;
} Settings;

typedef struct {
    uint64_t cases, failed, with_commands, commands, dropped, nodes, claims, moved;
} Totals;

typedef struct {
    const Settings *settings;
    Totals *totals;
    uint64_t seed;
    FleetCase of;
    FleetQuestion question;
    FleetResult result;
    Vec(PlannedClaimVec) replacements; // per part
    bool failed;
} Trial;

__attribute__((format(printf, 2, 3))) static void fail(Trial *trial, const char *format, ...) {
    va_list args;

    va_start(args, format);
    printf("case %llu fails (property_fleet --one %llu%s): ", (unsigned long long)trial->seed,
           (unsigned long long)trial->seed, trial->settings->heavy ? " --heavy" : "");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    trial->failed = true;
}

// --- what must hold of the commands

static void check_budgets(Trial *trial) {
    const FleetInput *input = &trial->question.input;
    uint32_t *gone = arena_array(&trial->of.arena, uint32_t, input->budgets.count);
    bool *is_gone = arena_array(&trial->of.arena, bool, input->sources.count);

    for (vec_each(const FleetPart, part, &trial->result.parts)) {
        for (vec_each(const uint32_t, source, &part->sources)) {
            if (is_gone[*source])
                fail(trial, "a node is in two commands");
            is_gone[*source] = true;
            if (++gone[input->sources.items[*source].budget] >
                input->budgets.items[input->sources.items[*source].budget])
                fail(trial, "more nodes than the budget");
        }
    }
}

static double worst_price(Trial *trial, const PlannedClaim *claim) {
    double worst = 0;

    for (vec_each(const InstanceType *, type, &claim->types)) {
        double price = replacement_worst(&trial->of.loaded.cluster.symbols, claim, *type);

        worst = price > worst ? price : worst;
    }
    return worst;
}

static void check_price(Trial *trial, const FleetPart *part, const PlannedClaimVec *claims) {
    double expected = 0, worst = 0;

    for (vec_each(const PlannedClaim, claim, claims)) {
        expected += claim->offering->price_per_hour;
        worst += worst_price(trial, claim);
    }
    if (!(expected < part->price_per_hour))
        fail(trial, "replacements cost %f, the nodes %f", expected, part->price_per_hour);
    if (!(worst < part->price_per_hour + 1e-9))
        fail(trial, "replacements may cost %f, the nodes %f", worst, part->price_per_hour);
}

// Parts without replacements become no command.
static void make_replacements(Trial *trial) {
    uint32_t kept = 0;

    for (vec_each(const FleetPart, part, &trial->result.parts)) {
        PlannedClaimVec claims;

        if (!fleet_part_replacements(&trial->of.arena, &trial->question, part, &claims)) {
            trial->totals->dropped++;
            continue;
        }
        for (uint32_t i = 0; i < claims.count; i++)
            claims.items[i].pods = part->claims.items[i].pods;
        check_price(trial, part, &claims);
        vec_push(&trial->of.arena, &trial->replacements, claims);
        trial->result.parts.items[kept++] = *part;
    }
    trial->result.parts.count = kept;
}

// --- carrying out

// The pods of nodes that go and those that wait, as the input of a plan.
typedef struct {
    PlanInput input;
    uint32_t *numbers; // per pending pod of the question: its index there; INDEX_NONE: it stays
    Plan plan;
    bool *goes; // per source
} Outcome;

// Whether the pod, which waits, has a place.
static bool is_expected(const Trial *trial, uint32_t pod) {
    for (vec_each(const FleetDelivery, delivery, &trial->result.waiting)) {
        if (u32_vec_has(&delivery->pods, pod))
            return true;
    }
    return false;
}

static void choose_pods(Trial *trial, Outcome *outcome) {
    const FleetInput *input = &trial->question.input;

    outcome->input = input->plan;
    outcome->input.pending = (PendingPodVec){0};
    outcome->numbers = arena_array(&trial->of.arena, uint32_t, input->plan.pending.count);
    for (uint32_t i = 0; i < input->plan.pending.count; i++) {
        outcome->numbers[i] = INDEX_NONE;
        if (input->homes[i] != INDEX_NONE && !outcome->goes[input->homes[i]])
            continue;
        outcome->numbers[i] = outcome->input.pending.count;
        vec_push(&trial->of.arena, &outcome->input.pending, input->plan.pending.items[i]);
        if (input->homes[i] == INDEX_NONE && !is_expected(trial, i))
            vec_push(&trial->of.arena, &outcome->plan.unplaced,
                     (UnplacedPod){.pod = outcome->numbers[i], .message = SLICE("waits")});
    }
}

static U32Vec renumber(Trial *trial, const Outcome *outcome, const U32Vec *pods) {
    U32Vec numbers = {0};

    for (vec_each(const uint32_t, pod, pods)) {
        if (outcome->numbers[*pod] == INDEX_NONE)
            fail(trial, "a command moves a pod of a node that stays");
        else
            vec_push(&trial->of.arena, &numbers, outcome->numbers[*pod]);
    }
    return numbers;
}

static void add_delivery(Trial *trial, Outcome *outcome, const FleetDelivery *delivery) {
    const NodeView *node = &trial->question.input.plan.nodes.items[delivery->node];
    U32Vec pods = renumber(trial, outcome, &delivery->pods);

    for (vec_each(PlannedNode, known, &outcome->plan.nodes)) {
        if (known->node != node)
            continue;
        for (vec_each(const uint32_t, pod, &pods))
            vec_push(&trial->of.arena, &known->pods, *pod);
        return;
    }
    vec_push(&trial->of.arena, &outcome->plan.nodes, (PlannedNode){node, pods});
}

static void add_part(Trial *trial, Outcome *outcome, uint32_t number) {
    for (vec_each(const PlannedClaim, claim, &trial->replacements.items[number])) {
        vec_push(&trial->of.arena, &outcome->plan.claims, *claim);
        vec_last(&outcome->plan.claims)->pods = renumber(trial, outcome, &claim->pods);
        outcome->plan.price_per_hour += claim->offering->price_per_hour;
    }
    for (vec_each(const FleetDelivery, delivery, &trial->result.parts.items[number].deliveries))
        add_delivery(trial, outcome, delivery);
}

// --- what the checker reads

static Value *member(Value *map, Slice key) {
    for (uint32_t i = 0; map && map->kind == VALUE_MAP && i < map->map.count; i++) {
        if (slice_eq(map->map.items[i].key, key))
            return &map->map.items[i].value;
    }
    return NULL;
}

// Marks the NodeClaims of the nodes as deleting.
static void mark_deleting(Trial *trial, const Outcome *outcome, Value *manifests) {
    Value *items = member(manifests, SLICE("items"));
    const Symbols *symbols = &trial->of.loaded.cluster.symbols;

    for (uint32_t i = 0; i < trial->question.input.sources.count; i++) {
        const NodeView *view = &trial->of.facts.nodes.items[trial->question.input.sources.items[i].node];

        for (uint32_t k = 0; k < items->list.count && outcome->goes[i]; k++) {
            Value *metadata = member(&items->list.items[k], SLICE("metadata"));
            const Value *kind = value_get(&items->list.items[k], SLICE("kind"));
            const Value *name = value_get(metadata, SLICE("name"));

            if (slice_eq_text(kind->text, "NodeClaim") &&
                slice_eq(name->text, symbol_text(symbols, view->claim->meta.name)))
                vec_push(&trial->of.arena, &metadata->map,
                         (ValueMember){SLICE("deletionTimestamp"),
                                       0,
                                       {.kind = VALUE_STRING, .text = SLICE("2026-01-01T01:00:00Z")}});
        }
    }
}

// Pods that wait may stay without a place, a replacement is cheaper in money, not by the weights of pools, and one that
// may become fewer types than were planned requests what is least among all of them. Where pods that wait are expected
// is a forecast: the provisioner plans them again.
static bool is_about_commands(const Trial *trial, const Violation *violation) {
    const Symbols *symbols = &trial->of.loaded.cluster.symbols;
    const FleetInput *input = &trial->question.input;

    for (uint32_t i = 0; i < input->plan.pending.count; i++) {
        const Pod *pod = input->plan.pending.items[i].pod;
        ptrdiff_t slash = slice_find(violation->pod, '/');

        if (input->homes[i] == INDEX_NONE && slash >= 0 &&
            slice_eq(symbol_text(symbols, pod->ns), slice_first(violation->pod, (size_t)slash)) &&
            slice_eq(symbol_text(symbols, pod->name), slice_from(violation->pod, (size_t)slash + 1)))
            return false;
    }
    return !slice_eq_text(violation->kind, "missed") && !slice_eq_text(violation->kind, "weight") &&
           !slice_eq_text(violation->kind, "requests");
}

static void judge(Trial *trial, Outcome *outcome, const char *what) {
    PlanOptions options = {.format = OUTPUT_JSON};
    Report report = {.arena = &trial->of.arena,
                     .options = &options,
                     .input = &outcome->input,
                     .plan = &outcome->plan,
                     .pod_count = outcome->input.pending.count};
    DocumentVec documents = {0};
    ViolationVec violations = {0};
    Value manifests, catalog, plan;
    Buffer text = {0};
    Err err;

    report_json(&report, &text);
    if (!case_parse_json(&trial->of.arena, arena_slice(&trial->of.arena, buffer_slice(&text)), &plan) ||
        !case_parse_json(&trial->of.arena, buffer_slice(&trial->of.generated.manifests), &manifests) ||
        !case_parse_json(&trial->of.arena, buffer_slice(&trial->of.generated.catalog), &catalog)) {
        fail(trial, "no JSON");
    } else {
        mark_deleting(trial, outcome, &manifests);
        vec_push(&trial->of.arena, &documents, (Document){SLICE("manifests.json"), manifests});
        if (check_plan(&trial->of.arena, &documents, &catalog, &plan, &trial->of.check, &violations, &err) != OK)
            fail(trial, "unreadable: %s", err.text);
        for (vec_each(const Violation, violation, &violations)) {
            if (is_about_commands(trial, violation))
                fail(trial, "%s: %.*s: %.*s: %.*s", what, SLICE_ARG(violation->kind), SLICE_ARG(violation->pod),
                     SLICE_ARG(violation->text));
        }
    }
    buffer_free(&text);
}

// Carries out the parts from `first` on, `count` of them.
static void try_parts(Trial *trial, uint32_t first, uint32_t count, const char *what) {
    Outcome outcome = {.goes = arena_array(&trial->of.arena, bool, trial->question.input.sources.count + 1)};

    for (uint32_t i = first; i < first + count; i++) {
        for (vec_each(const uint32_t, source, &trial->result.parts.items[i].sources))
            outcome.goes[*source] = true;
    }
    choose_pods(trial, &outcome);
    for (uint32_t i = first; i < first + count; i++)
        add_part(trial, &outcome, i);
    for (vec_each(const FleetDelivery, delivery, &trial->result.waiting))
        add_delivery(trial, &outcome, delivery);
    judge(trial, &outcome, what);
}

// --- the run

static void print_pods(const Trial *trial, const U32Vec *pods) {
    const Symbols *symbols = &trial->of.loaded.cluster.symbols;

    for (vec_each(const uint32_t, pod, pods)) {
        const Pod *of = trial->question.input.plan.pending.items[*pod].pod;

        printf(" %.*s/%.*s(%.*s)", SLICE_ARG(symbol_text(symbols, of->ns)), SLICE_ARG(symbol_text(symbols, of->name)),
               SLICE_ARG(symbol_text(symbols, of->node_name)));
    }
    printf("\n");
}

static void print_part(const Trial *trial, const FleetPart *part) {
    const Symbols *symbols = &trial->of.loaded.cluster.symbols;
    const FleetInput *input = &trial->question.input;

    printf("command:");
    for (vec_each(const uint32_t, source, &part->sources))
        printf(" %.*s",
               SLICE_ARG(symbol_text(symbols, input->plan.nodes.items[input->sources.items[*source].node].name)));
    printf("\n");
    for (vec_each(const PlannedClaim, claim, &part->claims)) {
        printf("  new %.*s of %.*s:", SLICE_ARG(symbol_text(symbols, claim->choice->name)), SLICE_ARG(claim->name));
        print_pods(trial, &claim->pods);
    }
    for (vec_each(const FleetDelivery, delivery, &part->deliveries)) {
        printf("  %.*s:", SLICE_ARG(symbol_text(symbols, input->plan.nodes.items[delivery->node].name)));
        print_pods(trial, &delivery->pods);
    }
}

static void count_parts(Trial *trial) {
    Totals *totals = trial->totals;

    totals->with_commands += trial->result.parts.count > 0;
    totals->commands += trial->result.parts.count;
    for (uint32_t i = 0; i < trial->result.parts.count; i++) {
        const FleetPart *part = &trial->result.parts.items[i];

        totals->nodes += part->sources.count;
        totals->claims += part->claims.count;
        for (vec_each(const FleetDelivery, delivery, &part->deliveries))
            totals->moved += delivery->pods.count;
        for (vec_each(const PlannedClaim, claim, &part->claims))
            totals->moved += claim->pods.count;
    }
}

static void consolidate(Trial *trial) {
    CandidateList candidates;
    DisruptPass unused;
    Round round;

    round_open(&round, &trial->of.arena, &trial->of.facts, &trial->of.options, &unused);
    candidates = round_candidates(&round, METHOD_CONSOLIDATION);
    fleet_ask(&round, &candidates, &trial->question);
    fleet_search(&trial->of.arena, &trial->question.input, &trial->result);
    make_replacements(trial);
    check_budgets(trial);
    count_parts(trial);
    for (uint32_t i = 0; i < trial->result.parts.count && trial->settings->cases == 1; i++)
        print_part(trial, &trial->result.parts.items[i]);
    if (trial->result.parts.count)
        try_parts(trial, 0, trial->result.parts.count, "all");
    for (uint32_t i = 0; i < trial->result.parts.count && trial->result.parts.count > 1; i++)
        try_parts(trial, i, 1, "alone");
    round_close(&round);
}

static void run_case(const Settings *settings, uint64_t seed, Totals *totals) {
    Trial trial = {.settings = settings, .totals = totals, .seed = seed};
    Err err;

    if (fleet_case_make(&trial.of, seed, settings->heavy, seed % 3 ? 100 : 50, &err) == OK)
        consolidate(&trial);
    else
        fail(&trial, "%s", err.text);
    totals->cases++;
    totals->failed += trial.failed;
    fleet_case_free(&trial.of);
}

static bool read_settings(int argc, char **argv, Settings *settings) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--heavy") == 0) {
            settings->heavy = true;
        } else if (i + 1 == argc) {
            return false;
        } else if (strcmp(argv[i], "--cases") == 0) {
            settings->cases = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--seed") == 0) {
            settings->seed = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--one") == 0) {
            settings->seed = strtoull(argv[++i], NULL, 10);
            settings->cases = 1;
        } else {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv) {
    Settings settings = {.seed = 1, .cases = 1000};
    Totals totals = {0};

    if (!read_settings(argc, argv, &settings)) {
        fprintf(stderr, "usage: property_fleet [--cases N] [--seed S] [--one SEED] [--heavy]\n");
        return 2;
    }
    for (uint64_t i = 0; i < settings.cases && totals.failed < 10; i++)
        run_case(&settings, settings.seed + i, &totals);
    printf("%llu cases, %llu with commands: %llu commands (%llu dropped), %llu nodes out, %llu in, %llu pods moved; "
           "%llu failed\n",
           (unsigned long long)totals.cases, (unsigned long long)totals.with_commands,
           (unsigned long long)totals.commands, (unsigned long long)totals.dropped, (unsigned long long)totals.nodes,
           (unsigned long long)totals.claims, (unsigned long long)totals.moved, (unsigned long long)totals.failed);
    return totals.failed ? 1 : 0;
}
