// Properties of the embedded server beyond those of the conformance suite: equal histories, bounded memory, consistent
// pages under random writes, threads.
#include "base/time.h"
#include "sim/support/server.h"

#include "text/json.h"
#include "text/value_edit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// Histories.

typedef struct {
    uint64_t hash;
    uint32_t events, ended;
    KubeReason reason;
    KubeRevision revision;
} Log;

static bool note(void *context, const KubeEvent *event) {
    Log *log = context;
    Buffer text = {0};

    log->events++;
    assert_true(event->revision >= log->revision);
    log->revision = event->revision;
    if (event->type == KUBE_ENDED) {
        log->ended++;
        log->reason = event->error->reason;
    }
    if (event->object)
        json_print(&text, event->object, false);
    buffer_printf(&text, "%d %llu", (int)event->type, (unsigned long long)event->revision);
    log->hash = hash_combine(log->hash, slice_hash(buffer_slice(&text)));
    buffer_free(&text);
    return true;
}

static KubeWatch *follow(Fixture *fixture, KubeKind kind, Log *log) {
    KubeWatch *watch;

    assert_int_equal(kube_watch(fixture->kube, &(KubeWatchRequest){.kind = kind}, (KubeSink){note, log}, &watch, NULL),
                     OK);
    return watch;
}

// A random life of leases that own each other.
static void live(Fixture *fixture, uint64_t seed, uint32_t steps) {
    Random random;

    random_seed(&random, seed);
    for (uint32_t i = 0; i < steps; i++) {
        ArenaMark mark = arena_mark(&fixture->arena);
        uint32_t number = random_below(&random, 40);
        char name[16];
        Value found, object;
        KubeRef ref;

        snprintf(name, sizeof name, "lease-%u", number);
        ref = fixture_ref(KUBE_LEASE, name);
        fixture->now_ns += NS_PER_S * random_below(&random, 5);
        if (kube_get(fixture->kube, &fixture->arena, ref, &found, NULL) != OK) {
            object = fixture_object(
                fixture,
                "{metadata: {name: '%s', labels: {third: '%u'}, finalizers: [%s]}, spec: {holderIdentity: "
                "x}}",
                name, number % 3, random_chance(&random, 30) ? "example.com/f" : "");
            kube_create(fixture->kube, NULL, SLICE("t"), KUBE_LEASE, &object, NULL, NULL);
        } else if (random_chance(&random, 50)) {
            object = fixture_object(fixture, "{metadata: {finalizers: null}, spec: {leaseTransitions: %u}}", i);
            kube_patch(fixture->kube, NULL, SLICE("t"), ref, KUBE_OBJECT,
                       &(KubePatch){.type = KUBE_PATCH_MERGE, .body = &object}, NULL, NULL);
        } else {
            kube_remove(fixture->kube, ref, NULL, NULL);
        }
        if (random_chance(&random, 20))
            fixture_settle(fixture);
        arena_rewind(&fixture->arena, mark);
    }
    fixture_settle(fixture);
}

static uint64_t history_hash(uint64_t seed) {
    Fixture *fixture = fixture_new(seed, 0);
    Log log = {0};
    KubeWatch *watch = follow(fixture, KUBE_LEASE, &log);

    fixture_settle(fixture); // initial events would come in the order of names
    live(fixture, 5, 2000);
    kube_unwatch(fixture->kube, watch);
    fixture_free(fixture);
    assert_true(log.events > 1000);
    return log.hash;
}

TEST(equal_seeds_give_equal_histories) {
    uint64_t first = history_hash(1);

    assert_true(history_hash(1) == first);
    assert_false(history_hash(2) == first); // other uids
}

TEST(a_watch_that_falls_behind_is_too_old) {
    Fixture *fixture = fixture_new(1, 64);
    Log log = {0};
    KubeWatch *watch = follow(fixture, KUBE_LEASE, &log);
    Value object = fixture_object(fixture, "{metadata: {generateName: x-}, spec: {}}");

    fixture_settle(fixture);
    for (int i = 0; i < 65; i++)
        fixture_create(fixture, KUBE_LEASE, &object);
    fixture_settle(fixture);
    assert_int_equal(log.ended, 1);
    assert_int_equal(log.reason, KUBE_REASON_EXPIRED);
    fixture_create(fixture, KUBE_LEASE, &object);
    fixture_settle(fixture);
    assert_int_equal(log.events, 1);
    kube_unwatch(fixture->kube, watch);
    fixture_free(fixture);
}

TEST(quiet_kinds_do_not_age_with_busy_ones) {
    Fixture *fixture = fixture_new(1, 64);
    Value node = fixture_object(fixture, "{metadata: {name: node}}"),
          lease = fixture_object(fixture, "{metadata: {generateName: x-}}");
    Log log = {0};
    KubeWatch *watch;
    Value made;

    made = fixture_create(fixture, KUBE_NODE, &node);
    for (int i = 0; i < 200; i++)
        fixture_create(fixture, KUBE_LEASE, &lease);
    assert_int_equal(kube_watch(fixture->kube, &(KubeWatchRequest){.kind = KUBE_NODE, .revision = kube_revision(&made)},
                                (KubeSink){note, &log}, &watch, NULL),
                     OK);
    fixture_delete(fixture, KUBE_NODE, "node");
    fixture_settle(fixture);
    assert_int_equal(log.events, 1);
    kube_unwatch(fixture->kube, watch);
    fixture_free(fixture);
}

