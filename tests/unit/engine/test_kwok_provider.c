// KWOK's provider on the embedded API server: the Node of a claim, made once, whatever fails (reference lifecycle.md
// 8).
#include "cloud/kwok/provider/node.h"
#include "engine/kwok_bed.h"

#define LINUX_C4 TYPES("c-4x-amd64-linux")

static void assert_text(const Bed *bed, Symbol symbol, const char *text) {
    assert_string_equal(bed_text(bed, symbol), text);
}

static const char *label(const Bed *bed, const CloudInstance *instance, const char *key) {
    Symbol found = symbol_find(bed_symbols(bed), slice_of(key));
    Symbol value = found == INDEX_NONE ? found : labels_get(&instance->labels, found);

    return value == INDEX_NONE ? "(none)" : bed_text(bed, value);
}

static ErrCode get(Bed *bed, const char *provider_id, CloudInstance *ret_instance, CloudError *error) {
    *error = (CloudError){0};
    return cloud_get(bed->cloud, &bed->arena, symbol_intern(bed_symbols(bed), slice_of(provider_id)), ret_instance,
                     error);
}

static void assert_terminated(Bed *bed, Symbol provider_id) {
    CloudError error = {0};

    assert_int_equal(cloud_terminate(bed->cloud, provider_id, &error), ERR_NOT_FOUND);
    assert_string_equal(error.err.text, "instance terminated");
}

// --- the Node

TEST(the_node_is_what_karpenter_makes) {
    static const char expected[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"labels\":{\"eks-node-viewer/instance-price\":\"0.082026\","
        "\"karpenter.kwok.sh/instance-cpu\":\"4\",\"karpenter.kwok.sh/instance-family\":\"s\","
        "\"karpenter.kwok.sh/instance-memory\":\"16Gi\",\"karpenter.kwok.sh/instance-size\":\"4\","
        "\"karpenter.sh/capacity-type\":\"spot\",\"karpenter.sh/nodepool\":\"general\","
        "\"kubernetes.io/arch\":\"arm64\",\"kubernetes.io/hostname\":\"general-1\",\"kubernetes.io/os\":\"linux\","
        "\"kwok-partition\":\"a\",\"kwok.x-k8s.io/node\":\"fake\",\"node.kubernetes.io/instance-type\":"
        "\"s-4x-arm64-linux\",\"team\":\"blue\",\"topology.kubernetes.io/zone\":\"test-zone-c\",\"users\":\"one\"},"
        "\"annotations\":{\"kwok.x-k8s.io/node\":\"fake\",\"who\":\"me\"},\"taint\":{\"key\":\"karpenter.sh/"
        "unregistered\",\"effect\":\"NoExecute\"},\"status\":{\"capacity\":{\"cpu\":\"1500m\",\"example.com/gpu\":"
        "\"2\",\"memory\":\"3Gi\",\"pods\":\"4\"},\"allocatable\":{\"cpu\":\"3900m\",\"ephemeral-storage\":\"20Gi\","
        "\"example.com/gpu\":\"2\",\"memory\":\"16374Mi\",\"pods\":\"64\"},\"phase\":\"Pending\"}}";
    Bed *bed = bed_new(NULL);
    const NodeClaim *claim =
        bed_make_claim(bed, "general-1",
                       "[" TYPES("s-4x-arm64-linux, s-8x-arm64-linux") ", " ZONES("test-zone-c") ", " CAPACITY(
                           "spot, on-demand") ", {key: users, operator: In, values: [one]}, {key: many, operator: In, "
                                              "values: [a, b]}]",
                       "{cpu: 1500m, memory: 3Gi, pods: 4, example.com/gpu: 2}");
    CloudInstance instance = bed_launch(bed, claim);
    Slice name = slice_of(bed_node_name(bed, &instance));
    Value node, wanted = bed_parse(bed, expected);

    assert_int_equal(kube_get(bed->kube, &bed->arena, (KubeRef){KUBE_NODE, {0}, name}, &node, NULL), OK);
    assert_true(slice_starts_with(name, SLICE("kwok-general-1-")));
    assert_true(slice_eq(kube_text(&node, "spec", "providerID", NULL), slice_of(bed_text(bed, instance.provider_id))));
    assert_true(value_eq(value_at(&node, "metadata", "labels", NULL), value_get_text(&wanted, "labels")));
    assert_true(value_eq(value_at(&node, "metadata", "annotations", NULL), value_get_text(&wanted, "annotations")));
    assert_true(value_eq(&value_at(&node, "spec", "taints", NULL)->list.items[0], value_get_text(&wanted, "taint")));
    assert_true(value_eq(value_get_text(&node, "status"), value_get_text(&wanted, "status")));
    bed_free(bed);
}

TEST(the_answer_says_what_the_node_says) {
    Bed *bed = bed_new(NULL);
    const NodeClaim *claim = bed_make_claim(bed, "general-1", "[" LINUX_C4 ", " ZONES("test-zone-b") "]", "{cpu: 1}");
    CloudInstance launched = bed_launch(bed, claim), read;
    CloudError error;

    assert_int_equal(get(bed, bed_text(bed, launched.provider_id), &read, &error), OK);
    assert_true(labels_eq(&launched.labels, &read.labels));
    assert_true(labels_eq(&launched.annotations, &read.annotations));
    assert_true(resources_eq(&launched.capacity, &read.capacity));
    assert_true(resources_eq(&launched.allocatable, &read.allocatable));
    assert_int_equal(launched.provider_id, read.provider_id);
    for (int i = 0; i < 2; i++) {
        const CloudInstance *instance = i ? &read : &launched;

        assert_text(bed, instance->instance_type, "c-4x-amd64-linux");
        assert_text(bed, instance->zone, "test-zone-b");
        assert_text(bed, instance->capacity_type, "spot");
        assert_text(bed, instance->pool, "general");
        assert_text(bed, instance->claim_name, "general-1");
        assert_int_equal(instance->launched_ns, bed->now_ns);
        assert_false(instance->terminating);
    }
    bed_free(bed);
}

// --- which offering

TEST(the_cheapest_offering_wins) {
    static const struct {
        const char *requirements, *type, *price;
    } rows[] = {
        {"[" TYPES("m-4x-amd64-linux, c-4x-amd64-linux") "]", "c-4x-amd64-linux", "0.076013"},
        {"[" TYPES("m-4x-amd64-linux, c-4x-amd64-linux") ", " CAPACITY("on-demand") "]", "c-4x-amd64-linux",
         "0.108590"},
        {"[" TYPES("c-16x-amd64-linux, c-2x-arm64-windows") ", {key: kubernetes.io/arch, operator: In, values: "
                                                            "[amd64]}]",
         "c-16x-amd64-linux", "0.304052"},
        // Equal prices: the first that the claim names.
        {"[" TYPES("c-4x-arm64-linux, c-4x-amd64-linux") "]", "c-4x-arm64-linux", "0.076013"},
        {"[" TYPES("c-4x-amd64-linux, c-4x-arm64-linux") "]", "c-4x-amd64-linux", "0.076013"},
        // Unknown names are ignored.
        {"[" TYPES("m9.large, c-4x-amd64-linux") "]", "c-4x-amd64-linux", "0.076013"},
        // Too small for the requests.
        {"[" TYPES("c-1x-amd64-linux, c-4x-amd64-linux") "]", "c-4x-amd64-linux", "0.076013"},
        // No list of types, as claims of static NodePools.
        {"[{key: kubernetes.io/os, operator: In, values: [windows]}]", "c-2x-amd64-windows", "0.038006"},
        {"[{key: karpenter.kwok.sh/instance-family, operator: In, values: [m]}, {key: kubernetes.io/arch, operator: "
         "NotIn, values: [amd64]}]",
         "m-2x-arm64-linux", "0.047026"},
    };
    Bed *bed = bed_new(NULL);
    char name[32];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CloudInstance instance;

        snprintf(name, sizeof name, "claim-%zu", i);
        instance = bed_launch(bed, bed_make_claim(bed, name, rows[i].requirements, "{cpu: 1200m}"));
        assert_text(bed, instance.instance_type, rows[i].type);
        assert_string_equal(label(bed, &instance, "eks-node-viewer/instance-price"), rows[i].price);
    }
    bed_free(bed);
}

