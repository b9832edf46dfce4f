#include "cloud/support/offers.h"

#include "harness/test.h"

#include <stdlib.h>

SliceVec test_parts(Arena *arena, Slice text, char separator) {
    SliceVec parts = {0};

    while (text.len) {
        ptrdiff_t end = slice_find(text, separator);
        Slice part = slice_trim(end < 0 ? text : slice_first(text, (size_t)end));

        if (part.len)
            vec_push(arena, &parts, part);
        text = end < 0 ? (Slice){0} : slice_from(text, (size_t)end + 1);
    }
    return parts;
}

static Symbol intern(Symbols *symbols, const char *text) {
    return symbol_intern(symbols, slice_of(text));
}

static void add_in(Arena *arena, Symbols *symbols, Requirements *set, const char *key, Slice value) {
    Requirement requirement = requirement_in(arena, intern(symbols, key), symbol_intern(symbols, value));

    requirements_add(arena, symbols, set, &requirement);
}

// --- types

static void add_reservation(Arena *arena, Symbols *symbols, Offering *offering, const SliceVec *parts) {
    Slice kind = parts->count > 5 ? parts->items[5] : SLICE("");
    bool is_block = slice_eq_text(kind, "block");
    int64_t room = 0;

    assert_true(parts->count >= 5 && slice_to_int64(parts->items[4], &room));
    offering->reservation_id = symbol_intern(symbols, parts->items[3]);
    offering->reservation_capacity = (int32_t)room;
    add_in(arena, symbols, &offering->requirements, "karpenter.k8s.aws/capacity-reservation-id", parts->items[3]);
    add_in(arena, symbols, &offering->requirements, "karpenter.k8s.aws/capacity-reservation-type",
           is_block ? SLICE("capacity-block") : SLICE("default"));
    add_in(arena, symbols, &offering->requirements, "karpenter.k8s.aws/capacity-reservation-interruptible",
           slice_eq_text(kind, "int") ? SLICE("true") : SLICE("false"));
}

static void add_offering(Arena *arena, Symbols *symbols, InstanceType *type, Slice text) {
    Offering *offering = vec_add(arena, &type->offerings);
    SliceVec parts;

    offering->available = text.ptr[0] != '!';
    parts = test_parts(arena, slice_from(text, offering->available ? 0 : 1), ':');
    assert_true(parts.count >= 3);
    offering->capacity_type = parts.items[0].ptr[0] == 's'   ? NAME_SPOT
                              : parts.items[0].ptr[0] == 'o' ? NAME_ON_DEMAND
                                                             : NAME_RESERVED;
    offering->zone = symbol_intern(symbols, parts.items[1]);
    offering->price_per_hour = strtod(arena_text(arena, parts.items[2]), NULL);
    add_in(arena, symbols, &offering->requirements, "karpenter.sh/capacity-type",
           symbol_text(symbols, offering->capacity_type));
    add_in(arena, symbols, &offering->requirements, "topology.kubernetes.io/zone", parts.items[1]);
    if (offering->capacity_type == NAME_RESERVED)
        add_reservation(arena, symbols, offering, &parts);
}

static void set_member(Arena *arena, Symbols *symbols, InstanceType *type, Slice member) {
    static const char *const names[][2] = {{"pods", "pods"},
                                           {"cpu", "cpu"},
                                           {"gpu", "nvidia.com/gpu"},
                                           {"neuron", "aws.amazon.com/neuron"},
                                           {"gaudi", "habana.ai/gaudi"},
                                           {"efa", "vpc.amazonaws.com/efa"}};
    SliceVec parts = test_parts(arena, member, '=');
    int64_t amount = 0;

    assert_int_equal(parts.count, 2);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!slice_eq_text(parts.items[0], names[i][0]))
            continue;
        assert_true(slice_to_int64(parts.items[1], &amount));
        resources_set(arena, &type->capacity, intern(symbols, names[i][1]), i == 1 ? amount * 1000 : amount);
    }
}

static void add_type(Arena *arena, Symbols *symbols, InstanceTypeVec *types, Slice text) {
    ptrdiff_t colon = slice_find(text, ':');
    InstanceType *type = vec_add(arena, types);
    SliceVec head, offerings;
    bool is_arm;

    assert_true(colon > 0);
    head = test_parts(arena, slice_first(text, (size_t)colon), ' ');
    offerings = test_parts(arena, slice_from(text, (size_t)colon + 1), ' ');
    is_arm = slice_contains(slice_first(text, (size_t)colon), SLICE("arch=arm64"));
    type->name = symbol_intern(symbols, head.items[0]);
    add_in(arena, symbols, &type->requirements, "node.kubernetes.io/instance-type", head.items[0]);
    add_in(arena, symbols, &type->requirements, "kubernetes.io/arch", is_arm ? SLICE("arm64") : SLICE("amd64"));
    resources_set(arena, &type->capacity, NAME_CPU, 2000);
    resources_set(arena, &type->capacity, NAME_PODS, 29);
    for (uint32_t i = 1; i < head.count; i++)
        set_member(arena, symbols, type, head.items[i]);
    for (vec_each(const Slice, offering, &offerings))
        add_offering(arena, symbols, type, *offering);
}

