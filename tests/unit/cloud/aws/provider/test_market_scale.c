// What lists cost: memory of many classes, replaced lists, and the time that a mark takes. All of a region's types in
// all of its zones. Reference aws.md 2.3, 4.4.
#include "cloud/aws/provider/market_parts.h"
#include "cloud/support/provider_world.h"

#include <stdio.h>

enum { CLASSES = 20, MIB = 1 << 20 };

static ProviderWorld *setup(void) {
    return provider_world("us-east-1", NULL);
}

FIXTURE(ProviderWorld, setup, provider_world_free);

#define ZONES                                                                                                          \
    "status:\n  subnets:\n  - {id: s-a, zone: us-east-1a, zoneID: use1-az1}\n"                                         \
    "  - {id: s-b, zone: us-east-1b, zoneID: use1-az2}\n  - {id: s-c, zone: us-east-1c, zoneID: use1-az3}\n"           \
    "  - {id: s-d, zone: us-east-1d, zoneID: use1-az4}\n  - {id: s-e, zone: us-east-1e, zoneID: use1-az5}\n"           \
    "  - {id: s-f, zone: us-east-1f, zoneID: use1-az6}\n"

static const char *class_name(ProviderWorld *w, int number) {
    return arena_printf(&w->arena, "class-%d", number).ptr;
}

// Each with a list of its own, or all with the same.
static void add_classes(ProviderWorld *w, bool are_equal) {
    for (int i = 0; i < CLASSES; i++)
        provider_class(w, class_name(w, i),
                       arena_printf(&w->arena, "  kubelet: {maxPods: %d}\n%s", are_equal ? 50 : 50 + i, ZONES).ptr);
}

static const InstanceTypeVec *types(ProviderWorld *w, int number) {
    return provider_types(w->provider, slice_of(class_name(w, number)));
}

// Bytes of the lists of classes, each once, and of those that were replaced. The list that others share with is the
// first class'.
static size_t list_bytes(const ProviderWorld *w) {
    const ProviderMarket *market = w->provider->market;
    size_t bytes = market->retired.bytes;

    for (uint32_t i = 0; i < market->class_count; i++) {
        const MarketClass *class = market->classes[i];
        bool is_first = true;

        for (uint32_t k = 0; k < i; k++)
            is_first &= market->classes[k]->lasting != class->lasting;
        bytes += is_first ? arena_used(&class->lasting->arena) : 0;
        bytes += class->present && class->present != class->lasting ? arena_used(&class->present->arena) : 0;
    }
    return bytes;
}

static void mark_type(ProviderWorld *w, const InstanceType *type, Symbol zone) {
    UnavailableMark mark = {.kind = UNAVAILABLE_OFFERING, .capacity_type = NAME_SPOT, .type = type->name, .zone = zone};
    const UnavailableMarkVec marks = {&mark, 1, 1};

    provider_mark(w->provider, &marks);
}

TEST_F(ProviderWorld, w, twenty_equal_classes_cost_one_list) {
    add_classes(w, true);
    for (int i = 0; i < CLASSES; i++)
        assert_ptr_equal(types(w, i), types(w, 0));
    assert_true(types(w, 0)->count > 1000);
    print_message("%u types x 6 zones, 20 equal classes: %.1f MiB\n", types(w, 0)->count, (double)list_bytes(w) / MIB);
    assert_true(list_bytes(w) < 8 * MIB);
}

TEST_F(ProviderWorld, w, twenty_different_classes_cost_what_they_have_apart) {
    add_classes(w, false);
    for (int i = 0; i < CLASSES; i++)
        assert_non_null(types(w, i));
    print_message("%u types x 6 zones, 20 different classes: %.1f MiB\n", types(w, 0)->count,
                  (double)list_bytes(w) / MIB);
    assert_true(list_bytes(w) < 30 * MIB);
}

TEST_F(ProviderWorld, w, marks_without_end_keep_memory_bounded_while_a_reader_takes_an_hour) {
    uint64_t ticket = provider_types_hold(w->provider);
    size_t most = 0, lists = 0;
    const InstanceTypeVec *last = NULL;

    add_classes(w, true);
    for (int second = 0; second < 60 * 60; second++) {
        const InstanceTypeVec *first = types(w, 0);
        const InstanceType *type = &first->items[(uint32_t)second * 7 % first->count];

        mark_type(w, type, type->offerings.items[0].zone);
        memory_pass(w->memory, NS_PER_S);
        lists += types(w, 0) != last;
        last = types(w, 0);
        if (list_bytes(w) > most)
            most = list_bytes(w);
    }
    print_message("a mark each second for an hour: %zu lists, at most %.1f MiB\n", lists, (double)most / MIB);
    assert_true(lists > 100);
    assert_true(most < 100u * MIB);
    provider_types_release(w->provider, ticket);
    assert_true(list_bytes(w) < 8 * MIB);
}

enum { MARKS = 30 };

// Marks that replace the list as often; `ret_lists`: where each was.
static void mark_many(ProviderWorld *w, const InstanceTypeVec **ret_lists) {
    for (int i = 0; i < MARKS; i++) {
        mark_type(w, &types(w, 0)->items[i], provider_word(w, "us-east-1a"));
        memory_pass(w->memory, 10 * NS_PER_S);
        ret_lists[i] = types(w, 0);
    }
}

