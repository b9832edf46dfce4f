// The World: rounds, alarms, the mirror, and that equal seeds give equal histories.
#include "sim/support/cluster.h"
#include "sim/world_digest.h"

#include <stdio.h>
#include <stdlib.h>

static World *new_world(uint64_t seed) {
    return world_new(&(WorldConfig){.seed = seed});
}

// --- alarms

typedef struct {
    World *world;
    char log[256];
    int64_t times[64];
    uint32_t count;
} Log;

typedef struct {
    Log *log;
    const char *name;
    int64_t again_ns; // sets itself again after this time; -1: never
    uint32_t times;
} Bell;

static void ring(void *context) {
    Bell *bell = context;

    snprintf(bell->log->log + strlen(bell->log->log), sizeof bell->log->log - strlen(bell->log->log), "%s", bell->name);
    bell->log->times[bell->log->count++ % 64] = world_now_ns(bell->log->world);
    if (bell->times && bell->times--)
        world_alarm(bell->log->world, world_now_ns(bell->log->world) + bell->again_ns, ring, bell);
}

TEST(alarms_ring_in_the_order_of_time_then_of_setting) {
    World *world = new_world(1);
    Log log = {.world = world};
    Bell a = {&log, "a", 0, 0}, b = {&log, "b", 0, 0}, c = {&log, "c", 0, 0}, d = {&log, "d", 0, 0};
    int64_t start = world_now_ns(world);

    world_alarm(world, start + SECONDS(5), ring, &c);
    world_alarm(world, start + SECONDS(1), ring, &a);
    world_alarm(world, start + SECONDS(5), ring, &d);
    world_alarm(world, start + SECONDS(2), ring, &b);
    assert_int_equal(world_next_ns(world), start + SECONDS(1));
    world_run(world, start + SECONDS(4));
    assert_string_equal(log.log, "ab");
    assert_int_equal(world_now_ns(world), start + SECONDS(4));
    world_run(world, start + SECONDS(5));
    assert_string_equal(log.log, "abcd");
    assert_int_equal(log.times[1], start + SECONDS(2));
    assert_int_equal(world_next_ns(world), INT64_MAX);
    world_free(world);
}

TEST(a_cancelled_alarm_does_not_ring_and_its_number_is_not_used_again) {
    World *world = new_world(1);
    Log log = {.world = world};
    Bell a = {&log, "a", 0, 0}, b = {&log, "b", 0, 0};
    Alarm first;

    first = world_alarm(world, world_now_ns(world) + 1, ring, &a);
    world_cancel(world, first);
    world_cancel(world, first);
    world_cancel(world, 0);
    world_alarm(world, world_now_ns(world) + 1, ring, &b); // takes the slot
    world_cancel(world, first);
    cluster_run(world, 10);
    assert_string_equal(log.log, "b");
    world_free(world);
}

TEST(an_alarm_in_the_past_rings_in_the_next_round) {
    World *world = new_world(1);
    Log log = {.world = world};
    Bell a = {&log, "a", -SECONDS(1), 3}, b = {&log, "b", 0, 0};
    int64_t start = world_now_ns(world);
    uint64_t rounds;

    world_alarm(world, start, ring, &a);
    world_alarm(world, start, ring, &b);
    rounds = world_counts(world).rounds;
    world_settle(world);
    assert_string_equal(log.log, "abaaa");
    assert_int_equal(world_counts(world).rounds - rounds, 4);
    assert_int_equal(world_now_ns(world), start);
    world_free(world);
}

typedef struct {
    int64_t at_ns;
    uint32_t number;
    Alarm alarm;
    bool done, cancelled;
} Expected;

typedef struct {
    World *world;
    Expected *expected;
    uint32_t count, rung;
    int64_t last_ns;
    uint32_t last_number;
} Model;
typedef struct {
    Model *model;
    uint32_t number;
} Ringer;

