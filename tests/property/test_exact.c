// The exact yardstick against exhaustive search: for inputs of up to five pods, each pod is tried on each node, beside
// each other pod and on a new claim of each pool, type and offering, and each complete plan is judged by the checker.
//
// `test_exact -- NUMBER`: completes so many cases. Not covered here, only compared with the planner's plans
// (property_exact): labels that a pool leaves open, minValues, and spreads over hosts (where the yardstick is stricter
// than the checker on purpose).
#include "checker/place.h"
#include "checker/read.h"
#include "exact/exact.h"
#include "generator/generate.h"
#include "harness/test.h"
#include "text/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PODS_MAX = 5, STEPS_MAX = 300000, LEAVES_MAX = 1500, CASES_WANTED = 15, SEED = 1, SEEDS = 4000 };

// A new claim of one offering.
typedef struct {
    const Pool *pool;
    const Value *requirements; // of the pool, as written
    const Type *type;
    const Offering *offering;
} Form;

typedef struct {
    Arena arena;
    GeneratedCase generated;
    Value manifests, catalog;
    DocumentVec documents;
    CheckOptions options;
    World world;
    Scene scene;
    ExactAnswer answer;
    U32Vec pods;
    Vec(Form) forms;
    // The plan so far: where each pod is (a node, or nodes.count + claim), and the form of each claim.
    uint32_t place[PODS_MAX], form[PODS_MAX], claims;
    double price, limit; // plans below the limit are tried
    uint32_t steps, leaves;
    bool is_full;  // the search was exhaustive
    bool is_found; // a valid plan: the search ends
} Trial;

// ---- a complete plan for the checker

static void print_name(Trial *trial, Buffer *text, Symbol name) {
    json_print_string(text, judge_text(&trial->world, name));
}

static void print_pods(Trial *trial, Buffer *text, uint32_t place) {
    const char *comma = "";

    buffer_append(text, SLICE("\"pods\":["));
    for (uint32_t i = 0; i < trial->pods.count; i++) {
        if (trial->place[i] != place)
            continue;
        buffer_append(text, slice_of(comma));
        print_name(trial, text, trial->world.pods.items[trial->pods.items[i]].name);
        comma = ",";
    }
    buffer_append(text, SLICE("]"));
}

static void print_pin(Trial *trial, Buffer *text, const char *key, Symbol value) {
    buffer_printf(text, "{\"key\":\"%s\",\"operator\":\"In\",\"values\":[", key);
    print_name(trial, text, value);
    buffer_append(text, SLICE("]},"));
}

static Amounts requests_at(const Trial *trial, uint32_t place) {
    Amounts sum = {0};

    for (uint32_t i = 0; i < trial->pods.count; i++) {
        if (trial->place[i] == place)
            judge_amounts_add(&sum,
                              &judge_class(&trial->world, &trial->world.pods.items[trial->pods.items[i]])->requests);
    }
    return sum;
}

static void print_requests(Trial *trial, Buffer *text, uint32_t place, const Form *form) {
    Amounts requests = requests_at(trial, place), daemons = judge_type_daemons(&trial->scene, form->pool, form->type);
    const char *comma = "";

    judge_amounts_add(&requests, &daemons);
    buffer_append(text, SLICE("\"requests\":{"));
    for (uint32_t i = 0; i < trial->world.resources.count; i++) {
        if (requests.of[i] == 0)
            continue;
        buffer_append(text, slice_of(comma));
        print_name(trial, text, trial->world.resources.items[i]);
        buffer_printf(text, ":\"%lld%s\"", (long long)requests.of[i], i == RESOURCE_CPU ? "m" : "");
        comma = ",";
    }
    buffer_append(text, SLICE("},"));
}

