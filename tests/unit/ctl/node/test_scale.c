// What a drain of many nodes costs: how often node.termination and the eviction queue are called for each pod. Half of
// the pods stand behind one budget with room for one on each node, which is written again with each eviction and each
// pod that came back. Counts decide, time is only printed. An argument: how many nodes, of 20 pods each, instead of the
// usual ones.
#include "ctl/controller.h"
#include "ctl/node_env.h"
#include "ctl/turn_host.h"
#include "text/json.h"

#include <time.h>

enum { PODS_PER_NODE = 20 };
static const int64_t START_NS = 1767571200 * NS_PER_S;

typedef enum { NODES_CALLED, PODS_CALLED, KUBELET, WHO_COUNT } Who;

typedef struct {
    Who who;
    Key key;
    int64_t due_ns; // INT64_MAX: not asked for
} Task;

typedef struct {
    int64_t due_ns;
    uint64_t order;
    uint32_t task;
} Alarm;

typedef struct {
    Arena arena;
    State *state;
    Settings settings;
    void *selves[2];
    int64_t now_ns;
    uint64_t revision, alarms_set;
    Vec(Task) tasks;
    IndexMap places[WHO_COUNT]; // of the key's task
    Vec(Alarm) alarms;          // a heap
    int64_t room;
    uint32_t calls[WHO_COUNT], evictions, refusals;
    Arena turn_arena;
} House;

static const Controller *const controllers[] = {&node_termination_controller, &eviction_queue_controller};

// --- alarms

static bool is_before(const Alarm *a, const Alarm *b) {
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

static void swap(Alarm *a, Alarm *b) {
    Alarm held = *a;

    *a = *b;
    *b = held;
}

static void push(House *house, Alarm alarm) {
    Alarm *heap;
    uint32_t at = house->alarms.count;

    vec_push(&house->arena, &house->alarms, alarm);
    heap = house->alarms.items;
    for (; at && is_before(&heap[at], &heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&heap[at], &heap[(at - 1) / 2]);
}

static Alarm pop(House *house) {
    Alarm *heap = house->alarms.items, first = heap[0];
    uint32_t count = --house->alarms.count;

    heap[0] = heap[count];
    for (uint32_t at = 0, child; (child = at * 2 + 1) < count; at = child) {
        if (child + 1 < count && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &heap[at]))
            break;
        swap(&heap[child], &heap[at]);
    }
    return first;
}

static void ask(House *house, Who who, Key key, int64_t after_ns) {
    uint64_t bits = (uint64_t)key.ns << 32 | key.name;
    uint32_t place = u64_map_get(&house->places[who], bits);
    int64_t due_ns = house->now_ns + after_ns;

    if (place == INDEX_NONE) {
        place = house->tasks.count;
        u64_map_put(&house->arena, &house->places[who], bits, place);
        vec_push(&house->arena, &house->tasks, (Task){who, key, INT64_MAX});
    }
    if (due_ns >= house->tasks.items[place].due_ns)
        return;
    house->tasks.items[place].due_ns = due_ns;
    push(house, (Alarm){due_ns, house->alarms_set++, place});
}

// --- turns

typedef struct {
    House *house;
    Who who;
    TurnHost host;
    Turn turn;
    IntentVec intents;
} Call;

static void host_enqueue(void *self, const Controller *controller, Key key, int64_t after_ns) {
    ask(((Call *)self)->house, controller == controllers[0] ? NODES_CALLED : PODS_CALLED, key, after_ns);
}

static void host_again(void *self, Key key, int64_t after_ns) {
    ask(((Call *)self)->house, ((Call *)self)->who, key, after_ns);
}

static void host_retry(void *self, Key key) {
    host_again(self, key, NS_PER_S);
}

static void host_succeed(void *self, Key key) {
    (void)self;
    (void)key;
}

static void call_begin(House *house, Call *call, Who who) {
    *call = (Call){.house = house, .who = who};
    call->host = (TurnHost){host_enqueue, host_again, host_retry, host_succeed, call};
    call->turn = (Turn){.arena = &house->turn_arena,
                        .state = house->state,
                        .symbols = state_symbols(house->state),
                        .now = {house->now_ns},
                        .wall_ns = house->now_ns,
                        .settings = &house->settings,
                        .intents = &call->intents,
                        .engine = &call->host};
}

// --- what is there

__attribute__((format(printf, 4, 5))) static void put(House *house, KubeKind kind, bool removed, const char *format,
                                                      ...) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    StateUpdate *update;
    StateChange change;
    Arena arena = {0};
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_int_equal(json_parse(&arena, SLICE("put"), slice_of(text), NULL, &documents, &warnings, NULL), OK);
    assert_int_equal(state_decode(state_symbols(house->state), kind, &documents.items[0].root, &update, NULL), OK);
    assert_true(state_apply(house->state, update, removed, &change));
    for (Who who = 0; who < 2; who++) {
        Call call;

        call_begin(house, &call, who);
        controllers[who]->observe(house->selves[who], &call.turn, &change);
        assert_int_equal(call.intents.count, 0);
    }
    arena_free(&arena);
}