static void ring_model(void *context) {
    Ringer *ringer = context;
    Model *model = ringer->model;
    Expected *expected = &model->expected[ringer->number];

    assert_false(expected->done);
    assert_false(expected->cancelled);
    assert_int_equal(expected->at_ns, world_now_ns(model->world));
    assert_true(expected->at_ns > model->last_ns || ringer->number > model->last_number);
    model->last_ns = expected->at_ns;
    model->last_number = ringer->number;
    expected->done = true;
    model->rung++;
}

// Thousands of alarms at random times, a third cancelled at random: the rest ring once, in order.
TEST(many_alarms_keep_their_order) {
    enum { COUNT = 20000 };
    World *world = new_world(7);
    Random random = world_random(world, "test");
    Model model = {.world = world, .expected = calloc(COUNT, sizeof *model.expected), .count = COUNT};
    Ringer *ringers = calloc(COUNT, sizeof *ringers);
    uint32_t cancelled = 0;

    for (uint32_t i = 0; i < COUNT; i++) {
        Expected *expected = &model.expected[i];

        ringers[i] = (Ringer){&model, i};
        expected->at_ns = world_now_ns(world) + 1 + random_below(&random, 5000);
        expected->alarm = world_alarm(world, expected->at_ns, ring_model, &ringers[i]);
        if (random_chance(&random, 33)) {
            Expected *victim = &model.expected[random_below(&random, i + 1)];

            cancelled += !victim->cancelled;
            victim->cancelled = true;
            world_cancel(world, victim->alarm);
        }
    }
    cluster_run(world, 6000);
    assert_int_equal(model.rung + cancelled, COUNT);
    assert_true(cancelled > COUNT / 5);
    free(ringers);
    free(model.expected);
    world_free(world);
}

// --- rounds

typedef struct {
    World *world;
    const char *name;
    uint32_t observed, reactions, todo;
    char *log;
} Actor;

static void actor_observe(void *self, const StateChange *change) {
    Actor *actor = self;

    if (change->kind == KUBE_NODE)
        actor->observed++;
}

static bool actor_react(void *self) {
    Actor *actor = self;

    actor->reactions++;
    if (actor->todo == 0)
        return false;
    actor->todo--;
    strcat(actor->log, actor->name);
    cluster_create(actor->world, "{apiVersion: v1, kind: Node, metadata: {name: %s-%u}}", actor->name, actor->todo);
    return true;
}

static void count_checks(void *context) {
    ++*(uint32_t *)context;
}

TEST(components_react_in_order_until_none_has_work) {
    static const ComponentTable table = {"actor", actor_observe, actor_react, NULL};
    World *world = new_world(1);
    char log[32] = "";
    Actor a = {world, "a", 0, 0, 2, log}, b = {world, "b", 0, 0, 1, log};
    uint32_t checks = 0;

    world_add(world, &table, &a);
    world_add(world, &table, &b);
    world_on_round(world, count_checks, &checks);
    world_settle(world);
    assert_string_equal(log, "aba");
    assert_int_equal(a.observed, 3);
    assert_int_equal(b.observed, 3);
    assert_int_equal(checks, 2); // the round that did nothing is not one
    assert_int_equal(a.reactions, 3);
    assert_int_equal(state_count(world_state(world), KUBE_NODE), 3);
    world_settle(world);
    assert_int_equal(checks, 2);
    world_free(world);
}

typedef struct {
    World *world;
    Alarm victim;
} Canceller;

static void cancel_other(void *context) {
    Canceller *canceller = context;

    world_cancel(canceller->world, canceller->victim);
}

TEST(an_alarm_may_cancel_another_of_the_same_moment) {
    World *world = new_world(1);
    Log log = {.world = world};
    Bell a = {&log, "a", 0, 0}, b = {&log, "b", 0, 0};
    Canceller canceller = {world, 0};
    int64_t at = world_now_ns(world) + SECONDS(1);

    world_alarm(world, at, ring, &a);
    world_alarm(world, at, cancel_other, &canceller);
    canceller.victim = world_alarm(world, at, ring, &b);
    cluster_run(world, SECONDS(2));
    assert_string_equal(log.log, "a");
    assert_int_equal(world_next_ns(world), INT64_MAX);
    world_free(world);
}

