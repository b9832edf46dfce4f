// Resource lists and what instance types leave for pods (reference scheduling.md 3.2, 3.4).
#include "harness/test.h"
#include "model/instance_type.h"

static Arena arena;
static Symbols symbols;

static void set_up(void) {
    names_init(&symbols);
}

static void tear_down(void) {
    symbols_free(&symbols);
    arena_free(&arena);
}

BEFORE_EACH(set_up);
AFTER_EACH(tear_down);

static Resources cpu_memory(int64_t cpu_milli, int64_t memory_bytes) {
    Resources list = {0};

    resources_set(&arena, &list, NAME_MEMORY, memory_bytes);
    resources_set(&arena, &list, NAME_CPU, cpu_milli);
    return list;
}

static const char *print(const Resources *list) {
    return arena_text(&arena, resources_print_json(&arena, &symbols, list));
}

TEST(lists_add_take_the_largest_and_subtract) {
    Resources a = cpu_memory(1500, INT64_C(2) << 30), b = {0}, sum, largest, rest;

    resources_set(&arena, &b, NAME_CPU, 500);
    resources_set(&arena, &b, NAME_PODS, 1);
    sum = resources_copy(&arena, &a);
    resources_add(&arena, &sum, &b);
    assert_string_equal(print(&sum), "{\"cpu\":\"2\",\"memory\":\"2Gi\",\"pods\":\"1\"}");
    largest = resources_copy(&arena, &a);
    resources_max(&arena, &largest, &b);
    assert_string_equal(print(&largest), "{\"cpu\":\"1500m\",\"memory\":\"2Gi\",\"pods\":\"1\"}");
    rest = resources_copy(&arena, &a);
    resources_subtract(&arena, &rest, &b);
    assert_int_equal(resources_get(&rest, NAME_CPU), 1000);
    assert_int_equal(resources_get(&rest, NAME_PODS), -1);
    assert_string_equal(print(&a), "{\"cpu\":\"1500m\",\"memory\":\"2Gi\"}");
    assert_int_equal(resources_get(&a, NAME_PODS), 0);
    assert_false(resources_has(&a, NAME_PODS));
    assert_true(resources_has(&rest, NAME_PODS));
}

TEST(the_largest_of_negative_and_absent_is_negative) {
    Resources a = {0}, b = {0};

    resources_set(&arena, &b, NAME_CPU, -5);
    resources_max(&arena, &a, &b);
    assert_int_equal(resources_get(&a, NAME_CPU), -5);
}

TEST(sums_saturate) {
    Resources a = cpu_memory(INT64_MAX - 1, INT64_MIN + 1), b = cpu_memory(2, 2);

    resources_add(&arena, &a, &b);
    assert_int_equal(resources_get(&a, NAME_CPU), INT64_MAX);
    a = cpu_memory(0, INT64_MIN + 1);
    resources_subtract(&arena, &a, &b);
    assert_int_equal(resources_get(&a, NAME_MEMORY), INT64_MIN);
}

TEST(fitting_follows_karpenter) {
    Resources total = cpu_memory(1000, 1000), requested = cpu_memory(1000, 1000);
    Resources negative = cpu_memory(1000, -1), nothing = {0}, unknown = {0};

    assert_true(resources_fit(&requested, &total));
    resources_set(&arena, &requested, NAME_CPU, 1001);
    assert_false(resources_fit(&requested, &total));
    assert_true(resources_fit(&nothing, &total));
    assert_false(resources_fit(&nothing, &negative));
    resources_set(&arena, &unknown, symbol_intern(&symbols, SLICE("example.com/thing")), 0);
    assert_true(resources_fit(&unknown, &total));
    resources_set(&arena, &unknown, symbol_intern(&symbols, SLICE("example.com/thing")), 1);
    assert_false(resources_fit(&unknown, &total));
}

TEST(absent_equals_zero) {
    Resources a = cpu_memory(1000, 0), b = {0};

    resources_set(&arena, &b, NAME_CPU, 1000);
    assert_true(resources_eq(&a, &b));
    assert_true(resources_eq(&b, &a));
    resources_set(&arena, &b, NAME_PODS, 1);
    assert_false(resources_eq(&a, &b));
    assert_false(resources_eq(&b, &a));
}

TEST(amounts_print_in_the_form_of_their_resource) {
    Resources list = {0};

    resources_set(&arena, &list, symbol_intern(&symbols, SLICE("hugepages-2Mi")), 1 << 22);
    resources_set(&arena, &list, symbol_intern(&symbols, SLICE("nvidia.com/gpu")), 2);
    resources_set(&arena, &list, NAME_EPHEMERAL_STORAGE, INT64_C(20) << 30);
    resources_set(&arena, &list, NAME_CPU, 100);
    assert_string_equal(print(&list), "{\"cpu\":\"100m\",\"ephemeral-storage\":\"20Gi\",\"hugepages-2Mi\":\"4Mi\","
                                      "\"nvidia.com/gpu\":\"2\"}");
    list = (Resources){0};
    assert_string_equal(print(&list), "{}");
}

TEST(allocatable_is_capacity_less_overhead_and_huge_pages) {
    InstanceType type = {.capacity = cpu_memory(2000, 8000), .overhead = cpu_memory(70, 1000)};
    Offering offering = {.has_override = true};
    Symbol gpu = symbol_intern(&symbols, SLICE("nvidia.com/gpu"));
    Symbol huge = symbol_intern(&symbols, SLICE("hugepages-1Gi"));
    Resources list;

    list = instance_type_allocatable(&arena, &symbols, &type, NULL);
    assert_int_equal(resources_get(&list, NAME_CPU), 1930);
    assert_int_equal(resources_get(&list, NAME_MEMORY), 7000);

    resources_set(&arena, &type.overhead, NAME_PODS, 3); // not a key of capacity
    list = instance_type_allocatable(&arena, &symbols, &type, NULL);
    assert_false(resources_has(&list, NAME_PODS));

    resources_set(&arena, &offering.capacity_override, gpu, 4);
    resources_set(&arena, &offering.capacity_override, huge, 500);
    resources_set(&arena, &offering.overhead_override, NAME_CPU, 100);
    list = instance_type_allocatable(&arena, &symbols, &type, &offering);
    assert_int_equal(resources_get(&list, gpu), 4);
    assert_int_equal(resources_get(&list, NAME_CPU), 1900);
    assert_int_equal(resources_get(&list, NAME_MEMORY), 6500);
    list = instance_type_capacity(&arena, &type, &offering);
    assert_int_equal(resources_get(&list, NAME_MEMORY), 8000);
    assert_int_equal(resources_get(&list, huge), 500);

    resources_set(&arena, &offering.capacity_override, huge, 9000);
    list = instance_type_allocatable(&arena, &symbols, &type, &offering);
    assert_int_equal(resources_get(&list, NAME_MEMORY), 0);
    offering.has_override = false;
    list = instance_type_allocatable(&arena, &symbols, &type, &offering);
    assert_int_equal(resources_get(&list, NAME_MEMORY), 7000);
}