TEST_F(ProviderWorld, w, what_was_replaced_is_freed_with_the_last_ticket_of_before) {
    const RetiredLists *retired = &w->provider->market->retired;
    uint64_t first = provider_types_hold(w->provider), second = provider_types_hold(w->provider), late;
    const InstanceTypeVec *lists[MARKS];

    add_classes(w, true);
    mark_many(w, lists);
    late = provider_types_hold(w->provider);
    assert_int_equal(retired->released, 0);
    assert_true(retired->bytes > 0);
    provider_types_release(w->provider, first);
    assert_int_equal(retired->released, 0);
    provider_types_release(w->provider, second);
    assert_int_equal(retired->released, retired->count);
    assert_int_equal(retired->bytes, 0);
    mark_many(w, lists);
    assert_true(retired->bytes > 0);
    provider_types_release(w->provider, late);
    assert_int_equal(retired->bytes, 0);
}

TEST_F(ProviderWorld, w, an_address_is_not_used_again_for_an_hour) {
    const RetiredLists *retired = &w->provider->market->retired;
    const InstanceTypeVec *lists[MARKS];

    add_classes(w, true);
    mark_many(w, lists);
    for (int i = 1; i < MARKS; i++) {
        for (int k = 0; lists[i] != lists[i - 1] && k < i; k++) // a mark of what the class has not changes nothing
            assert_ptr_not_equal(lists[i], lists[k]);
    }
    assert_true(retired->count >= 20);
    memory_pass(w->memory, NS_PER_HOUR);
    types(w, 0);
    assert_true(retired->count < 20);
}

static int64_t cpu_ns(void) {
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return ns_of_timespec(time);
}

// The end of marks is noticed by the engine's thread: not more than 5 ms of it.
static int64_t time_of_list(ProviderWorld *w) {
    int64_t begin = cpu_ns();

    assert_non_null(types(w, 0));
    return cpu_ns() - begin;
}

static int64_t best_time(ProviderWorld *w, void (*mark)(ProviderWorld *w), bool at_end) {
    int64_t best = INT64_MAX;

    for (int i = 0; i < 5; i++) {
        int64_t taken;

        memory_pass(w->memory, NS_PER_HOUR);
        types(w, 0);
        mark(w);
        memory_pass(w->memory, NS_PER_S);
        taken = at_end ? 0 : time_of_list(w);
        if (at_end) {
            types(w, 0);
            memory_pass(w->memory, 180 * NS_PER_S);
            taken = time_of_list(w);
        }
        if (taken < best)
            best = taken;
    }
    return best;
}

static void mark_one(ProviderWorld *w) {
    provider_mark_offering(w, "spot", "m5.large", "us-east-1a");
}

static void mark_spot(ProviderWorld *w) {
    UnavailableMark mark = {.kind = UNAVAILABLE_CAPACITY_TYPE, .capacity_type = NAME_SPOT};
    const UnavailableMarkVec marks = {&mark, 1, 1};

    provider_mark(w->provider, &marks);
}

static void mark_everything(ProviderWorld *w) {
    const InstanceTypeVec *all = types(w, 0);
    UnavailableMarkVec marks = {0};

    for (vec_each(const InstanceType, type, all)) {
        for (vec_each(const Offering, offering, &type->offerings))
            vec_push(&w->arena, &marks,
                     (UnavailableMark){.kind = UNAVAILABLE_OFFERING,
                                       .capacity_type = offering->capacity_type,
                                       .type = type->name,
                                       .zone = offering->zone});
    }
    provider_mark(w->provider, &marks);
}

TEST_F(ProviderWorld, w, a_mark_and_its_end_take_less_than_five_milliseconds) {
    static const struct {
        const char *name;
        void (*mark)(ProviderWorld *w);
    } kinds[] = {{"one offering", mark_one}, {"all spot", mark_spot}, {"every offering", mark_everything}};

    provider_class(w, class_name(w, 0), ZONES);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int64_t begin = best_time(w, kinds[i].mark, false), end = best_time(w, kinds[i].mark, true);

        print_message("%s marked: %.2f ms, its end: %.2f ms\n", kinds[i].name, (double)begin / NS_PER_MS,
                      (double)end / NS_PER_MS);
        if (test_random_cases(100) == 100) { // not under a sanitizer
            assert_true(begin < 5 * NS_PER_MS);
            assert_true(end < 5 * NS_PER_MS);
        }
    }
}

// Metrics are made when they are asked for, of lists that are there; nothing of them is kept. Twenty classes with lists
// of their own.
TEST_F(ProviderWorld, w, metrics_of_twenty_classes_are_gathered_while_nobody_waits) {
    struct timespec begin, end;
    MarketFacts facts;
    Arena arena = {0};
    double took_ms;

    add_classes(w, false);
    facts = aws_provider_market(w->provider, &arena); // makes the lists of the present
    arena_free(&arena);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    facts = aws_provider_market(w->provider, &arena);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    took_ms = (double)(ns_of_timespec(end) - ns_of_timespec(begin)) / NS_PER_MS;
    print_message("%u types, %u offerings of 20 classes: %.1f ms, %.1f MiB\n", facts.types.count, facts.offerings.count,
                  took_ms, (double)arena_used(&arena) / MIB);
    assert_true(facts.offerings.count > 15000);
    assert_true(took_ms < 500); // sanitizers
    assert_true(arena_used(&arena) < 16u * MIB);
    arena_free(&arena);
}