static void put_pod_json(House *house, uint32_t number, const char *deleted, bool removed) {
    put(house, KUBE_POD, removed,
        "{\"metadata\":{\"name\":\"p%u\",\"namespace\":\"default\",\"uid\":\"u%u\",\"resourceVersion\":\"%llu\","
        "\"labels\":{\"app\":\"%s\"}%s},\"spec\":{\"nodeName\":\"n%u\",\"terminationGracePeriodSeconds\":1,"
        "\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":\"Running\"}}",
        number, number, (unsigned long long)++house->revision, number % 2 ? "guarded" : "free", deleted,
        number / PODS_PER_NODE);
}

static void put_room(House *house) {
    put(house, KUBE_POD_DISRUPTION_BUDGET, false,
        "{\"metadata\":{\"name\":\"b\",\"namespace\":\"default\",\"uid\":\"b\",\"generation\":1,"
        "\"resourceVersion\":\"%llu\"},\"spec\":{\"maxUnavailable\":50,\"selector\":{\"matchLabels\":{\"app\":"
        "\"guarded\"}}},\"status\":{\"disruptionsAllowed\":%d}}",
        (unsigned long long)++house->revision, (int)house->room);
}

// A node without NodeClaim, which ends when it is empty; its taint is there.
static void put_node_json(House *house, uint32_t number, bool removed) {
    put(house, KUBE_NODE, removed,
        "{\"metadata\":{\"name\":\"n%u\",\"uid\":\"n%u\",\"resourceVersion\":\"%llu\",\"deletionTimestamp\":"
        "\"2026-01-05T00:00:00Z\",\"finalizers\":[\"karpenter.sh/termination\"],\"labels\":"
        "{\"karpenter.kwok.sh/kwoknodeclass\":\"default\",\"node.kubernetes.io/exclude-from-external-load-balancers\":"
        "\"karpenter\"}},\"spec\":{\"taints\":[{\"key\":\"karpenter.sh/disrupted\",\"effect\":\"NoSchedule\"}]}}",
        number, number, (unsigned long long)++house->revision);
}

// --- what comes of intents

static uint32_t number_of(Slice name) {
    char text[16];

    snprintf(text, sizeof text, "%.*s", SLICE_ARG(name));
    return (uint32_t)strtoul(text + 1, NULL, 10);
}

static ErrCode evict(House *house, Key key, uint32_t number, KubeError *error) {
    if (number % 2 && house->room == 0) {
        house->refusals++;
        return kube_fail(error, KUBE_REASON_TOO_MANY_REQUESTS, "no");
    }
    house->evictions++;
    put_pod_json(house, number, ",\"deletionTimestamp\":\"2026-01-05T00:00:01Z\"", false);
    ask(house, KUBELET, key, NS_PER_S + number % 1000 * NS_PER_S / 1000); // each change is a pass of its node
    if (number % 2) {
        house->room--;
        put_room(house);
    }
    return OK;
}

// The pod is gone, and another one is ready somewhere else.
static void end_pod(House *house, uint32_t number) {
    put_pod_json(house, number, "", true);
    if (number % 2) {
        house->room++;
        put_room(house);
    }
}

static void carry_out(House *house, Call *call, Key key) {
    for (vec_each(const Intent, intent, &call->intents)) {
        Completion completion = {.type = intent->type, .tag = intent->tag};
        KubeError error = {0};
        Call after;

        if (intent->aside)
            continue;
        completion.kube_error = &error;
        assert_true(intent->type == INTENT_EVICT || intent->type == INTENT_PATCH);
        if (intent->type == INTENT_EVICT)
            completion.code = evict(house, key, number_of(intent->ref.name), &error);
        else
            put_node_json(house, number_of(intent->ref.name), true);
        call_begin(house, &after, call->who);
        controllers[call->who]->complete(house->selves[call->who], &after.turn, key, &completion, 1);
    }
}