InstanceTypeVec test_types(Arena *arena, Symbols *symbols, const char *text) {
    SliceVec parts = test_parts(arena, slice_of(text), ';');
    InstanceTypeVec types = {0};

    for (vec_each(const Slice, part, &parts))
        add_type(arena, symbols, &types, *part);
    return types;
}

// --- requirements

static const char *label_of(Slice name) {
    static const char *const names[][2] = {{"ct", "karpenter.sh/capacity-type"},
                                           {"zone", "topology.kubernetes.io/zone"},
                                           {"type", "node.kubernetes.io/instance-type"},
                                           {"arch", "kubernetes.io/arch"},
                                           {"tenancy", "karpenter.k8s.aws/instance-tenancy"},
                                           {"crid", "karpenter.k8s.aws/capacity-reservation-id"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (slice_eq_text(name, names[i][0]))
            return names[i][1];
    }
    fail_msg("no label %.*s", SLICE_ARG(name));
    return NULL;
}

static void add_requirement(TestLaunch *test, Slice text) {
    SliceVec sides = test_parts(&test->arena, text, '='), values, min;
    bool is_not = text.ptr[0] == '!';
    Expression expression = {.op = is_not ? OP_NOT_IN : OP_IN};
    Requirement requirement;
    int64_t min_values = 0;

    assert_int_equal(sides.count, 2);
    expression.key = intern(&test->symbols, label_of(slice_from(sides.items[0], is_not)));
    min = test_parts(&test->arena, sides.items[1], ':');
    assert_true(min.count == 1 || slice_to_int64(min.items[1], &min_values));
    values = test_parts(&test->arena, min.items[0], '|');
    for (vec_each(const Slice, value, &values))
        vec_push(&test->arena, &expression.values, symbol_intern(&test->symbols, *value));
    expression.min_values = (int32_t)min_values;
    requirement = requirement_make(&test->arena, &test->symbols, &expression);
    requirements_add(&test->arena, &test->symbols, &test->requirements, &requirement);
}

TestLaunch *test_launch(const char *types, const char *requirements) {
    TestLaunch *test = calloc(1, sizeof *test);
    SliceVec parts;

    assert_non_null(test);
    names_init(&test->symbols);
    test->types = test_types(&test->arena, &test->symbols, types);
    parts = test_parts(&test->arena, slice_of(requirements), ' ');
    for (vec_each(const Slice, part, &parts))
        add_requirement(test, *part);
    resources_set(&test->arena, &test->requests, NAME_CPU, 1000);
    test->wish = (LaunchWish){&test->symbols, &test->requirements, &test->requests, true};
    return test;
}

void test_launch_free(TestLaunch *test) {
    symbols_free(&test->symbols);
    arena_free(&test->arena);
    free(test);
}

const char *test_choice_text(TestLaunch *test, const LaunchChoice *choice) {
    const Symbols *symbols = &test->symbols;
    Slice text = arena_printf(&test->arena, "%.*s %.*s:", SLICE_ARG(symbol_text(symbols, choice->capacity_type)),
                              SLICE_ARG(choice->tenancy));

    for (vec_each(const InstanceType, type, &choice->types)) {
        text = arena_printf(&test->arena, "%.*s %.*s[", SLICE_ARG(text), SLICE_ARG(symbol_text(symbols, type->name)));
        for (vec_each(const Offering, offering, &type->offerings)) {
            bool is_reserved = offering->reservation_id != NAME_EMPTY;

            text = arena_printf(
                &test->arena, "%.*s%s%c:%.*s%s%.*s", SLICE_ARG(text), offering == type->offerings.items ? "" : " ",
                symbol_text(symbols, offering->capacity_type).ptr[0], SLICE_ARG(symbol_text(symbols, offering->zone)),
                is_reserved ? ":" : "", SLICE_ARG(symbol_text(symbols, offering->reservation_id)));
        }
        text = arena_printf(&test->arena, "%.*s]", SLICE_ARG(text));
    }
    return arena_printf(&test->arena, "%.*s%s", SLICE_ARG(text), choice->is_inflexible ? " inflexible" : "").ptr;
}
