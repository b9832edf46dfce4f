// property_legacy: random old objects are converted and planned, and the interpreter says what should have come of it.
//
// Of each case: what the webhook takes is converted, and nothing else; converting again changes nothing; nodes go when
// the old ones went; selectors pick the resources that the old ones picked. Half of the cases have one pod: when the
// interpreter places it it is placed, at its price, on a pool of its weight. The others have several: each is placed
// that the interpreter places alone, for no more than all of them cost alone; a pool of a lower weight is taken for one
// that no other takes, and the others on that node found room there. With limits some may wait, and the machines are
// within them. Every type and offering of a plan is one that the old Provisioner may launch for the node's pods.
//
// --cases N (default 5000)  --seed S: cases S, S+1, …  --one SEED: only that one, and it is printed  --print N: no
// test, but the converted objects of N cases as a List, for an API server
#include "base/random.h"
#include "cli/legacy/convert.h"
#include "old/generate.h"
#include "old/interpret.h"
#include "planning.h"
#include "text/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint64_t seed;
    Arena arena;
    Buffer old, pods_text, new, messages, plan;
    ValueList provisioners, templates, pods; // as generated
    Value converted;                         // a List
    bool failed;
} Case;

typedef struct {
    uint64_t cases, refused, placed, pending, together, failed;
} Totals;

