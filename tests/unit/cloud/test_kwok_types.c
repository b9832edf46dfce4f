// Instance types without a cloud: the 144 defaults of Karpenter's KWOK build, and JSON lists of users.
#include "cloud/kwok/type_builder.h"
#include "cloud/kwok/types.h"
#include "harness/test.h"

#include <stdio.h>

static const int64_t MIB = 1 << 20, GIB = 1 << 30;

static Arena arena;
static Symbols symbols;

static void begin(void) {
    names_init(&symbols);
}

static void end(void) {
    symbols_free(&symbols);
    arena_free(&arena);
    arena = (Arena){0};
}

BEFORE_EACH(begin);
AFTER_EACH(end);

static Symbol symbol(const char *text) {
    return symbol_intern(&symbols, slice_of(text));
}

static const InstanceType *type_of(const InstanceTypeVec *types, const char *name) {
    for (uint32_t i = 0; i < types->count; i++) {
        if (types->items[i].name == symbol(name))
            return &types->items[i];
    }
    fail_msg("no type %s", name);
    return NULL;
}

// The values of a label, sorted by text and joined by spaces.
static void assert_label(const InstanceType *type, const char *key, const char *expected) {
    const Requirement *requirement = requirements_get(&type->requirements, symbol(key));
    Slice got;

    assert_non_null(requirement);
    got = requirement_print(&arena, &symbols, requirement);
    if (!slice_eq_text(got, expected))
        fail_msg("expected \"%s\", got \"%.*s\"", expected, SLICE_ARG(got));
}

TEST(there_are_144_default_types) {
    InstanceTypeVec types = kwok_default_types(&arena, &symbols);

    assert_int_equal(types.count, 144);
    assert_int_equal(types.items[0].name, symbol("c-1x-amd64-linux"));
    assert_int_equal(types.items[143].name, symbol("m-256x-arm64-windows"));
}

// The numbers are those of the file that Karpenter ships.
TEST(a_default_type_follows_the_formula) {
    InstanceTypeVec types = kwok_default_types(&arena, &symbols);
    const InstanceType *type = type_of(&types, "c-1x-amd64-linux");

    assert_int_equal(resources_get(&type->capacity, NAME_CPU), 1000);
    assert_int_equal(resources_get(&type->capacity, NAME_MEMORY), 2 * GIB);
    assert_int_equal(resources_get(&type->capacity, NAME_PODS), 16);
    assert_int_equal(resources_get(&type->capacity, NAME_EPHEMERAL_STORAGE), 20 * GIB);
    assert_int_equal(resources_get(&type->overhead, NAME_CPU), 100);
    assert_int_equal(resources_get(&type->overhead, NAME_MEMORY), 10 * MIB);
    assert_int_equal(type->offerings.count, 8);
    assert_int_equal(type->offerings.items[0].capacity_type, NAME_SPOT);
    assert_true(type->offerings.items[0].price_per_hour == 0.019003238553599998);
    assert_true(type->offerings.items[1].price_per_hour == 0.027147483648);
    assert_int_equal(type->offerings.items[7].zone, symbol("test-zone-d"));
    assert_label(type, "topology.kubernetes.io/zone",
                 "topology.kubernetes.io/zone In [test-zone-a test-zone-b test-zone-c test-zone-d]");
    assert_label(type, "karpenter.sh/capacity-type", "karpenter.sh/capacity-type In [on-demand spot]");
    assert_label(type, "karpenter.kwok.sh/instance-size", "karpenter.kwok.sh/instance-size In [1]");
    assert_label(type, "karpenter.kwok.sh/instance-family", "karpenter.kwok.sh/instance-family In [c]");
    assert_label(type, "karpenter.kwok.sh/instance-cpu", "karpenter.kwok.sh/instance-cpu In [1]");
    assert_label(type, "karpenter.kwok.sh/instance-memory", "karpenter.kwok.sh/instance-memory In [2Gi]");
    type = type_of(&types, "m-256x-arm64-windows");
    assert_int_equal(resources_get(&type->capacity, NAME_PODS), 1024);
    assert_label(type, "karpenter.kwok.sh/instance-memory", "karpenter.kwok.sh/instance-memory In [2Ti]");
    assert_label(type, "kubernetes.io/os", "kubernetes.io/os In [windows]");
    assert_label(type, "kubernetes.io/arch", "kubernetes.io/arch In [arm64]");
}