static void run_task(House *house, const Task *task) {
    Call call;

    house->calls[task->who]++;
    if (task->who == KUBELET)
        return end_pod(house, number_of(symbol_text(state_symbols(house->state), task->key.name)));
    call_begin(house, &call, task->who);
    controllers[task->who]->reconcile(house->selves[task->who], &call.turn, task->key);
    carry_out(house, &call, task->key);
    arena_free(&house->turn_arena);
    house->turn_arena = (Arena){0};
}

// --- the drain

static House *open_house(uint32_t nodes, int64_t room) {
    House *house = test_calloc(1, sizeof *house);

    house->settings = env_settings();
    house->room = room;
    house->now_ns = START_NS;
    house->state = state_new();
    for (Who who = 0; who < 2; who++)
        house->selves[who] = controller_new(controllers[who], &house->settings);
    put_room(house);
    for (uint32_t pod = 0; pod < nodes * PODS_PER_NODE; pod++)
        put_pod_json(house, pod, "", false);
    for (uint32_t node = 0; node < nodes; node++)
        put_node_json(house, node, false);
    return house;
}

static void close_house(House *house) {
    for (Who who = 0; who < 2; who++)
        controller_free(controllers[who], house->selves[who]);
    state_free(house->state);
    arena_free(&house->arena);
    test_free(house);
}

static void live_until(House *house, int64_t until_ns) {
    while (house->alarms.count && house->alarms.items[0].due_ns <= until_ns) {
        Alarm alarm = pop(house);
        Task *task = &house->tasks.items[alarm.task], now = *task;

        if (task->due_ns != alarm.due_ns)
            continue;
        task->due_ns = INT64_MAX;
        house->now_ns = alarm.due_ns;
        run_task(house, &now);
    }
}

static void drain(uint32_t nodes, uint32_t *ret_calls) {
    clock_t start = clock();
    House *house = open_house(nodes, nodes); // room for as many as there are nodes, so that it takes as long for all

    live_until(house, INT64_MAX);
    assert_int_equal(state_count(house->state, KUBE_POD), 0);
    assert_int_equal(state_count(house->state, KUBE_NODE), 0);
    assert_int_equal(house->evictions, nodes * PODS_PER_NODE);
    print_message("%u pods on %u nodes: %u passes of nodes, %u visits of pods, %u refusals; %.0f s of the cluster, "
                  "%.2f s of ours\n",
                  nodes * PODS_PER_NODE, nodes, house->calls[NODES_CALLED], house->calls[PODS_CALLED], house->refusals,
                  ns_to_s(house->now_ns - START_NS), (double)(clock() - start) / CLOCKS_PER_SEC);
    memcpy(ret_calls, house->calls, sizeof house->calls);
    close_house(house);
}

TEST(a_drain_costs_so_many_calls_for_each_pod) {
    const char *text = getenv("TENON_NODES");
    uint32_t nodes = text ? (uint32_t)strtoul(text, NULL, 10) : 200;
    uint32_t few[WHO_COUNT], many[WHO_COUNT];

    drain(nodes / 4, few);
    drain(nodes, many);
    for (Who who = 0; who < 2; who++)
        assert_true(many[who] <= few[who] * 5); // four times the pods
    assert_true(many[PODS_CALLED] < 5 * many[KUBELET]);
    assert_true(many[NODES_CALLED] < 5 * many[KUBELET]);
}

// lifecycle.md 1: 100 retries a second beside the first 1,000, for all pods together.
TEST(rate_of_retries) {
    House *house = open_house(300, 0); // 3,000 pods behind a budget without room

    live_until(house, START_NS);
    assert_int_equal(house->evictions, 3000);
    assert_int_equal(house->refusals, 3000);
    for (int second = 1; second <= 100; second++) {
        live_until(house, START_NS + second * NS_PER_S);
        assert_in_range(house->refusals, 3000, 3000 + 1000 + 100 * second);
    }
    assert_true(house->refusals > 3000 + 5000); // they go on trying
    close_house(house);
}