__attribute__((format(printf, 2, 3))) static void fail(Case *run, const char *format, ...) {
    va_list args;

    run->failed = true;
    printf("seed %" PRIu64 ": ", run->seed);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

// Members.

static Slice text_of(const Value *value) {
    return value && (value->kind == VALUE_STRING || value->kind == VALUE_NUMBER) ? value->text : SLICE("");
}

static Slice text_at(const Value *map, const char *key) {
    return text_of(value_get(map, slice_of(key)));
}

static Slice name_of(const Value *object) {
    return text_of(value_at(object, "metadata", "name", NULL));
}

static const Value *find_object(const Value *list, const char *kind, Slice name) {
    for (vec_each(const Value, object, &value_get_text(list, "items")->list)) {
        if (slice_eq_text(text_at(object, "kind"), kind) && slice_eq(name_of(object), name))
            return object;
    }
    return NULL;
}

static Value parse(Case *run, const Buffer *text) {
    Value value = value_map();

    if (!case_parse_json(&run->arena, arena_slice(&run->arena, buffer_slice(text)), &value))
        fail(run, "no JSON: %.*s", SLICE_ARG(buffer_slice(text)));
    return value;
}

// Generation and conversion.

enum { PODS_MAX = 6 };

// Half of the cases have one.
static void generate_pods(Case *run, Random *random) {
    uint32_t count = 1 + random_below(random, 2) * (1 + random_below(random, PODS_MAX - 1));

    for (uint32_t i = 0; i < count; i++) {
        Buffer pod = {0};

        old_pod_generate(random, i, &pod);
        vec_push(&run->arena, &run->pods, parse(run, &pod));
        buffer_append(&run->pods_text, buffer_slice(&pod));
        buffer_free(&pod);
    }
}

static void generate(Case *run) {
    Random random;
    Value old;

    random_seed(&random, run->seed);
    old_objects_generate(&random, &run->old);
    generate_pods(run, &random);
    old = parse(run, &run->old);
    for (vec_each(const Value, object, &value_get_text(&old, "items")->list))
        vec_push(&run->arena,
                 slice_eq(text_at(object, "kind"), SLICE("Provisioner")) ? &run->provisioners : &run->templates,
                 *object);
}

static int convert(Case *run, Slice text, Buffer *out) {
    ConvertOptions options = {.target = CONVERT_TO_V1, .json = true};

    vec_push(&run->arena, &options.inputs, (InputText){SLICE("old.json"), text});
    out->len = run->messages.len = 0;
    return convert_run(&options, out, &run->messages);
}

static bool is_taken(const Case *run) {
    for (vec_each(const Value, provisioner, &run->provisioners)) {
        if (!old_is_taken(provisioner))
            return false;
    }
    return true;
}

static void check_again(Case *run) {
    Buffer again = {0};

    if (convert(run, buffer_slice(&run->new), &again) != 0 || !slice_eq(buffer_slice(&again), buffer_slice(&run->new)))
        fail(run, "converting again changes the objects: %.*s", SLICE_ARG(buffer_slice(&run->messages)));
    if (run->messages.len)
        fail(run, "converting again warns: %.*s", SLICE_ARG(buffer_slice(&run->messages)));
    buffer_free(&again);
}

// The end of nodes.

static bool is_seconds(Slice text, int64_t seconds) {
    int64_t number;

    return text.len > 1 && text.ptr[text.len - 1] == 's' && slice_to_int64(slice_first(text, text.len - 1), &number) &&
           number == seconds;
}

static void check_future(Case *run, const Value *provisioner, const Value *pool) {
    OldFuture future = old_future(provisioner);
    const Value *disruption = value_at(pool, "spec", "disruption", NULL);
    Slice policy = text_at(disruption, "consolidationPolicy"), after = text_at(disruption, "consolidateAfter");
    Slice expire = text_of(value_at(pool, "spec", "template", "spec", "expireAfter", NULL));
    bool all = slice_eq(policy, SLICE("WhenEmptyOrUnderutilized")), never = slice_eq(after, SLICE("Never"));

    if (all != future.is_consolidated || (all && !is_seconds(after, 0)))
        fail(run, "%.*s: consolidation is another", SLICE_ARG(name_of(pool)));
    if (!all && (future.goes_empty ? !is_seconds(after, future.empty_s) : !never))
        fail(run, "%.*s: empty nodes go after %.*s", SLICE_ARG(name_of(pool)), SLICE_ARG(after));
    if (future.expires ? !is_seconds(expire, future.expire_s) : !slice_eq(expire, SLICE("Never")))
        fail(run, "%.*s: nodes expire after %.*s", SLICE_ARG(name_of(pool)), SLICE_ARG(expire));
}

// Selectors, against resources with every combination of these tags.

static const char *const tag_sets[] = {
    "{}",
    "{\"team\": \"web\"}",
    "{\"team\": \"db\"}",
    "{\"team\": \"web\", \"karpenter.sh/discovery\": \"main\"}",
    "{\"team\": \"web\", \"env\": \"prod\"}",
    "{\"team\": \"db\", \"env\": \"test\", \"karpenter.sh/discovery\": \"main\"}",
    "{\"team\": \"ops\", \"env\": \"dev\", \"karpenter.sh/discovery\": \"main\"}",
};

// As v1 reads its terms: any of them, all tags of it, '*' as any value.
static bool term_picks(const Value *term, const Value *tags) {
    for (vec_each(const ValueMember, member, &value_get_text(term, "tags")->map)) {
        const Value *value = value_get(tags, member->key);

        if (!value || !(slice_eq(member->value.text, SLICE("*")) || slice_eq(member->value.text, value->text)))
            return false;
    }
    return true;
}

static bool terms_pick(const Value *terms, const Value *tags) {
    for (uint32_t i = 0; terms && i < terms->list.count; i++) {
        if (term_picks(&terms->list.items[i], tags))
            return true;
    }
    return false;
}

static void check_selector(Case *run, const Value *selector, const Value *class, const char *terms) {
    for (size_t i = 0; i < sizeof tag_sets / sizeof *tag_sets; i++) {
        Value tags;

        if (!case_parse_json(&run->arena, slice_of(tag_sets[i]), &tags))
            abort();
        if (old_selects(selector, &tags) != terms_pick(value_at(class, "spec", terms, NULL), &tags))
            fail(run, "%.*s: %s of %s differ", SLICE_ARG(name_of(class)), terms, tag_sets[i]);
    }
}

static void check_class(Case *run, const Value *settings, const Value *class) {
    if (!class) {
        fail(run, "a class is missing");
        return;
    }
    check_selector(run, value_get_text(settings, "subnetSelector"), class, "subnetSelectorTerms");
    check_selector(run, value_get_text(settings, "securityGroupSelector"), class, "securityGroupSelectorTerms");
}

static void check_objects(Case *run) {
    for (vec_each(const Value, provisioner, &run->provisioners)) {
        const Value *pool = find_object(&run->converted, "NodePool", name_of(provisioner));
        const Value *provider = value_at(provisioner, "spec", "provider", NULL);

        if (!pool) {
            fail(run, "NodePool %.*s is missing", SLICE_ARG(name_of(provisioner)));
            continue;
        }
        check_future(run, provisioner, pool);
        check_class(run, provider ? provider : value_get_text(run->templates.items, "spec"),
                    find_object(&run->converted, "EC2NodeClass",
                                text_of(value_at(pool, "spec", "template", "spec", "nodeClassRef", "name", NULL))));
    }
}

// The plan.

static const OldType *find_type(Slice name) {
    for (uint32_t i = 0; i < old_type_count; i++) {
        if (slice_eq_text(name, old_types[i].labels[0]))
            return &old_types[i];
    }
    return NULL;
}

static uint32_t find_text(const char *const *texts, uint32_t count, Slice text) {
    for (uint32_t i = 0; i < count; i++) {
        if (slice_eq_text(text, texts[i]))
            return i;
    }
    return 0;
}

static const Value *find_provisioner(const Case *run, Slice name) {
    for (vec_each(const Value, provisioner, &run->provisioners)) {
        if (slice_eq(name_of(provisioner), name))
            return provisioner;
    }
    return NULL;
}

static const Value *find_pod(const Case *run, Slice name) {
    if (slice_starts_with(name, SLICE("default/")))
        name = slice_from(name, SLICE("default/").len);
    for (vec_each(const Value, pod, &run->pods)) {
        if (slice_eq(name_of(pod), name))
            return pod;
    }
    return NULL;
}

static bool launches_somewhere(const Value *provisioner, const ValueList *pods, const OldType *type) {
    for (uint32_t i = 0; i < OLD_ZONES * OLD_CAPACITIES; i++) {
        if (old_may_launch(provisioner, pods->items, pods->count, type, i / OLD_CAPACITIES, i % OLD_CAPACITIES))
            return true;
    }
    return false;
}

static void check_types(Case *run, const Value *claim, const Value *provisioner, const ValueList *pods) {
    for (vec_each(const Value, name, &value_get_text(claim, "instanceTypes")->list)) {
        const OldType *type = find_type(name->text);

        if (!type || !launches_somewhere(provisioner, pods, type))
            fail(run, "%.*s is in the claim, and the Provisioner would not launch it", SLICE_ARG(name->text));
    }
}

static void check_choice(Case *run, const Value *claim, const Value *provisioner, const ValueList *pods) {
    const Value *choice = value_get_text(claim, "choice");
    const OldType *type = find_type(text_at(choice, "instanceType"));
    uint32_t zone = find_text(old_zones, OLD_ZONES, text_at(choice, "zone"));
    uint32_t capacity = find_text(old_capacities, OLD_CAPACITIES, text_at(choice, "capacityType"));

    if (!type || !old_may_launch(provisioner, pods->items, pods->count, type, zone, capacity))
        fail(run, "the Provisioner would not launch the plan's choice");
}

static bool has_limits(const Case *run) {
    for (vec_each(const Value, provisioner, &run->provisioners)) {
        if (old_has_limits(provisioner))
            return true;
    }
    return false;
}

static int64_t weight_of(const Value *provisioner) {
    const Value *weight = value_at(provisioner, "spec", "weight", NULL);
    int64_t given = 0;

    if (weight)
        value_to_int64(weight, &given);
    return given;
}

// Without limits: its weight is the best of one of its pods, and of none a better one than that pod could have.
static void check_weight(Case *run, const Value *provisioner, const ValueList *pods) {
    int64_t given = weight_of(provisioner), least = INT64_MAX;

    for (vec_each(const Value, pod, pods)) {
        OldOutcome alone = old_outcome(&run->provisioners, pod);

        if (alone.weight < least)
            least = alone.weight;
    }
    if (given != least)
        fail(run, "a pool of weight %" PRId64 " was taken before one of %" PRId64, given, least);
}

static void take_pods(Case *run, const Value *claim, ValueList *ret_pods) {
    for (vec_each(const Value, name, &value_get_text(claim, "pods")->list)) {
        const Value *pod = find_pod(run, name->text);

        if (pod)
            vec_push(&run->arena, ret_pods, *pod);
        else
            fail(run, "%.*s is none of the pods", SLICE_ARG(name->text));
    }
}

static void check_claim(Case *run, const Value *claim, const ValueList *pods) {
    const Value *provisioner = find_provisioner(run, text_at(claim, "nodePool"));

    if (!provisioner) {
        fail(run, "the claim has no Provisioner");
        return;
    }
    if (!has_limits(run))
        check_weight(run, provisioner, pods);
    check_types(run, claim, provisioner, pods);
    check_choice(run, claim, provisioner, pods);
}

static void check_limits(Case *run, const ValueList *claims) {
    for (vec_each(const Value, provisioner, &run->provisioners)) {
        Vec(const OldType *) types = {0};

        for (vec_each(const Value, claim, claims)) {
            if (slice_eq(text_at(claim, "nodePool"), name_of(provisioner)))
                vec_push(&run->arena, &types, find_type(text_at(value_get_text(claim, "choice"), "instanceType")));
        }
        if (!old_limits_let(provisioner, types.items, types.count))
            fail(run, "%.*s: its machines are above its limits", SLICE_ARG(name_of(provisioner)));
    }
}

static int make_plan(Case *run, Slice catalog) {
    Buffer manifests = {0};
    CasePlanning planning = {.catalog = catalog, .effort = EFFORT_NORMAL};
    int status;

    // Objects one after the other: several JSON documents.
    buffer_append(&manifests, buffer_slice(&run->new));
    buffer_append(&manifests, buffer_slice(&run->pods_text));
    planning.manifests = buffer_slice(&manifests);
    status = case_plan(&planning, &run->plan, &run->messages);
    buffer_free(&manifests);
    return status;
}

// What each pod is worth alone, together; and how many find a place.
static uint32_t all_alone(const Case *run, int64_t *ret_price_micro) {
    uint32_t placed = 0;

    *ret_price_micro = 0;
    for (vec_each(const Value, pod, &run->pods)) {
        OldOutcome alone = old_outcome(&run->provisioners, pod);

        placed += alone.is_placed;
        *ret_price_micro += alone.price_micro;
    }
    return placed;
}

// One pod costs what it costs, and several no more than each by itself.
static void check_price(Case *run, double dollars, int64_t alone_micro) {
    double more = dollars * 1e6 - (double)alone_micro;

    if (more > 0.6 * run->pods.count || (run->pods.count == 1 && more < -0.6))
        fail(run, "the plan costs %f, the interpreter says %f", dollars, (double)alone_micro / 1e6);
}

// Says how many pods have a place.
static uint32_t check_claims(Case *run, const ValueList *claims, double *ret_dollars) {
    uint32_t placed = 0;

    *ret_dollars = 0;
    for (vec_each(const Value, claim, claims)) {
        ValueList pods = {0};
        double price = 0;

        take_pods(run, claim, &pods);
        check_claim(run, claim, &pods);
        value_to_double(value_at(claim, "choice", "pricePerHour", NULL), &price);
        *ret_dollars += price;
        placed += pods.count;
    }
    check_limits(run, claims);
    return placed;
}

static void check_plan_of(Case *run, Slice catalog, Totals *totals) {
    int status = make_plan(run, catalog);
    int64_t alone_micro;
    uint32_t expected = all_alone(run, &alone_micro), placed;
    double dollars;
    Value plan;

    if (status != EXIT_ALL_PLACED && status != EXIT_SOME_UNPLACED) {
        fail(run, "the plan's status is %d: %.*s", status, SLICE_ARG(buffer_slice(&run->messages)));
        return;
    }
    plan = parse(run, &run->plan);
    placed = check_claims(run, &value_get_text(&plan, "nodeClaims")->list, &dollars);
    if (placed > expected || (placed < expected && (run->pods.count == 1 || !has_limits(run))))
        fail(run, "%u pods are placed, the interpreter says %u", placed, expected);
    if ((status == EXIT_ALL_PLACED) != (placed == run->pods.count))
        fail(run, "the plan's status is %d, and %u of %u pods are placed", status, placed, run->pods.count);
    if (run->pods.count == 1 || !has_limits(run))
        check_price(run, dollars, alone_micro);
    totals->placed += placed;
    totals->pending += run->pods.count - placed;
    totals->together += placed > value_get_text(&plan, "nodeClaims")->list.count;
}

// Cases.

static void check_case(Case *run, Slice catalog, Totals *totals) {
    int status;

    generate(run);
    status = convert(run, buffer_slice(&run->old), &run->new);
    if ((status == 0) != is_taken(run)) {
        fail(run, "converted: %s; the webhook %s: %.*s", status ? "no" : "yes",
             is_taken(run) ? "takes it" : "refuses it", SLICE_ARG(buffer_slice(&run->messages)));
        return;
    }
    if (status) {
        totals->refused++;
        return;
    }
    run->converted = parse(run, &run->new);
    check_again(run);
    check_objects(run);
    check_plan_of(run, catalog, totals);
}

static void free_case(Case *run) {
    buffer_free(&run->old);
    buffer_free(&run->pods_text);
    buffer_free(&run->new);
    buffer_free(&run->messages);
    buffer_free(&run->plan);
    arena_free(&run->arena);
}

static void show(const Case *run) {
    printf("%.*s\n%.*s\n%.*s\n%.*s\n", SLICE_ARG(buffer_slice(&run->old)), SLICE_ARG(buffer_slice(&run->pods_text)),
           SLICE_ARG(buffer_slice(&run->new)), SLICE_ARG(buffer_slice(&run->plan)));
}

static void run_case(uint64_t seed, Slice catalog, bool shows, Totals *totals) {
    Case run = {.seed = seed};

    check_case(&run, catalog, totals);
    if (shows)
        show(&run);
    totals->cases++;
    totals->failed += run.failed;
    free_case(&run);
}

static void print_case(uint64_t seed, bool *is_first) {
    Case run = {.seed = seed};

    generate(&run);
    if (convert(&run, buffer_slice(&run.old), &run.new) == 0) {
        printf("%s%.*s", *is_first ? "" : ", ", SLICE_ARG(buffer_slice(&run.new)));
        *is_first = false;
    }
    free_case(&run);
}

static int print_cases(uint64_t seed, uint64_t count) {
    bool is_first = true;

    printf("[");
    for (uint64_t i = 0; i < count; i++)
        print_case(seed + i, &is_first);
    printf("]\n");
    return 0;
}

static int check_cases(uint64_t seed, uint64_t count, bool shows) {
    Totals totals = {0};
    Buffer catalog = {0};

    old_catalog_print(&catalog);
    for (uint64_t i = 0; i < count && totals.failed < 10; i++)
        run_case(seed + i, buffer_slice(&catalog), shows, &totals);
    printf("%" PRIu64 " cases: %" PRIu64 " refused, %" PRIu64 " pods placed, %" PRIu64 " pending, in %" PRIu64
           " several on a node; %" PRIu64 " failed\n",
           totals.cases, totals.refused, totals.placed, totals.pending, totals.together, totals.failed);
    buffer_free(&catalog);
    // Else the test checks little.
    return totals.failed ||
           (count >= 100 && (totals.placed < count / 4 || totals.pending < count / 20 || totals.together < count / 20));
}

int main(int argc, char **argv) {
    uint64_t seed = 1, cases = 5000, printed = 0;
    bool shows = false;

    for (int i = 1; i + 1 < argc; i += 2) {
        uint64_t number = strtoull(argv[i + 1], NULL, 10);

        if (strcmp(argv[i], "--cases") == 0)
            cases = number;
        else if (strcmp(argv[i], "--seed") == 0 || strcmp(argv[i], "--one") == 0)
            seed = number;
        else if (strcmp(argv[i], "--print") == 0)
            printed = number;
        else
            return 2;
        if (strcmp(argv[i], "--one") == 0) {
            cases = 1;
            shows = true;
        }
    }
    return printed ? print_cases(seed, printed) : check_cases(seed, cases, shows);
}