TEST(sizes_and_families_come_from_names) {
    static const struct {
        const char *name, *size, *family;
    } rows[] = {{"m5.large", "large", "m5"},     {"m5.24xlarge", "24xlarge", "m5"},
                {"m5.xlarge", "xlarge", "m5"},   {"c7i-flex.large", "CPU", "c7i"},
                {"m5.metal-24xl", "CPU", "m5"},  {"n2-standard-4", "CPU", "n2"},
                {"Standard_D4s_v3", "CPU", "S"}, {"c-4x-amd64-linux", "CPU", "c"},
                {"m5.huge", "CPU", "m5"},        {"m5.", "CPU", "m5"},
                {".large", "CPU", ""},           {"x", "CPU", "x"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(slice_eq_text(kwok_size(slice_of(rows[i].name), SLICE("CPU")), rows[i].size));
        assert_true(slice_eq_text(kwok_family(slice_of(rows[i].name)), rows[i].family));
    }
}

#define OFFERING                                                                                                       \
    "{\"Price\": 0.5, \"Requirements\": ["                                                                             \
    "{\"key\": \"karpenter.sh/capacity-type\", \"operator\": \"In\", \"values\": [\"on-demand\"]}, "                   \
    "{\"key\": \"topology.kubernetes.io/zone\", \"operator\": \"In\", \"values\": [\"zone-a\"]}]}"
#define TYPE(name, rest)                                                                                               \
    "{\"name\": \"" name "\", \"architecture\": \"amd64\", \"operatingSystems\": [\"linux\"], "                        \
    "\"resources\": {\"cpu\": \"2\", \"memory\": \"8Gi\"}, \"offerings\": [" OFFERING "]" rest "}"

static InstanceTypeVec read_types(const char *text) {
    InstanceTypeVec types = {0};
    Err err = {0};

    if (kwok_types_read(&arena, &symbols, SLICE("types.json"), slice_of(text), &types, &err) != OK)
        fail_msg("%s", err.text);
    return types;
}

TEST(a_list_is_read_with_kwoks_defaults) {
    InstanceTypeVec types = read_types("[" TYPE("m5.large", "") ", " TYPE("m5.xlarge", "") "]");
    const InstanceType *type = type_of(&types, "m5.large");

    assert_int_equal(types.count, 2);
    assert_int_equal(resources_get(&type->capacity, NAME_CPU), 2000);
    assert_int_equal(resources_get(&type->capacity, NAME_PODS), 110);
    assert_int_equal(resources_get(&type->overhead, NAME_CPU), 100);
    assert_int_equal(type->offerings.count, 1);
    assert_true(type->offerings.items[0].available);
    assert_true(type->offerings.items[0].price_per_hour == 0.5);
    assert_int_equal(type->offerings.items[0].zone, symbol("zone-a"));
    assert_int_equal(type->offerings.items[0].capacity_type, NAME_ON_DEMAND);
    assert_label(type, "karpenter.kwok.sh/instance-size", "karpenter.kwok.sh/instance-size In [large]");
    assert_label(type, "karpenter.kwok.sh/instance-memory", "karpenter.kwok.sh/instance-memory In [8Gi]");
    assert_label(type, "topology.kubernetes.io/zone", "topology.kubernetes.io/zone In [zone-a]");
}

TEST(extensions_are_read) {
    InstanceTypeVec types =
        read_types("[" TYPE("g4.large", ", \"overhead\": {\"memory\": \"1Gi\"}, "
                                        "\"requirements\": [{\"key\": \"karpenter.k8s.aws/instance-gpu-name\", "
                                        "\"operator\": \"In\", \"values\": [\"t4\"]}], "
                                        "\"volumeLimits\": {\"ebs.csi.aws.com\": 25}") "]");
    const InstanceType *type = type_of(&types, "g4.large");

    assert_int_equal(resources_get(&type->overhead, NAME_CPU), 0);
    assert_int_equal(resources_get(&type->overhead, NAME_MEMORY), GIB);
    assert_label(type, "karpenter.k8s.aws/instance-gpu-name", "karpenter.k8s.aws/instance-gpu-name In [t4]");
    assert_int_equal(type->volume_limits.count, 1);
    assert_int_equal(type->volume_limits.items[0].driver, symbol("ebs.csi.aws.com"));
    assert_int_equal(type->volume_limits.items[0].count, 25);
}

TEST(offerings_may_be_reserved_overridden_or_unavailable) {
    InstanceTypeVec types = read_types(
        "[{\"name\": \"a.b\", \"architecture\": \"arm64\", \"resources\": {\"cpu\": 4, \"memory\": \"8Gi\"}, "
        "\"offerings\": ["
        "{\"Price\": 1, \"Available\": false, \"Requirements\": ["
        "  {\"key\": \"karpenter.sh/capacity-type\", \"operator\": \"In\", \"values\": [\"spot\", \"on-demand\"]},"
        "  {\"key\": \"topology.kubernetes.io/zone\", \"operator\": \"In\", \"values\": [\"a\", \"b\"]}]},"
        "{\"Price\": 0.1, \"ReservationCapacity\": 3, \"capacityOverride\": {\"memory\": \"6Gi\"}, \"Requirements\": ["
        "  {\"key\": \"karpenter.sh/capacity-type\", \"operator\": \"In\", \"values\": [\"reserved\"]},"
        "  {\"key\": \"topology.kubernetes.io/zone\", \"operator\": \"In\", \"values\": [\"a\"]},"
        "  {\"key\": \"karpenter.k8s.aws/capacity-reservation-id\", \"operator\": \"In\", \"values\": "
        "[\"cr-1\"]}]}]}]");
    const OfferingVec *offerings = &types.items[0].offerings;

    assert_int_equal(offerings->count, 5); // two zones times two capacity types, and the reserved one
    for (uint32_t i = 0; i < 4; i++) {
        assert_false(offerings->items[i].available);
        assert_int_equal(requirements_get(&offerings->items[i].requirements, NAME_ZONE)->values.count, 1);
    }
    assert_true(offerings->items[4].available);
    assert_int_equal(offerings->items[4].reservation_id, symbol("cr-1"));
    assert_int_equal(offerings->items[4].reservation_capacity, 3);
    assert_true(offerings->items[4].has_override);
    assert_int_equal(resources_get(&offerings->items[4].capacity_override, NAME_MEMORY), 6 * GIB);
    assert_label(&types.items[0], "kubernetes.io/os", "kubernetes.io/os In [linux]");
    assert_label(&types.items[0], "karpenter.sh/capacity-type",
                 "karpenter.sh/capacity-type In [on-demand reserved spot]");
}

// Karpenter's example list has every type once for Linux and once for Windows.
TEST(entries_per_operating_system_become_one_type) {
    static const char *const systems[] = {"windows", "linux", "linux"};
    Slice text = SLICE("");

    for (size_t i = 0; i < 3; i++)
        text =
            arena_printf(&arena,
                         "%.*s%s{\"name\": \"m5.large\", \"architecture\": \"amd64\", \"operatingSystems\": [\"%s\"], "
                         "\"resources\": {\"cpu\": \"2\"}, \"offerings\": [%s]}",
                         SLICE_ARG(text), i ? ", " : "", systems[i], OFFERING);
    InstanceTypeVec types = read_types(arena_text(&arena, arena_printf(&arena, "[%.*s]", SLICE_ARG(text))));

    assert_int_equal(types.count, 1);
    assert_label(&types.items[0], "kubernetes.io/os", "kubernetes.io/os In [linux windows]");
}

// Each message names file, path and line.
TEST(wrong_lists_are_refused) {
    static const struct {
        const char *text, *path, *message;
    } cases[] = {
        {"{}", "", "expected list, got map"},
        {"[3]", "[0]", "expected"},
        {"[{}]", "[0].name", "required"},
        {"[{\"name\": 3}]", "[0].name", "expected string"},
        {"[" TYPE("", "") "]", "[0]", "name: expected a name"},
        {"[" TYPE("a", "") ",\n" TYPE("a", ", \"overhead\": {}") "]", "[1]",
         "name: expected a name that is new, or the same entry for another platform; \"a\" stands on line 1"},
        {"[{\"name\": \"a\", \"architecture\": \"amd64\", \"resources\": {\"cpu\": \"two\"}, \"offerings\": []}]",
         "[0].resources.cpu", "expected a quantity of at least 0 such as \"2\" or \"8Gi\", got \"two\""},
        {"[{\"name\": \"a\", \"architecture\": \"amd64\", \"resources\": {\"cpu\": \"-2\"}, \"offerings\": []}]",
         "[0].resources.cpu", "expected a quantity of at least 0"},
        {"[{\"name\": \"a\", \"architecture\": \"amd64\", \"resources\": {\"cpu\": true}, \"offerings\": []}]",
         "[0].resources.cpu", "expected string, got bool"},
        {"[{\"name\": \"a\", \"architecture\": \"amd64\", \"resources\": {}, \"offerings\": [{\"Price\": 1, "
         "\"Requirements\": []}]}]",
         "[0].offerings[0]", "Requirements: expected one with key topology.kubernetes.io/zone"},
        {"[{\"name\": \"a\", \"architecture\": \"amd64\", \"resources\": {}, \"offerings\": [{\"Requirements\": []}]}]",
         "[0].offerings[0].Price", "required"},
        {"[{\"name\": \"a\", \"architecture\": \"amd64\", \"resources\": {}, \"offerings\": [{\"Price\": 1, "
         "\"Requirements\": [{\"key\": \"x\", \"operator\": \"Is\"}]}]}]",
         "[0].offerings[0].Requirements[0].operator", "expected In, NotIn, Exists"},
        {"[" TYPE("a", ", \"volumeLimits\": {\"d\": -1}") "]", "[0].volumeLimits.d", "expected a number of volumes"},
        {"[" TYPE("a", ", \"overhead\": 3") "]", "[0].overhead", "expected map, got number"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        InstanceTypeVec types = {.count = 77};
        Err err = {0};

        assert_int_equal(kwok_types_read(&arena, &symbols, SLICE("types.json"), slice_of(cases[i].text), &types, &err),
                         ERR_INVALID);
        if (!slice_starts_with(slice_of(err.text), slice_of(cases[i].path)) ||
            !slice_contains(slice_of(err.text), slice_of(cases[i].message)) ||
            !slice_contains(slice_of(err.text), SLICE("types.json:")))
            fail_msg("case %zu: expected \"%s: %s (types.json:…)\", got \"%s\"", i, cases[i].path, cases[i].message,
                     err.text);
        assert_int_equal(types.count, 77);
    }
}

TEST(a_text_that_is_no_json_is_refused) {
    InstanceTypeVec types = {0};
    Err err = {0};

    assert_int_equal(kwok_types_read(&arena, &symbols, SLICE("types.json"), SLICE("[{\"name\": "), &types, &err),
                     ERR_INVALID);
    assert_true(slice_contains(slice_of(err.text), SLICE("types.json")));
    assert_int_equal(kwok_types_read(&arena, &symbols, SLICE("types.json"), SLICE("[] []"), &types, &err), ERR_INVALID);
    assert_int_equal(kwok_types_read(&arena, &symbols, SLICE("types.json"), SLICE("[]"), &types, &err), OK);
}