TEST(nothing_that_fits_is_no_capacity) {
    static const char *const rows[] = {
        "[" TYPES("m9.large") "]",                           // no such type
        "[" LINUX_C4 ", " ZONES("test-zone-x") "]",          // no such zone
        "[" LINUX_C4 ", " CAPACITY("reserved") "]",          // no such offering
        "[" TYPES("c-1x-amd64-linux, s-1x-amd64-linux") "]", // too small
        "[" LINUX_C4 ", {key: kubernetes.io/arch, operator: In, values: [arm64]}]",
    };
    Bed *bed = bed_new(NULL);
    CloudInstance instance;
    CloudError error;
    char name[32];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(name, sizeof name, "claim-%zu", i);
        assert_int_equal(bed_try(bed, bed_make_claim(bed, name, rows[i], "{cpu: 1200m}"), &instance, &error),
                         ERR_CAPACITY);
        assert_non_null(strstr(error.err.text, "no offering of an instance type of KWOK fits the requirements "));
        assert_false(error.class_not_ready);
    }
    assert_int_equal(bed_count(bed, KUBE_NODE), 0);
    bed_free(bed);
}

// Zones cost the same: claims are spread over them, but each claim always gets the same one.
TEST(equal_offerings_are_drawn_from_the_uid) {
    Bed *bed = bed_new(NULL);
    uint32_t counts[4] = {0};
    char name[32];

    for (uint32_t i = 0; i < 400; i++) {
        CloudInstance instance;

        snprintf(name, sizeof name, "claim-%u", i);
        instance = bed_launch(bed, bed_make_claim(bed, name, "[" LINUX_C4 "]", "{cpu: 1}"));
        counts[bed_text(bed, instance.zone)[strlen("test-zone-")] - 'a']++;
    }
    for (uint32_t i = 0; i < 4; i++)
        assert_in_range(counts[i], 60, 140);
    bed_free(bed);
}

// Against all offerings of all types, one by one.
static double cheapest_by_hand(const InstanceTypeVec *types, const Symbols *symbols, const char *arch, uint32_t zones,
                               bool spot, int64_t cpu_milli) {
    double best = -1;

    for (vec_each(const InstanceType, type, types)) {
        Slice name = symbol_text(symbols, type->name);
        int64_t cores = atoi(name.ptr + 2);

        if (!strstr(name.ptr, arch) || cores * 1000 - 100 < cpu_milli)
            continue;
        for (vec_each(const Offering, offering, &type->offerings)) {
            uint32_t zone = (uint32_t)(symbol_text(symbols, offering->zone).ptr[strlen("test-zone-")] - 'a');

            if (zones >> zone & 1 && (spot || offering->capacity_type == NAME_ON_DEMAND) &&
                (best < 0 || offering->price_per_hour < best))
                best = offering->price_per_hour;
        }
    }
    return best;
}