static void print_claim(Trial *trial, Buffer *text, uint32_t claim) {
    const Form *form = &trial->forms.items[trial->form[claim]];

    buffer_printf(text, "%s{\"name\":\"claim-%u\",\"nodePool\":", claim ? "," : "", claim);
    print_name(trial, text, form->pool->name);
    buffer_append(text, SLICE(",\"instanceTypes\":["));
    print_name(trial, text, form->type->name);
    buffer_append(text, SLICE("],\"requirements\":["));
    print_pin(trial, text, "topology.kubernetes.io/zone", form->offering->zone);
    print_pin(trial, text, "karpenter.sh/capacity-type", form->offering->capacity_type);
    if (form->offering->reservation_capacity >= 0)
        print_pin(trial, text, "karpenter.k8s.aws/capacity-reservation-id", form->offering->reservation);
    for (uint32_t i = 0; form->requirements && i < form->requirements->list.count; i++) {
        json_print(text, &form->requirements->list.items[i], false);
        buffer_append_char(text, ',');
    }
    buffer_append(text, SLICE("{\"key\":\"kubernetes.io/os\",\"operator\":\"In\",\"values\":[\"linux\"]}],"));
    print_requests(trial, text, trial->world.nodes.count + claim, form);
    buffer_append(text, SLICE("\"choice\":{\"instanceType\":"));
    print_name(trial, text, form->type->name);
    buffer_append(text, SLICE(",\"zone\":"));
    print_name(trial, text, form->offering->zone);
    buffer_append(text, SLICE(",\"capacityType\":"));
    print_name(trial, text, form->offering->capacity_type);
    buffer_printf(text, ",\"pricePerHour\":%.17g},", form->offering->price_per_hour);
    print_pods(trial, text, trial->world.nodes.count + claim);
    buffer_append(text, SLICE("}"));
}

// Prints the pods that are not placed because they are not among the pods to place.
static void print_unplaced(Trial *trial, Buffer *text) {
    const char *comma = "";

    for (vec_each(Pod, pod, &trial->world.pods)) {
        if ((!pod->is_pending && !pod->is_moved) ||
            judge_symbols_contain(&trial->pods, (uint32_t)(pod - trial->world.pods.items)))
            continue;
        buffer_printf(text, "%s{\"pod\":", comma);
        print_name(trial, text, pod->name);
        buffer_append_char(text, '}');
        comma = ",";
    }
}

static bool is_used(const Trial *trial, uint32_t place) {
    for (uint32_t i = 0; i < trial->pods.count; i++) {
        if (trial->place[i] == place)
            return true;
    }
    return false;
}

static void print_plan(Trial *trial, Buffer *text) {
    const char *comma = "";

    buffer_append(text, SLICE("{\"nodeClaims\":["));
    for (uint32_t i = 0; i < trial->claims; i++)
        print_claim(trial, text, i);
    buffer_append(text, SLICE("],\"existingNodes\":["));
    for (uint32_t i = 0; i < trial->world.nodes.count; i++) {
        if (!is_used(trial, i))
            continue;
        buffer_printf(text, "%s{\"name\":", comma);
        comma = ",";
        print_name(trial, text, trial->world.nodes.items[i].name);
        buffer_append_char(text, ',');
        print_pods(trial, text, i);
        buffer_append(text, SLICE("}"));
    }
    buffer_append(text, SLICE("],\"unschedulable\":["));
    print_unplaced(trial, text);
    buffer_printf(text, "],\"price\":{\"perHour\":%.17g}}", trial->price);
}

static bool parse(Arena *arena, Slice text, Value *ret_value) {
    ParseOptions options = {0};
    WarningVec warnings = {0};
    DocumentVec documents = {0};
    Err err;

    if (json_parse(arena, SLICE("text"), text, &options, &documents, &warnings, &err) != OK || documents.count != 1)
        return false;
    *ret_value = documents.items[0].root;
    return true;
}

static bool is_valid(Trial *trial, Slice text) {
    Arena arena = {0};
    ViolationVec violations = {0};
    Value plan;
    Err err;
    bool valid;

    assert_true(parse(&arena, text, &plan));
    valid = check_plan(&arena, &trial->documents, &trial->catalog, &plan, &trial->options, &violations, &err) == OK &&
            violations.count == 0;
    arena_free(&arena);
    return valid;
}

// ---- exhaustive search below a limit

static void judge_leaf(Trial *trial) {
    Buffer text = {0};

    if (++trial->leaves > LEAVES_MAX) {
        trial->is_full = false;
        return;
    }
    print_plan(trial, &text);
    trial->is_found = is_valid(trial, buffer_slice(&text));
    buffer_free(&text);
}

static bool has_room(const Trial *trial, uint32_t place) {
    uint32_t nodes = trial->world.nodes.count;
    Amounts requests = requests_at(trial, place);
    const Amounts *room = place < nodes ? &trial->world.nodes.items[place].allocatable
                                        : &trial->forms.items[trial->form[place - nodes]].offering->allocatable;

    return judge_resource_short(&requests, room) == RESOURCE_MAX;
}

static void try_pod(Trial *trial, uint32_t index);