// A round is alarms, then reactions, then events of writes, all at one virtual time.
typedef struct {
    World *world;
    char log[64];
    uint32_t seen;
} Diary;

static void diary_observe(void *self, const StateChange *change) {
    Diary *diary = self;

    if (change->kind == KUBE_NODE) {
        strcat(diary->log, "o");
        diary->seen++;
    }
}

static bool diary_react(void *self) {
    Diary *diary = self;

    if (diary->seen == 0)
        return false;
    diary->seen = 0;
    strcat(diary->log, "r");
    return true;
}

static void diary_ring(void *context) {
    Diary *diary = context;

    strcat(diary->log, "a");
    cluster_create(diary->world, "{apiVersion: v1, kind: Node, metadata: {name: n%zu}}", strlen(diary->log));
}

TEST(a_round_is_alarms_then_reactions_then_news) {
    static const ComponentTable table = {"diary", diary_observe, diary_react, NULL};
    World *world = new_world(1);
    Diary diary = {.world = world};
    int64_t at = world_now_ns(world) + SECONDS(5);

    world_add(world, &table, &diary);
    world_alarm(world, at, diary_ring, &diary);
    world_alarm(world, at, diary_ring, &diary);
    world_alarm(world, at + 1, diary_ring, &diary);
    world_run(world, at);
    assert_string_equal(diary.log, "aaoor");
    assert_int_equal(world_counts(world).alarms, 2);
    cluster_run(world, 1);
    assert_string_equal(diary.log, "aaooraor");
    world_free(world);
}

static char freed[8];
static void note_free(void *self) {
    strcat(freed, self);
}

TEST(components_go_in_reverse_order) {
    static const ComponentTable table = {"note", NULL, NULL, note_free};
    static char a[] = "a", b[] = "b", c[] = "c";
    World *world = new_world(1);

    freed[0] = 0;
    world_add(world, &table, a);
    world_add(world, &table, b);
    world_add(world, &table, c);
    world_free(world);
    assert_string_equal(freed, "cba");
}

TEST(the_clock_starts_on_a_monday_or_where_one_says) {
    World *world = new_world(1), *other = world_new(&(WorldConfig){.seed = 1, .start_ns = SECONDS(1800000000)});
    Clock clock = world_clock(other);

    assert_int_equal(world_now_ns(world), SECONDS(1767571200));
    assert_int_equal(world_now_ns(other), SECONDS(1800000000));
    cluster_run(other, 123);
    assert_int_equal(clock_wall_ns(clock), SECONDS(1800000000) + 123);
    world_free(world);
    world_free(other);
}

static bool note_bookmark(void *context, const KubeEvent *event) {
    *(uint32_t *)context += event->type == KUBE_BOOKMARK;
    return true;
}

TEST(watches_get_a_bookmark_every_minute) {
    World *world = new_world(1);
    KubeWatchRequest request = {.kind = KUBE_NODE, .bookmarks = true};
    uint32_t bookmarks = 0, before;
    KubeWatch *watch;

    assert_int_equal(kube_watch(world_kube(world), &request, (KubeSink){note_bookmark, &bookmarks}, &watch, NULL), OK);
    world_settle(world);
    before = bookmarks;
    cluster_run(world, SECONDS(59));
    assert_int_equal(bookmarks, before);
    cluster_run(world, SECONDS(2));
    world_settle(world);
    assert_int_equal(bookmarks, before + 1);
    kube_unwatch(world_kube(world), watch);
    world_free(world);
}

TEST(a_patch_of_what_is_gone_says_so) {
    World *world = new_world(1);
    Value body = value_map();

    assert_int_equal(world_patch(world, "test", KUBE_NODE, (Slice){0}, SLICE("nobody"), KUBE_OBJECT, &body),
                     ERR_NOT_FOUND);
    world_free(world);
}