TEST(memory_of_old_versions_is_bounded) {
    Fixture *fixture = fixture_new(1, 256);
    Value object = fixture_object(fixture, "{metadata: {name: x}, spec: {holderIdentity: a}}");
    size_t before;

    fixture_create(fixture, KUBE_LEASE, &object);
    for (int i = 0; i < 300; i++)
        fixture_patch(fixture, KUBE_LEASE, "x", i % 2 ? "{spec: {holderIdentity: a}}" : "{spec: {holderIdentity: b}}");
    before = api_usage(fixture->server).bytes;
    for (int i = 0; i < 3000; i++)
        fixture_patch(fixture, KUBE_LEASE, "x", i % 2 ? "{spec: {holderIdentity: a}}" : "{spec: {holderIdentity: b}}");
    assert_true(api_usage(fixture->server).bytes <= before + 64);
    fixture_free(fixture);
}

TEST(events_of_all_kinds_come_in_the_order_of_writes) {
    Fixture *fixture = fixture_new(1, 0);
    Value node = fixture_object(fixture, "{metadata: {generateName: n-}}"),
          lease = fixture_object(fixture, "{metadata: {generateName: "
                                          "x-}}");
    Log log = {0};
    KubeWatch *nodes, *leases;

    nodes = follow(fixture, KUBE_NODE, &log);
    leases = follow(fixture, KUBE_LEASE, &log);
    fixture_settle(fixture);
    for (int i = 0; i < 10; i++) {
        fixture_create(fixture, i % 3 ? KUBE_LEASE : KUBE_NODE, i % 3 ? &lease : &node);
    }
    fixture_settle(fixture); // note() asserts that revisions grow over both
    assert_int_equal(log.events, 10);
    kube_unwatch(fixture->kube, nodes);
    kube_unwatch(fixture->kube, leases);
    fixture_free(fixture);
}

// Pages.

// All leases in pages, with random writes between the pages: must be the state of the first page.
TEST(pages_are_consistent_whatever_happens_between) {
    Fixture *fixture = fixture_new(3, 4096);

    for (uint64_t round = 0; round < 40; round++) {
        ArenaMark mark = arena_mark(&fixture->arena);
        KubeListRequest request = {.kind = KUBE_LEASE, .ns = SLICE("default")};
        KubeList whole, page;
        uint32_t at = 0;

        live(fixture, 100 + round, 30);
        assert_int_equal(kube_list(fixture->kube, &fixture->arena, &request, &whole, NULL), OK);
        request.limit = 1 + (uint32_t)(round % 7);
        do {
            assert_int_equal(kube_list(fixture->kube, &fixture->arena, &request, &page, NULL), OK);
            for (uint32_t i = 0; i < page.items.count; i++, at++)
                assert_true(at < whole.items.count && value_eq(&whole.items.items[at], &page.items.items[i]));
            assert_true(page.revision == whole.revision);
            request.from = page.next;
            live(fixture, 1000 + round * 50 + at, 10);
        } while (page.next.len);
        assert_int_equal(at, whole.items.count);
        arena_rewind(&fixture->arena, mark);
    }
    fixture_free(fixture);
}

// Threads.

enum { THREADS = 4, WRITES = 300 };

static void *write_many(void *context) {
    Fixture *fixture = context;
    Arena arena = {0};

    for (int i = 0; i < WRITES; i++) {
        Value object = value_map(), made;

        value_put(&arena, value_make(&arena, &object, "metadata", NULL), SLICE("generateName"),
                  value_string(SLICE("t-")));
        assert_int_equal(kube_create(fixture->kube, &arena, SLICE("t"), KUBE_LEASE, &object, &made, NULL), OK);
        if (i % 2)
            kube_remove(fixture->kube, (KubeRef){KUBE_LEASE, SLICE("default"), kube_name(&made)}, NULL, NULL);
    }
    arena_free(&arena);
    return NULL;
}

TEST(many_threads_may_write) {
    Fixture *fixture = fixture_new(1, 0);
    pthread_t threads[THREADS];
    Log log = {0};
    KubeWatch *watch = follow(fixture, KUBE_LEASE, &log);
    KubeList all;

    fixture_settle(fixture); // initial events would come in the order of names
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_many, fixture), 0);
    for (int i = 0; i < 100; i++)
        api_step(fixture->server);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    fixture_settle(fixture);
    assert_int_equal(kube_list(fixture->kube, &fixture->arena, &(KubeListRequest){.kind = KUBE_LEASE}, &all, NULL), OK);
    assert_int_equal(all.items.count, THREADS * WRITES / 2);
    assert_int_equal(log.ended, 0);
    kube_unwatch(fixture->kube, watch);
    fixture_free(fixture);
}

// Lookups.

static bool count_visit(void *context, const Value *object) {
    uint32_t *left = context;

    assert_true(kube_name(object).len > 0);
    return --*left > 0;
}

TEST(a_visit_borrows_objects_and_may_end) {
    Fixture *fixture = fixture_new(1, 0);
    uint32_t left = 3;

    api_visit(fixture->server, KUBE_NAMESPACE, count_visit, &left);
    assert_int_equal(left, 0);
    fixture_free(fixture);
}

static bool take_two(void *context, const KubeEvent *event) {
    uint32_t *taken = context;

    (void)event;
    return ++*taken < 2;
}

TEST(a_sink_may_end_its_watch) {
    Fixture *fixture = fixture_new(1, 0);
    KubeWatch *watch;
    uint32_t taken = 0;

    assert_int_equal(kube_watch(fixture->kube, &(KubeWatchRequest){.kind = KUBE_NAMESPACE},
                                (KubeSink){take_two, &taken}, &watch, NULL),
                     OK);
    fixture_settle(fixture);
    assert_int_equal(taken, 2); // of four namespaces
    fixture_patch(fixture, KUBE_NAMESPACE, "default", "{metadata: {labels: {a: b}}}");
    fixture_settle(fixture);
    assert_int_equal(taken, 2);
    kube_unwatch(fixture->kube, watch);
    fixture_free(fixture);
}