static void try_place(Trial *trial, uint32_t index, uint32_t place) {
    trial->place[index] = place;
    if (has_room(trial, place))
        try_pod(trial, index + 1);
    trial->place[index] = INDEX_NONE;
}

static void try_pod(Trial *trial, uint32_t index) {
    uint32_t nodes = trial->world.nodes.count;

    if (!trial->is_full || trial->is_found || trial->price >= trial->limit)
        return;
    if (index == trial->pods.count)
        return judge_leaf(trial);
    if (++trial->steps > STEPS_MAX)
        trial->is_full = false;
    for (uint32_t place = 0; place < nodes + trial->claims; place++) {
        if (place >= nodes || !trial->world.nodes.items[place].is_unlaunched)
            try_place(trial, index, place);
    }
    for (uint32_t i = 0; i < trial->forms.count; i++) {
        double before = trial->price;

        trial->form[trial->claims++] = i;
        trial->price += trial->forms.items[i].offering->price_per_hour;
        try_place(trial, index, nodes + trial->claims - 1);
        trial->price = before;
        trial->claims--;
    }
}

// ---- a case

static const Value *pool_requirements(const Value *manifests, Slice name) {
    const Value *items = value_get_text(manifests, "items");

    for (uint32_t i = 0; i < items->list.count; i++) {
        const Value *item = &items->list.items[i];

        if (slice_eq_text(value_get_text(item, "kind")->text, "NodePool") &&
            slice_eq(value_at(item, "metadata", "name", NULL)->text, name))
            return value_at(item, "spec", "template", "spec", "requirements", NULL);
    }
    return NULL;
}

static bool has_open_labels(Trial *trial, const Pool *pool) {
    for (vec_each(const Expression, expression, &pool->requirements)) {
        if (slice_starts_with(judge_text(&trial->world, expression->key), SLICE("example.com/")) ||
            (expression->min_values > 0 && !trial->options.best_effort_min_values))
            return true;
    }
    return false;
}

// False: the case has a feature that the search does not cover.
static bool make_forms(Trial *trial) {
    World *world = &trial->world;

    for (vec_each(const Pool, pool, &world->pools)) {
        if (pool->is_static || !pool->is_ready)
            continue;
        if (has_open_labels(trial, pool))
            return false;
        for (vec_each(const Type, type, &world->types)) {
            for (vec_each(const Offering, offering, &type->offerings)) {
                if (judge_offering_is_launchable(world, &pool->states, offering))
                    vec_push(&trial->arena, &trial->forms,
                             (Form){pool, pool_requirements(&trial->manifests, judge_text(world, pool->name)), type,
                                    offering});
            }
        }
    }
    return true;
}

static bool read_case(Trial *trial, uint64_t seed) {
    Value options;
    Err err;

    generate_case(seed, GENERATE_SMALL, false, &trial->generated);
    assert_true(parse(&trial->arena, buffer_slice(&trial->generated.manifests), &trial->manifests));
    assert_true(parse(&trial->arena, buffer_slice(&trial->generated.catalog), &trial->catalog));
    assert_true(parse(&trial->arena, buffer_slice(&trial->generated.options), &options));
    trial->options = check_options_read(&options);
    vec_push(&trial->arena, &trial->documents, (Document){SLICE("manifests.json"), trial->manifests});
    trial->world = (World){.arena = &trial->arena, .best_effort_min_values = trial->options.best_effort_min_values};
    symbols_init(&trial->world.symbols);
    assert_int_equal(judge_read_case(&trial->world, &trial->documents, &trial->catalog, &err), OK);
    judge_scene_make(&trial->world, &trial->scene);
    for (vec_each(Pod, pod, &trial->world.pods)) {
        if ((pod->is_moved && !judge_class(&trial->world, pod)->has_resource_claims) ||
            (pod->is_pending && pod->ignored == IGNORED_NO))
            vec_push(&trial->arena, &trial->pods, (uint32_t)(pod - trial->world.pods.items));
    }
    return trial->pods.count > 0 && trial->pods.count <= PODS_MAX && make_forms(trial);
}

static bool solve(Trial *trial) {
    ExactQuestion question = {.manifests = &trial->documents,
                              .catalog = &trial->catalog,
                              .options = trial->options,
                              .plans = EXACT_ALL_VALID,
                              .price_cap = INFINITY,
                              .unplaced_most = UINT32_MAX,
                              .seconds = 10};
    Err err;

    assert_int_equal(exact_solve(&trial->arena, &question, &trial->answer, &err), OK);
    return trial->answer.status == EXACT_OPTIMUM && trial->answer.unplaced == 0 &&
           !(trial->answer.kinds >> EXACT_HOST_SPREAD & 1);
}