// --- the mirror

TEST(the_mirror_shows_what_the_server_holds) {
    World *world = new_world(1);
    uint64_t events = world_counts(world).events;

    cluster_create(world, "{apiVersion: v1, kind: Node, metadata: {name: one, labels: {a: b}}}");
    world_settle(world);
    assert_int_not_equal(cluster_find(world, KUBE_NODE, "", "one").generation, 0);
    assert_int_equal(world_counts(world).events, events + 1 + 4); // the four namespaces before
    cluster_delete(world, KUBE_NODE, "", "one");
    world_settle(world);
    assert_int_equal(cluster_find(world, KUBE_NODE, "", "one").generation, 0);
    world_free(world);
}

TEST(dropped_watches_and_a_forgotten_history_lose_nothing) {
    World *world = new_world(1);

    cluster_create(world, "{apiVersion: v1, kind: Node, metadata: {name: one}}");
    cluster_create(world, "{apiVersion: v1, kind: Node, metadata: {name: two}}");
    world_settle(world);
    api_drop_watches(world_api(world));
    cluster_create(world, "{apiVersion: v1, kind: Node, metadata: {name: three}}");
    world_settle(world);
    assert_int_equal(state_count(world_state(world), KUBE_NODE), 3);
    cluster_delete(world, KUBE_NODE, "", "two");
    cluster_create(world, "{apiVersion: v1, kind: Node, metadata: {name: four}}");
    api_forget_history(world_api(world)); // the last two events were not delivered
    world_settle(world);
    assert_int_equal(state_count(world_state(world), KUBE_NODE), 3);
    assert_int_equal(cluster_find(world, KUBE_NODE, "", "two").generation, 0);
    assert_int_not_equal(cluster_find(world, KUBE_NODE, "", "four").generation, 0);
    world_free(world);
}

// --- the same twice

typedef struct {
    World *world;
    Random random;
    uint32_t made;
} Life;

static void live(void *context) {
    Life *life = context;

    char name[16];

    snprintf(name, sizeof name, "p%u", random_below(&life->random, life->made + 1));
    kube_remove(world_kube(life->world), (KubeRef){KUBE_POD, SLICE("default"), slice_of(name)}, NULL, NULL);
    cluster_create(life->world,
                   "{apiVersion: v1, kind: Pod, metadata: {name: p%u, labels: {n: x%u}}, spec: {containers: [{name: "
                   "c, image: i, resources: {requests: {cpu: %um}}}]}}",
                   life->made, random_below(&life->random, 10), 1 + random_below(&life->random, 500));
    life->made++;
    if (life->made < 50)
        world_alarm(life->world, world_now_ns(life->world) + random_below(&life->random, 1000000), live, life);
}

static uint64_t digest_of_a_life(uint64_t seed, uint64_t *ret_events) {
    World *world = new_world(seed);
    WorldDigest *digest = world_digest_new(world);
    Life life = {.world = world, .random = world_random(world, "life")};
    uint64_t hash;

    world_alarm(world, world_now_ns(world) + 1, live, &life);
    cluster_run(world, MINUTES(10));
    assert_int_equal(life.made, 50);
    hash = world_digest(digest);
    *ret_events = world_digest_events(digest);
    world_free(world);
    return hash;
}

TEST(equal_seeds_give_equal_histories) {
    uint64_t events[3], first = digest_of_a_life(5, &events[0]), again = digest_of_a_life(5, &events[1]);

    assert_int_equal(first, again);
    assert_int_equal(events[0], events[1]);
    assert_true(events[0] > 50);
    assert_int_not_equal(first, digest_of_a_life(6, &events[2]));
}

TEST(each_purpose_has_its_own_stream) {
    World *world = new_world(3);
    Random a = world_random(world, "a"), b = world_random(world, "b"), again = world_random(world, "a");
    uint64_t first = random_u64(&a);

    assert_int_equal(first, random_u64(&again));
    assert_int_not_equal(first, random_u64(&b));
    world_free(world);
}