TEST(random_claims_get_the_cheapest_price) {
    static const char *const archs[] = {"amd64", "arm64"};
    Bed *bed = bed_new(NULL);
    const InstanceTypeVec *types;

    assert_int_equal(cloud_instance_types(bed->cloud, NULL, &types, NULL), OK);
    for (uint32_t i = 0; i < 2000; i++) {
        const char *arch = archs[random_below(&bed->random, 2)];
        uint32_t zones = 1 + random_below(&bed->random, 15);
        int64_t cpu_milli = 1 + random_below(&bed->random, 280000);
        bool spot = random_chance(&bed->random, 50);
        double expected = cheapest_by_hand(types, bed_symbols(bed), arch, zones, spot, cpu_milli);
        char name[32], requirements[512], requests[64], price[32];
        CloudInstance instance;
        CloudError error;
        ErrCode code;

        snprintf(name, sizeof name, "claim-%u", i);
        snprintf(requirements, sizeof requirements,
                 "[{key: kubernetes.io/arch, operator: In, values: [%s]}, " ZONES("x%s%s%s%s") ", " CAPACITY("%s") "]",
                 arch, zones & 1 ? ", test-zone-a" : "", zones & 2 ? ", test-zone-b" : "",
                 zones & 4 ? ", test-zone-c" : "", zones & 8 ? ", test-zone-d" : "",
                 spot ? "spot, on-demand" : "on-demand");
        snprintf(requests, sizeof requests, "{cpu: %dm}", (int)cpu_milli);
        code = bed_try(bed, bed_make_claim(bed, name, requirements, requests), &instance, &error);
        assert_int_equal(code, expected < 0 ? ERR_CAPACITY : OK);
        if (code != OK)
            continue;
        snprintf(price, sizeof price, "%f", expected);
        assert_string_equal(label(bed, &instance, "eks-node-viewer/instance-price"), price);
    }
    bed_free(bed);
}

// --- the NodeClass

static void patch_ready(Bed *bed, const char *status) {
    char patch[256];

    snprintf(patch, sizeof patch,
             "{status: {conditions: [{type: Ready, status: '%s', reason: Mine, message: not today, "
             "lastTransitionTime: '2026-01-05T00:00:00Z'}]}}",
             status);
    bed_patch(bed, KUBE_KWOK_NODE_CLASS, "default", KUBE_STATUS, patch);
}

TEST(a_class_that_is_not_ready_launches_nothing) {
    Bed *bed = bed_new(NULL);
    const NodeClaim *claim = bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{cpu: 1}");
    CloudInstance instance;
    CloudError error;

    patch_ready(bed, "False");
    assert_int_not_equal(bed_try(bed, claim, &instance, &error), OK);
    assert_true(error.class_not_ready);
    assert_string_equal(error.err.text, "not today");
    assert_int_equal(bed_count(bed, KUBE_NODE), 0);
    patch_ready(bed, "Unknown"); // only False counts
    bed_launch(bed, claim);
    bed_free(bed);
}