static bool finds_below(Trial *trial, double limit) {
    trial->limit = limit;
    trial->is_full = true;
    trial->is_found = false;
    trial->steps = trial->leaves = 0;
    try_pod(trial, 0);
    return trial->is_found;
}

// Asserts that no valid plan is below the optimum and one is at it. Returns whether the search was complete.
static bool try_case(uint64_t seed) {
    Trial trial = {.place = {INDEX_NONE, INDEX_NONE, INDEX_NONE, INDEX_NONE, INDEX_NONE}};
    bool tried = read_case(&trial, seed) && solve(&trial);

    if (tried) {
        assert_int_equal(trial.answer.pods, trial.pods.count);
        assert_true(is_valid(&trial, trial.answer.plan));
        if (finds_below(&trial, trial.answer.price_per_hour - 1e-7))
            fail_msg("case %llu: a valid plan is cheaper than $%.6f", (unsigned long long)seed,
                     trial.answer.price_per_hour);
        tried = trial.is_full && (finds_below(&trial, trial.answer.price_per_hour + 1e-7) || trial.is_full);
        if (tried && !trial.is_found)
            fail_msg("case %llu: no valid plan costs as little as $%.6f", (unsigned long long)seed,
                     trial.answer.price_per_hour);
    }
    generated_case_free(&trial.generated);
    symbols_free(&trial.world.symbols);
    arena_free(&trial.arena);
    return tried;
}

TEST(nothing_valid_is_cheaper_than_the_optimum) {
    uint32_t tried = 0, wanted = *test_arguments ? (uint32_t)atoi(*test_arguments) : CASES_WANTED;
    uint64_t seed = SEED;

    while (tried < wanted && seed < SEED + SEEDS)
        tried += try_case(seed++);
    print_message("%u cases tried to the end, of %u\n", tried, (unsigned)(seed - SEED));
    assert_int_equal(tried, wanted);
}

// ---- promised plans

#define CONDITION(name) "{\"type\": \"" name "\", \"status\": \"True\"}"
#define POOL                                                                                                           \
    "{\"apiVersion\": \"karpenter.sh/v1\", \"kind\": \"NodePool\", \"metadata\": {\"name\": \"default\"}, \"spec\": "  \
    "{\"template\": {\"spec\": {\"nodeClassRef\": {\"group\": \"karpenter.kwok.sh\", \"kind\": \"KWOKNodeClass\", "    \
    "\"name\": \"default\"}, \"requirements\": []}}}, \"status\": {\"conditions\": [" CONDITION(                       \
        "ValidationSucceeded") ", " CONDITION("NodeClassReady") ", " CONDITION("Ready") "]}}"
#define OFFERING(zone)                                                                                                 \
    "{\"Price\": 0.5, \"Requirements\": [{\"key\": \"karpenter.sh/capacity-type\", \"operator\": \"In\", \"values\": " \
    "[\"spot\"]}, {\"key\": \"topology.kubernetes.io/zone\", \"operator\": \"In\", \"values\": [\"" zone "\"]}]}"
#define SELF                                                                                                           \
    "\"topologyKey\": \"topology.kubernetes.io/zone\", \"labelSelector\": {\"matchLabels\": {\"app\": \"web\"}}"

// A pod that has to be in one zone with the others, and whose spread allows two in a zone beside an empty one.
static void print_pod(Buffer *text, int number) {
    buffer_printf(text,
                  ", {\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"web-%d\", \"namespace\": "
                  "\"default\", \"uid\": \"%d\", \"labels\": {\"app\": \"web\"}}, \"spec\": {\"containers\": "
                  "[{\"name\": \"main\", "
                  "\"resources\": {\"requests\": {\"cpu\": \"1\"}}}], \"affinity\": {\"podAffinity\": "
                  "{\"requiredDuringSchedulingIgnoredDuringExecution\": [{" SELF "}]}}, "
                  "\"topologySpreadConstraints\": [{\"maxSkew\": 2, \"whenUnsatisfiable\": \"DoNotSchedule\", " SELF
                  "}]}, \"status\": {\"phase\": \"Pending\", \"conditions\": [{\"type\": \"PodScheduled\", \"status\": "
                  "\"False\", \"reason\": \"Unschedulable\"}]}}",
                  number, number);
}