TEST(a_class_without_conditions_counts_as_ready) {
    Bed *bed = bed_new(NULL);

    bed_patch(bed, KUBE_KWOK_NODE_CLASS, "default", KUBE_STATUS, "{status: {conditions: null}}");
    bed_launch(bed, bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{cpu: 1}"));
    bed_free(bed);
}

TEST(a_class_that_is_missing_is_no_capacity) {
    Bed *bed = bed_new(NULL);
    const NodeClaim *claim = bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{cpu: 1}");
    CloudInstance instance;
    CloudError error;

    bed_delete(bed, KUBE_KWOK_NODE_CLASS, "default");
    assert_int_equal(bed_try(bed, claim, &instance, &error), ERR_CAPACITY);
    assert_non_null(strstr(error.err.text, "resolving node class from nodeclaim, "));
    bed_free(bed);
}

TEST(a_delay_that_is_none_is_named) {
    Bed *bed = bed_new(NULL);
    const NodeClaim *claim = bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{cpu: 1}");
    CloudInstance instance;
    CloudError error;

    bed_delay(bed, "soon");
    assert_int_equal(bed_try(bed, claim, &instance, &error), ERR_INVALID);
    assert_string_equal(error.err.text, "KWOKNodeClass default: spec.nodeRegistrationDelay: expected a duration of at "
                                        "least 0 as \"30s\" or \"1m30s\", got \"soon\"");
    bed_free(bed);
}

// --- once

static void assert_same(const CloudInstance *a, const CloudInstance *b) {
    assert_int_equal(a->provider_id, b->provider_id);
    assert_true(labels_eq(&a->labels, &b->labels));
    assert_true(resources_eq(&a->allocatable, &b->allocatable));
}

TEST(a_launch_that_is_repeated_gives_the_same_node) {
    Bed *bed = bed_new(NULL);
    const NodeClaim *claim = bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{cpu: 1}");
    CloudInstance first = bed_launch(bed, claim), second = bed_launch(bed, claim);

    assert_same(&first, &second);
    assert_int_equal(bed_count(bed, KUBE_NODE), 1);
    bed_free(bed);
}

TEST(the_next_process_gives_the_same_node) {
    Bed *bed = bed_new(NULL);
    CloudInstance instance =
        bed_launch(bed, bed_make_claim(bed, "general-1", "[" TYPES("c-4x-amd64-linux, s-4x-amd64-linux") "]", "{}"));
    Slice provider_id = arena_slice(&bed->arena, slice_of(bed_text(bed, instance.provider_id)));
    Slice zone = arena_slice(&bed->arena, slice_of(bed_text(bed, instance.zone)));

    bed_crash(bed);
    bed_start(bed, "[{\"name\": \"c-4x-amd64-linux\", \"architecture\": \"amd64\", \"resources\": {\"cpu\": \"4\", "
                   "\"memory\": \"8Gi\"}, \"offerings\": [{\"Price\": 7, \"Requirements\": [{\"key\": "
                   "\"topology.kubernetes.io/zone\", \"operator\": \"In\", \"values\": [\"elsewhere\"]}, {\"key\": "
                   "\"karpenter.sh/capacity-type\", \"operator\": \"In\", \"values\": [\"spot\"]}]}]}]");
    instance = bed_launch(bed, bed_claim(bed, "general-1")); // whatever its own types are
    assert_true(slice_eq_text(provider_id, bed_text(bed, instance.provider_id)));
    assert_true(slice_eq_text(zone, bed_text(bed, instance.zone)));
    assert_int_equal(bed_count(bed, KUBE_NODE), 1);
    bed_free(bed);
}

TEST(another_claim_of_that_name_gets_another_node) {
    Bed *bed = bed_new(NULL);
    CloudInstance first = bed_launch(bed, bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{}")), second;

    bed_delete(bed, KUBE_NODE_CLAIM, "general-1");
    second = bed_launch(bed, bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{}"));
    assert_int_not_equal(first.provider_id, second.provider_id);
    assert_int_equal(bed_count(bed, KUBE_NODE), 2);
    bed_free(bed);
}

TEST(a_lost_answer_costs_no_second_node) {
    Bed *bed = bed_new(NULL);
    const NodeClaim *claim = bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{cpu: 1}");
    CloudInstance instance;
    CloudError error;

    bed->faults[BED_CREATE] = (BedFault){KUBE_NODE, 1, KUBE_REASON_TIMEOUT, true};
    assert_int_equal(bed_try(bed, claim, &instance, &error), ERR_TIMEOUT);
    assert_string_equal(error.err.text, "creating node, the bed said no");
    bed_launch(bed, claim);
    assert_int_equal(bed_count(bed, KUBE_NODE), 1);
    bed_free(bed);
}

TEST(a_node_on_its_way_out_is_no_answer) {
    Bed *bed = bed_new(NULL);
    const NodeClaim *claim = bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{cpu: 1}");
    CloudInstance first = bed_launch(bed, claim), second;
    const char *name = bed_node_name(bed, &first);
    CloudError error;

    bed_patch(bed, KUBE_NODE, name, KUBE_OBJECT, "{metadata: {finalizers: [test/hold]}}");
    bed_delete(bed, KUBE_NODE, name);
    assert_int_equal(bed_try(bed, claim, &second, &error), ERR_IO);
    assert_non_null(strstr(error.err.text, "of an earlier launch is being deleted"));
    bed_patch(bed, KUBE_NODE, name, KUBE_OBJECT, "{metadata: {finalizers: null}}");
    second = bed_launch(bed, claim);
    assert_int_equal(first.provider_id, second.provider_id);
    assert_int_equal(bed_count(bed, KUBE_NODE), 1);
    bed_free(bed);
}

TEST(what_the_api_server_refuses_is_passed_on) {
    static const struct {
        BedCall call;
        KubeKind kind;
        KubeReason reason;
        ErrCode code;
        const char *text;
    } rows[] = {
        {BED_CREATE, KUBE_NODE, KUBE_REASON_FORBIDDEN, ERR_DENIED, "creating node, the bed said no"},
        {BED_CREATE, KUBE_NODE, KUBE_REASON_TOO_MANY_REQUESTS, ERR_THROTTLED, "creating node, the bed said no"},
        {BED_CREATE, KUBE_NODE, KUBE_REASON_INVALID, ERR_INVALID, "creating node, the bed said no"},
        {BED_CREATE, KUBE_NODE, KUBE_REASON_INTERNAL_ERROR, ERR_IO, "creating node, the bed said no"},
        {BED_CREATE, KUBE_NODE, KUBE_REASON_NOT_FOUND, ERR_IO, "creating node, the bed said no"},
        {BED_CREATE, KUBE_NODE, KUBE_REASON_CONFLICT, ERR_IO, "creating node, the bed said no"},
        {BED_GET, KUBE_KWOK_NODE_CLASS, KUBE_REASON_TIMEOUT, ERR_TIMEOUT,
         "resolving node class from nodeclaim, the bed said no"},
    };
    Bed *bed = bed_new(NULL);
    const NodeClaim *claim = bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{cpu: 1}");

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CloudInstance instance;
        CloudError error;

        bed_run(bed, SECONDS(1)); // the class is read again
        bed->faults[rows[i].call] = (BedFault){rows[i].kind, 1, rows[i].reason, false};
        assert_int_equal(bed_try(bed, claim, &instance, &error), rows[i].code);
        assert_int_equal(error.err.code, rows[i].code);
        assert_string_equal(error.err.text, rows[i].text);
        assert_false(error.class_not_ready);
    }
    assert_int_equal(bed_count(bed, KUBE_NODE), 0);
    bed_free(bed);
}

TEST(a_class_is_asked_for_once_a_second) {
    Bed *bed = bed_new(NULL);
    char name[16];

    for (uint32_t i = 0; i < 10; i++) {
        snprintf(name, sizeof name, "general-%u", i);
        bed_launch(bed, bed_make_claim(bed, name, "[" LINUX_C4 "]", "{cpu: 1}"));
        bed_run(bed, SECONDS(1) / 5);
    }
    assert_int_equal(bed->calls[BED_GET], 2);
    assert_int_equal(bed->calls[BED_CREATE], 10);
    bed_free(bed);
}

TEST(calls_are_few) {
    Bed *bed = bed_new(NULL);
    const NodeClaim *claim = bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{cpu: 1}");
    CloudInstance instance;
    CloudError error;

    instance = bed_launch(bed, claim);
    assert_int_equal(bed->calls[BED_GET], 1);
    assert_int_equal(bed->calls[BED_CREATE], 1);
    get(bed, bed_text(bed, instance.provider_id), &instance, &error);
    assert_int_equal(bed->calls[BED_GET], 2);
    assert_terminated(bed, instance.provider_id);
    assert_int_equal(bed->calls[BED_GET], 2);
    assert_int_equal(bed->calls[BED_REMOVE], 1);
    assert_int_equal(bed->calls[BED_LIST], 0);
    bed_free(bed);
}

// --- joining later

TEST(nodes_join_after_their_delay) {
    Bed *bed = bed_new(NULL);
    const NodeClaim *claim = bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{cpu: 1}");
    CloudInstance instance, read;
    CloudError error;

    bed_delay(bed, "1m30s");
    instance = bed_launch(bed, claim);
    bed_launch(bed, claim); // repeated: still one
    assert_int_equal(get(bed, bed_text(bed, instance.provider_id), &read, &error), ERR_NOT_FOUND);
    bed_run(bed, SECONDS(90) - 1);
    assert_int_equal(bed_count(bed, KUBE_NODE), 0);
    bed_run(bed, 1);
    assert_int_equal(bed_count(bed, KUBE_NODE), 1);
    assert_int_equal(get(bed, bed_text(bed, instance.provider_id), &read, &error), OK);
    assert_same(&instance, &read);
    bed_launch(bed, claim); // and a launch that comes late finds it
    bed_run(bed, SECONDS(1000));
    assert_int_equal(bed_count(bed, KUBE_NODE), 1);
    assert_int_equal(bed->calls[BED_CREATE], 1);
    bed_free(bed);
}

TEST(creations_that_fail_are_tried_again) {
    static const int64_t waits_ns[] = {MILLISECONDS(10),   MILLISECONDS(50), MILLISECONDS(250), MILLISECONDS(1250),
                                       MILLISECONDS(6250), SECONDS(10),      SECONDS(10)};
    Bed *bed = bed_new(NULL);

    bed_delay(bed, "5s");
    bed_launch(bed, bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{cpu: 1}"));
    bed->faults[BED_CREATE] = (BedFault){KUBE_NODE, 7, KUBE_REASON_INTERNAL_ERROR, false};
    bed_run(bed, SECONDS(5));
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(bed->calls[BED_CREATE], i + 1);
        assert_int_equal(bed->log.len > 0, i >= 3); // logged once, after the fourth
        bed_run(bed, waits_ns[i] - 1);
        assert_int_equal(bed->calls[BED_CREATE], i + 1);
        bed_run(bed, 1);
    }
    assert_int_equal(bed_count(bed, KUBE_NODE), 1);
    buffer_append_char(&bed->log, 0);
    assert_non_null(strstr(bed->log.bytes, "failed creating node from nodeclaim: the bed said no\n"));
    assert_int_equal(strlen(strchr(bed->log.bytes, '\n')), 1);
    bed_free(bed);
}

TEST(no_node_joins_for_a_claim_that_is_gone) {
    Bed *bed = bed_new(NULL);

    bed_delay(bed, "5s");
    for (int way = 0; way < 3; way++) {
        bed_launch(bed, bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{cpu: 1}"));
        if (way == 0) // it is being deleted
            bed_patch(bed, KUBE_NODE_CLAIM, "general-1", KUBE_OBJECT, "{metadata: {finalizers: [test/hold]}}");
        bed_delete(bed, KUBE_NODE_CLAIM, "general-1");
        if (way == 2) // another one has its name
            bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{cpu: 1}");
        bed_run(bed, SECONDS(60));
        assert_int_equal(bed_count(bed, KUBE_NODE), 0);
        if (way == 0)
            bed_patch(bed, KUBE_NODE_CLAIM, "general-1", KUBE_OBJECT, "{metadata: {finalizers: null}}");
    }
    assert_int_equal(bed->log.len, 0);
    bed_free(bed);
}

TEST(a_node_that_waits_can_be_terminated) {
    Bed *bed = bed_new(NULL);
    CloudInstance instance;

    bed_delay(bed, "5s");
    instance = bed_launch(bed, bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{cpu: 1}"));
    assert_terminated(bed, instance.provider_id);
    bed_run(bed, SECONDS(60));
    assert_int_equal(bed->calls[BED_CREATE], 0);
    bed_free(bed);
}

// --- after a crash

static void set_status(Bed *bed, const NodeClaim *claim, const CloudInstance *instance, const char *registered) {
    char patch[1024];

    snprintf(patch, sizeof patch,
             "{status: {providerID: '%s', capacity: {cpu: '1'}, allocatable: {cpu: 3900m, pods: '64'}, conditions: "
             "[{type: Launched, status: 'True', reason: Launched, message: '', lastTransitionTime: "
             "'2026-01-05T00:00:00Z'}, {type: Registered, status: '%s', reason: R, message: '', lastTransitionTime: "
             "'2026-01-05T00:00:00Z'}]}}",
             bed_text(bed, instance->provider_id), registered);
    bed_patch(bed, KUBE_NODE_CLAIM, bed_text(bed, claim->meta.name), KUBE_STATUS, patch);
}

// Writes the result of a launch into the claim, as the engine does.
static void record(Bed *bed, const NodeClaim *claim, const CloudInstance *instance, const char *registered) {
    Value body = value_map(), *meta = value_put(&bed->arena, &body, SLICE("metadata"), value_map());
    Value *labels = value_put(&bed->arena, meta, SLICE("labels"), value_map());

    for (vec_each(const Label, item, &instance->labels))
        value_put(&bed->arena, labels, slice_of(bed_text(bed, item->key)),
                  value_string(slice_of(bed_text(bed, item->value))));
    assert_int_equal(kube_patch(bed->kube, NULL, SLICE("test"),
                                (KubeRef){KUBE_NODE_CLAIM, {0}, slice_of(bed_text(bed, claim->meta.name))}, KUBE_OBJECT,
                                &(KubePatch){.body = &body}, NULL, NULL),
                     OK);
    set_status(bed, claim, instance, registered);
}

TEST(nodes_that_waited_when_the_process_died_join) {
    Bed *bed = bed_new(NULL);
    const NodeClaim *claim = bed_make_claim(bed, "general-1", "[" LINUX_C4 ", " ZONES("test-zone-d") "]", "{cpu: 1}");
    CloudInstance instance, read;
    CloudError error;
    Slice provider_id;

    bed_delay(bed, "5s");
    instance = bed_launch(bed, claim);
    record(bed, claim, &instance, "Unknown");
    provider_id = arena_slice(&bed->arena, slice_of(bed_text(bed, instance.provider_id)));
    bed_crash(bed);
    bed_start(bed, NULL);
    bed_run(bed, SECONDS(1));
    assert_int_equal(get(bed, arena_text(&bed->arena, provider_id), &read, &error), OK);
    assert_string_equal(label(bed, &read, "team"), "blue");
    assert_string_equal(label(bed, &read, "karpenter.kwok.sh/instance-family"), "c");
    assert_string_equal(label(bed, &read, "kubernetes.io/hostname"), "general-1");
    assert_text(bed, read.instance_type, "c-4x-amd64-linux");
    assert_text(bed, read.zone, "test-zone-d");
    assert_int_equal(resources_get(&read.allocatable, NAME_CPU), 3900);
    assert_int_equal(resources_get(&read.capacity, NAME_CPU), 1000);
    bed_free(bed);
}

TEST(claims_that_have_or_need_no_node_get_none) {
    Bed *bed = bed_new(NULL);
    const NodeClaim *claim;
    CloudInstance instance;

    bed_delay(bed, "5s");
    bed_make_claim(bed, "new", "[" LINUX_C4 "]", "{}"); // not launched
    claim = bed_make_claim(bed, "registered", "[" LINUX_C4 "]", "{}");
    instance = bed_launch(bed, claim);
    record(bed, claim, &instance, "True"); // its Node was deleted by hand
    claim = bed_make_claim(bed, "going", "[" LINUX_C4 "]", "{}");
    instance = bed_launch(bed, claim);
    record(bed, claim, &instance, "Unknown");
    bed_patch(bed, KUBE_NODE_CLAIM, "going", KUBE_OBJECT, "{metadata: {finalizers: [test/hold]}}");
    bed_delete(bed, KUBE_NODE_CLAIM, "going");
    claim = bed_make_claim(bed, "foreign", "[" LINUX_C4 "]", "{}");
    instance.provider_id = symbol_intern(bed_symbols(bed), SLICE("aws:///us-east-1a/i-0123"));
    set_status(bed, claim, &instance, "Unknown");
    bed_crash(bed);
    bed_start(bed, NULL);
    bed_run(bed, SECONDS(60));
    assert_int_equal(bed_count(bed, KUBE_NODE), 0);
    assert_int_equal(bed->calls[BED_CREATE], 0);
    bed_free(bed);
}

TEST(looking_for_them_is_tried_again) {
    Bed *bed = bed_new(NULL);
    const NodeClaim *claim = bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{cpu: 1}");
    CloudInstance instance;

    bed_delay(bed, "5s");
    instance = bed_launch(bed, claim);
    record(bed, claim, &instance, "Unknown");
    bed_crash(bed);
    bed->faults[BED_LIST] = (BedFault){KUBE_NODE_CLAIM, 2, KUBE_REASON_SERVICE_UNAVAILABLE, false};
    bed_start(bed, NULL);
    bed_run(bed, SECONDS(60) / 1000 - 1); // after 10 ms, and 50 ms more
    assert_int_equal(bed_count(bed, KUBE_NODE), 0);
    bed_run(bed, 1);
    assert_int_equal(bed_count(bed, KUBE_NODE), 1);
    assert_int_equal(bed->calls[BED_LIST], 3);
    bed_run(bed, SECONDS(100)); // and then never again
    assert_int_equal(bed->calls[BED_LIST], 3);
    bed_free(bed);
}

// --- get, list and terminate

TEST(a_node_that_is_being_deleted_counts_as_gone) {
    Bed *bed = bed_new(NULL);
    CloudInstance instance = bed_launch(bed, bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{cpu: 1}")), read;
    const char *name = bed_node_name(bed, &instance), *id = bed_text(bed, instance.provider_id);
    CloudError error;

    bed_patch(bed, KUBE_NODE, name, KUBE_OBJECT, "{metadata: {finalizers: [karpenter.sh/termination]}}");
    bed_delete(bed, KUBE_NODE, name);
    assert_int_equal(get(bed, id, &read, &error), ERR_NOT_FOUND);
    assert_string_equal(error.err.text, "nodeclaim not found");
    assert_terminated(bed, instance.provider_id); // reported as terminated, though the Node exists until it is drained
    assert_int_equal(bed_count(bed, KUBE_NODE), 1);
    bed_free(bed);
}

TEST(ids_of_others_are_unknown) {
    static const char *const ids[] = {"aws:///us-east-1a/i-0123", "", "kwok:", "kwok://"};
    Bed *bed = bed_new(NULL);
    CloudInstance instance;
    CloudError error;

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        assert_int_equal(get(bed, ids[i], &instance, &error), ERR_NOT_FOUND);
        assert_int_equal(cloud_terminate(bed->cloud, symbol_intern(bed_symbols(bed), slice_of(ids[i])), &error),
                         ERR_NOT_FOUND);
    }
    assert_int_equal(bed->calls[BED_REMOVE], 0);
    assert_int_equal(get(bed, "kwok://nobody", &instance, &error), ERR_NOT_FOUND);
    assert_non_null(strstr(error.err.text, "finding node, "));
    bed_free(bed);
}

TEST(ending_a_node_that_nobody_has_registered_deletes_it) {
    Bed *bed = bed_new(NULL);
    CloudInstance instance = bed_launch(bed, bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{cpu: 1}"));
    CloudError error = {0};

    bed->faults[BED_REMOVE] = (BedFault){KUBE_NODE, 1, KUBE_REASON_INTERNAL_ERROR, false};
    assert_int_equal(cloud_terminate(bed->cloud, instance.provider_id, &error),
                     ERR_IO); // not terminated: to be repeated
    assert_int_equal(bed_count(bed, KUBE_NODE), 1);
    assert_terminated(bed, instance.provider_id);
    assert_int_equal(bed_count(bed, KUBE_NODE), 0);
    assert_terminated(bed, instance.provider_id);
    bed_free(bed);
}

TEST(the_list_has_kwoks_nodes_on_all_pages) {
    enum { NODES = 1203 };
    Bed *bed = bed_new(NULL);
    CloudInstanceVec list = {0};
    uint32_t going = 0;
    CloudError error;
    char name[32];

    for (uint32_t i = 0; i < NODES; i++) {
        snprintf(name, sizeof name, "claim-%u", i);
        bed_launch(bed, bed_make_claim(bed, name, "[" LINUX_C4 "]", "{cpu: 1}"));
    }
    bed_create_object(bed, "{apiVersion: v1, kind: Node, metadata: {name: a}, spec: {providerID: 'aws:///a/i-1'}}");
    bed_create_object(bed, "{apiVersion: v1, kind: Node, metadata: {name: zz}}");
    bed_create_object(bed, "{apiVersion: v1, kind: Node, metadata: {name: kwok-old-happyfox-12-abcdefghij-99, labels: "
                           "{kubernetes.io/hostname: old}, finalizers: [test/hold]}, spec: {providerID: "
                           "'kwok://kwok-old-happyfox-12-abcdefghij-99'}}"); // of Karpenter
    bed_delete(bed, KUBE_NODE, "kwok-old-happyfox-12-abcdefghij-99");
    assert_int_equal(cloud_list(bed->cloud, &bed->arena, &list, &error), OK);
    assert_int_equal(list.count, NODES + 1);
    assert_int_equal(bed->calls[BED_LIST], 3);
    for (vec_each(const CloudInstance, instance, &list)) {
        going += instance->terminating;
        if (instance->terminating)
            assert_text(bed, instance->claim_name, "old");
        else
            assert_memory_equal(bed_text(bed, instance->claim_name), "claim-", 6);
    }
    assert_int_equal(going, 1);
    bed_free(bed);
}

TEST(a_list_that_fails_half_way_is_no_list) {
    Bed *bed = bed_new(NULL);
    CloudInstanceVec list = {.count = 77};
    CloudError error = {0};

    bed->faults[BED_LIST] = (BedFault){KUBE_NODE, 1, KUBE_REASON_EXPIRED, false};
    assert_int_equal(cloud_list(bed->cloud, &bed->arena, &list, &error), ERR_IO);
    assert_string_equal(error.err.text, "listing nodes, the bed said no");
    assert_int_equal(list.count, 77);
    bed_free(bed);
}

TEST(a_node_that_cannot_be_read_hides_no_other) {
    Bed *bed = bed_new(NULL);
    CloudInstance instance = bed_launch(bed, bed_make_claim(bed, "general-1", "[" LINUX_C4 "]", "{cpu: 1}"));
    CloudInstanceVec list = {0};
    CloudError error;

    bed_create_object(bed, "{apiVersion: v1, kind: Node, metadata: {name: odd}, spec: {providerID: 'kwok://odd'}, "
                           "status: {capacity: {cpu: many}}}");
    assert_int_equal(cloud_list(bed->cloud, &bed->arena, &list, &error), OK);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.items[0].provider_id, instance.provider_id);
    buffer_append_char(&bed->log, 0);
    assert_non_null(strstr(bed->log.bytes, "odd: failed reading node: "));
    assert_int_equal(get(bed, "kwok://odd", &instance, &error), ERR_INVALID);
    bed_free(bed);
}

// --- instance types

static const char own_types[] =
    "[{\"name\": \"tiny.large\", \"architecture\": \"amd64\", \"operatingSystems\": [\"linux\"], \"resources\": "
    "{\"cpu\": \"2\", \"memory\": \"4Gi\"}, \"offerings\": [{\"Price\": 0.5, \"Available\": false, \"Requirements\": "
    "[{\"key\": \"topology.kubernetes.io/zone\", \"operator\": \"In\", \"values\": [\"here\"]}, {\"key\": "
    "\"karpenter.sh/capacity-type\", \"operator\": \"In\", \"values\": [\"on-demand\"]}]}]}]";

TEST(types_are_the_same_for_all_pools_and_times) {
    Bed *bed = bed_new(NULL);
    const InstanceTypeVec *first, *second;
    CloudError error;
    Slice reason = SLICE("x");

    assert_int_equal(cloud_instance_types(bed->cloud, &(NodePool){0}, &first, &error), OK);
    assert_int_equal(cloud_instance_types(bed->cloud, NULL, &second, &error), OK);
    assert_ptr_equal(first, second);
    assert_int_equal(first->count, 144);
    assert_int_equal(cloud_is_drifted(bed->cloud, &(NodeClaim){0}, &reason, &error), OK);
    assert_int_equal(reason.len, 0);
    bed_free(bed);
}

TEST(types_of_a_file_are_all_available) {
    Bed *bed = bed_new(own_types);
    const InstanceTypeVec *types;
    CloudInstance instance;

    assert_int_equal(cloud_instance_types(bed->cloud, NULL, &types, NULL), OK);
    assert_int_equal(types->count, 1);
    assert_true(types->items[0].offerings.items[0].available);
    instance = bed_launch(bed, bed_make_claim(bed, "general-1", "[" TYPES("tiny.large") "]", "{cpu: 1}"));
    assert_string_equal(label(bed, &instance, "karpenter.kwok.sh/instance-size"), "large");
    assert_text(bed, instance.zone, "here");
    assert_int_equal(resources_get(&instance.allocatable, NAME_PODS), 110);
    assert_int_equal(resources_get(&instance.allocatable, NAME_CPU), 1900);
    bed_free(bed);
}

TEST(a_file_that_is_no_list_of_types_is_refused) {
    Bed *bed = bed_new(NULL);
    KwokProvider *provider = NULL;
    KwokConfig config = {.kube = bed->kube, .symbols = bed_symbols(bed), .types_file = SLICE("mine.json")};
    static const char *const texts[] = {"", "{}", "[{\"name\": 3}]", "[{"};
    Err err;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        config.types_text = slice_of(texts[i]);
        assert_int_equal(kwok_provider_new(&config, &provider, &err), ERR_INVALID);
        assert_non_null(strstr(err.text, "mine.json"));
        assert_null(provider);
    }
    bed_free(bed);
}

// --- names

TEST(names_lead_back_to_their_claims) {
    static const struct {
        const char *claim, *hostname;
    } rows[] = {
        {"general-x7k2p", "general-x7k2p"},
        {"my.pool-1", "my.pool-1"},
        {"a-123456789-b-123456789-c-123456789-d-123456789-e-123456789-f-12-x7k2p",
         "6789-b-123456789-c-123456789-d-123456789-e-123456789-f-12-x7k2p"},
        {"abcdefg-123456789-b-123456789-c-123456789-d-123456789-e-123456789-f12", NULL},
    };
    Arena arena = {0};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Slice claim = slice_of(rows[i].claim), hostname = kwok_hostname(claim);
        Slice node = kwok_node_name(&arena, claim, SLICE("3c0e5a52-6f27-4a1c-a4c4-0a1a0a0d6c02"));

        if (rows[i].hostname)
            assert_true(slice_eq_text(hostname, rows[i].hostname));
        assert_true(hostname.len <= 63 && hostname.ptr[0] != '-' && hostname.ptr[0] != '.');
        assert_true(slice_eq(kwok_claim_name(node, hostname), claim));
    }
    // Of Karpenter: silly names, a number, ten letters, a number.
    assert_true(slice_eq_text(kwok_claim_name(SLICE("kwok-general-1-happyfox-12-abcdefghij-99"), SLICE("general-1")),
                              "general-1"));
    assert_true(slice_eq_text(kwok_claim_name(SLICE("something"), SLICE("general-1")), "general-1"));
    arena_free(&arena);
}

TEST(long_names_are_still_names) {
    char claim[254];
    Arena arena = {0};
    Slice node;

    memset(claim, 'a', sizeof claim - 1);
    claim[sizeof claim - 1] = 0;
    claim[199] = '.';
    claim[198] = '-';
    node = kwok_node_name(&arena, slice_of(claim), SLICE("u"));
    assert_true(node.len <= 253);
    for (size_t i = 1; i < node.len; i++)
        assert_false(node.ptr[i] == '-' && node.ptr[i - 1] == '.');
    assert_int_equal(kwok_hostname(slice_of(claim)).len, 63);
    arena_free(&arena);
}

// A claim of a pool with a long name gets a Node, whose hostname is still a label and still its own.
TEST(claims_with_long_names_get_nodes) {
    Bed *bed = bed_new(NULL);
    CloudInstanceVec list = {0};
    CloudError error;

    bed_launch(bed, bed_make_claim(bed, "a-123456789-b-123456789-c-123456789-d-123456789-e-123456789-f-1-aaaaa",
                                   "[" LINUX_C4 "]", "{}"));
    bed_launch(bed, bed_make_claim(bed, "a-123456789-b-123456789-c-123456789-d-123456789-e-123456789-f-1-bbbbb",
                                   "[" LINUX_C4 "]", "{}"));
    assert_int_equal(cloud_list(bed->cloud, &bed->arena, &list, &error), OK);
    assert_int_equal(list.count, 2);
    assert_string_not_equal(label(bed, &list.items[0], "kubernetes.io/hostname"),
                            label(bed, &list.items[1], "kubernetes.io/hostname"));
    assert_text(bed, list.items[0].claim_name, "a-123456789-b-123456789-c-123456789-d-123456789-e-123456789-f-1-aaaaa");
    bed_free(bed);
}

// --- memory

// Three days of Nodes that come and go: their names are not kept.
TEST(symbols_of_removed_nodes_are_removed) {
    Bed *bed = bed_new(NULL);
    uint32_t most = 0, held;
    char name[32];

    for (uint32_t hour = 0; hour < 72; hour++) {
        for (uint32_t i = 0; i < 100; i++) {
            ArenaMark mark = arena_mark(&bed->arena);
            const KubeKindInfo *kind = kube_kind(KUBE_NODE_CLAIM);
            SymbolHolder holder = {.table = bed_symbols(bed)->table};
            Symbols words = {holder.table, &holder};
            CloudLaunch launch = {0};
            NodeClaim *claim = arena_alloc(&bed->arena, object_decoded_size(kind->group, kind->kind));
            CloudInstance instance;
            CloudError error = {0};
            Value object;

            snprintf(name, sizeof name, "claim-%u-%u", hour, i);
            object = bed_create_object(bed,
                                       "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: %s}, spec: "
                                       "{nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: "
                                       "default}, requirements: []}}",
                                       name);
            assert_int_equal(object_decode(&bed->arena, &words, kind->group, kind->kind, &object, claim, NULL), OK);
            launch.claim = claim;
            assert_int_equal(cloud_launch(bed->cloud, &bed->arena, &launch, &instance, &error), OK);
            assert_terminated(bed, instance.provider_id);
            bed_delete(bed, KUBE_NODE_CLAIM, name);
            symbol_holder_free(&holder);
            arena_rewind(&bed->arena, mark);
        }
        bed->now_ns += SECONDS(3600);
        held = bed->provider->words.young.count + bed->provider->words.old.count;
        most = hour == 2 ? held : most;
        assert_true(hour < 3 || held <= most + 8);
    }
    assert_true(most >= 100);
    bed_free(bed);
}