static ExactAnswer solve_web(Trial *trial, ExactPlans plans) {
    ExactQuestion question = {.manifests = &trial->documents,
                              .catalog = &trial->catalog,
                              .plans = plans,
                              .price_cap = INFINITY,
                              .unplaced_most = UINT32_MAX,
                              .seconds = 10};
    ExactAnswer answer;
    Err err;

    assert_int_equal(exact_solve(&trial->arena, &question, &answer, &err), OK);
    assert_int_equal(answer.status, EXACT_OPTIMUM);
    assert_int_equal(answer.pods, 3);
    return answer;
}

// Level over all zones that the pool could open, two of the three pods find a place; over the one with nodes, all.
TEST(settled_plans_place_what_promised_ones_leave_out) {
    static const char catalog[] =
        "[{\"name\": \"box\", \"architecture\": \"amd64\", \"operatingSystems\": [\"linux\"], "
        "\"resources\": {\"cpu\": \"4\", \"memory\": \"8Gi\", \"pods\": \"10\"}, "
        "\"offerings\": [" OFFERING("a") ", " OFFERING("b") "]}]";
    Trial trial = {0};
    Buffer text = {0};

    buffer_append(&text, SLICE("{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [" POOL));
    for (int i = 0; i < 3; i++)
        print_pod(&text, i);
    buffer_append(&text, SLICE("]}"));
    assert_true(parse(&trial.arena, buffer_slice(&text), &trial.manifests));
    assert_true(parse(&trial.arena, SLICE(catalog), &trial.catalog));
    vec_push(&trial.arena, &trial.documents, (Document){SLICE("manifests.json"), trial.manifests});

    assert_int_equal(solve_web(&trial, EXACT_PROMISED).unplaced, 1);
    assert_int_equal(solve_web(&trial, EXACT_SETTLED).unplaced, 0);
    buffer_free(&text);
    arena_free(&trial.arena);
}

// ---- what promises forbid

// The cheapest promised plan of a generated case; each had a cheaper one that the rule named does not allow.
typedef struct {
    uint64_t seed;
    ExactPlans plans;
    double price;
    const char *rule;
} Promise;

static const Promise promises[] = {
    {103, EXACT_PROMISED, 0.36960, "a lighter pool, while a spread is full in all domains of the heavier one"},
    {215, EXACT_PROMISED, 0.84240,
     "a group starts where none of its pods minds a taint; pods that leave are no company"},
    {518, EXACT_PROMISED, 0.17952, "pods that an affinity of others counts may be in any domain"},
    {642, EXACT_SETTLED, 0.02600, "the first pod of an affinity group opens a claim of the heaviest pool"},
    {733, EXACT_PROMISED, 1.91200, "a pod minds a taint in vain where its other place is a full node"},
    {833, EXACT_PROMISED, 0.65438, "a claim that is open to domains is in each of them"},
    {856, EXACT_PROMISED, 4.25293, "an affinity group does not start beside pods that it counts"},
    {867, EXACT_PROMISED, 2.57600, "a pod that starts its group on a host opens a claim of the heaviest pool"},
    {924, EXACT_PROMISED, 4.38892, "a limit is not used up by claims that could be one"},
};

TEST(promised_plans_keep_the_rules_as_they_stand_when_a_pod_is_placed) {
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
        Trial trial = {0};
        ExactQuestion question = {.manifests = &trial.documents,
                                  .catalog = &trial.catalog,
                                  .plans = promises[i].plans,
                                  .price_cap = INFINITY,
                                  .unplaced_most = UINT32_MAX,
                                  .seconds = 60};
        Err err;

        read_case(&trial, promises[i].seed);
        question.options = trial.options;
        question.options.ignore_preferences = true;
        assert_int_equal(exact_solve(&trial.arena, &question, &trial.answer, &err), OK);
        if (trial.answer.status != EXACT_OPTIMUM || fabs(trial.answer.price_per_hour - promises[i].price) > 1e-7)
            fail_msg("case %llu costs $%.6f, not $%.6f: %s", (unsigned long long)promises[i].seed,
                     trial.answer.price_per_hour, promises[i].price, promises[i].rule);
        generated_case_free(&trial.generated);
        symbols_free(&trial.world.symbols);
        arena_free(&trial.arena);
    }
}
