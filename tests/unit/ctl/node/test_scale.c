// Cost of draining many nodes: number of calls of node.termination and of the eviction queue per pod. Half of the pods
// are covered by one budget with room for one per node, which is written again with each eviction and each replaced
// pod. Counts are asserted, times only printed. An argument sets the number of nodes, of 20 pods each.
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
} ScaleEnv;

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

static void push(ScaleEnv *env, Alarm alarm) {
    Alarm *heap;
    uint32_t at = env->alarms.count;

    vec_push(&env->arena, &env->alarms, alarm);
    heap = env->alarms.items;
    for (; at && is_before(&heap[at], &heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&heap[at], &heap[(at - 1) / 2]);
}

static Alarm pop(ScaleEnv *env) {
    Alarm *heap = env->alarms.items, first = heap[0];
    uint32_t count = --env->alarms.count;

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

static void ask(ScaleEnv *env, Who who, Key key, int64_t after_ns) {
    uint64_t bits = (uint64_t)key.ns << 32 | key.name;
    uint32_t place = u64_map_get(&env->places[who], bits);
    int64_t due_ns = env->now_ns + after_ns;

    if (place == INDEX_NONE) {
        place = env->tasks.count;
        u64_map_put(&env->arena, &env->places[who], bits, place);
        vec_push(&env->arena, &env->tasks, (Task){who, key, INT64_MAX});
    }
    if (due_ns >= env->tasks.items[place].due_ns)
        return;
    env->tasks.items[place].due_ns = due_ns;
    push(env, (Alarm){due_ns, env->alarms_set++, place});
}

// --- turns

typedef struct {
    ScaleEnv *env;
    Who who;
    TurnHost host;
    Turn turn;
    IntentVec intents;
} Call;

static void host_enqueue(void *self, const Controller *controller, Key key, int64_t after_ns) {
    ask(((Call *)self)->env, controller == controllers[0] ? NODES_CALLED : PODS_CALLED, key, after_ns);
}

static void host_again(void *self, Key key, int64_t after_ns) {
    ask(((Call *)self)->env, ((Call *)self)->who, key, after_ns);
}

static void host_retry(void *self, Key key) {
    host_again(self, key, NS_PER_S);
}

static void host_succeed(void *self, Key key) {
    (void)self;
    (void)key;
}

static void call_begin(ScaleEnv *env, Call *call, Who who) {
    *call = (Call){.env = env, .who = who};
    call->host = (TurnHost){host_enqueue, host_again, host_retry, host_succeed, call};
    call->turn = (Turn){.arena = &env->turn_arena,
                        .state = env->state,
                        .symbols = state_symbols(env->state),
                        .now = {env->now_ns},
                        .wall_ns = env->now_ns,
                        .settings = &env->settings,
                        .intents = &call->intents,
                        .engine = &call->host};
}

// --- objects

__attribute__((format(printf, 4, 5))) static void put(ScaleEnv *env, KubeKind kind, bool removed, const char *format,
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
    assert_int_equal(state_decode(state_symbols(env->state), kind, &documents.items[0].root, &update, NULL), OK);
    assert_true(state_apply(env->state, update, removed, &change));
    for (Who who = 0; who < 2; who++) {
        Call call;

        call_begin(env, &call, who);
        controllers[who]->observe(env->selves[who], &call.turn, &change);
        assert_int_equal(call.intents.count, 0);
    }
    arena_free(&arena);
}

static void put_pod_json(ScaleEnv *env, uint32_t number, const char *deleted, bool removed) {
    put(env, KUBE_POD, removed,
        "{\"metadata\":{\"name\":\"p%u\",\"namespace\":\"default\",\"uid\":\"u%u\",\"resourceVersion\":\"%llu\","
        "\"labels\":{\"app\":\"%s\"}%s},\"spec\":{\"nodeName\":\"n%u\",\"terminationGracePeriodSeconds\":1,"
        "\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":\"Running\"}}",
        number, number, (unsigned long long)++env->revision, number % 2 ? "guarded" : "free", deleted,
        number / PODS_PER_NODE);
}

static void put_room(ScaleEnv *env) {
    put(env, KUBE_POD_DISRUPTION_BUDGET, false,
        "{\"metadata\":{\"name\":\"b\",\"namespace\":\"default\",\"uid\":\"b\",\"generation\":1,"
        "\"resourceVersion\":\"%llu\"},\"spec\":{\"maxUnavailable\":50,\"selector\":{\"matchLabels\":{\"app\":"
        "\"guarded\"}}},\"status\":{\"disruptionsAllowed\":%d}}",
        (unsigned long long)++env->revision, (int)env->room);
}

// A node without NodeClaim, tainted already, which is removed when it is empty.
static void put_node_json(ScaleEnv *env, uint32_t number, bool removed) {
    put(env, KUBE_NODE, removed,
        "{\"metadata\":{\"name\":\"n%u\",\"uid\":\"n%u\",\"resourceVersion\":\"%llu\",\"deletionTimestamp\":"
        "\"2026-01-05T00:00:00Z\",\"finalizers\":[\"karpenter.sh/termination\"],\"labels\":"
        "{\"karpenter.kwok.sh/kwoknodeclass\":\"default\",\"node.kubernetes.io/exclude-from-external-load-balancers\":"
        "\"karpenter\"}},\"spec\":{\"taints\":[{\"key\":\"karpenter.sh/disrupted\",\"effect\":\"NoSchedule\"}]}}",
        number, number, (unsigned long long)++env->revision);
}

// --- completions

static uint32_t number_of(Slice name) {
    char text[16];

    snprintf(text, sizeof text, "%.*s", SLICE_ARG(name));
    return (uint32_t)strtoul(text + 1, NULL, 10);
}

static ErrCode evict(ScaleEnv *env, Key key, uint32_t number, KubeError *error) {
    if (number % 2 && env->room == 0) {
        env->refusals++;
        return kube_fail(error, KUBE_REASON_TOO_MANY_REQUESTS, "no");
    }
    env->evictions++;
    put_pod_json(env, number, ",\"deletionTimestamp\":\"2026-01-05T00:00:01Z\"", false);
    ask(env, KUBELET, key, NS_PER_S + number % 1000 * NS_PER_S / 1000); // each change is a pass of its node
    if (number % 2) {
        env->room--;
        put_room(env);
    }
    return OK;
}

// The pod is gone, and another one is ready somewhere else.
static void end_pod(ScaleEnv *env, uint32_t number) {
    put_pod_json(env, number, "", true);
    if (number % 2) {
        env->room++;
        put_room(env);
    }
}

static void carry_out(ScaleEnv *env, Call *call, Key key) {
    for (vec_each(const Intent, intent, &call->intents)) {
        Completion completion = {.type = intent->type, .tag = intent->tag};
        KubeError error = {0};
        Call after;

        if (intent->aside)
            continue;
        completion.kube_error = &error;
        assert_true(intent->type == INTENT_EVICT || intent->type == INTENT_PATCH);
        if (intent->type == INTENT_EVICT)
            completion.code = evict(env, key, number_of(intent->ref.name), &error);
        else
            put_node_json(env, number_of(intent->ref.name), true);
        call_begin(env, &after, call->who);
        controllers[call->who]->complete(env->selves[call->who], &after.turn, key, &completion, 1);
    }
}

static void run_task(ScaleEnv *env, const Task *task) {
    Call call;

    env->calls[task->who]++;
    if (task->who == KUBELET)
        return end_pod(env, number_of(symbol_text(state_symbols(env->state), task->key.name)));
    call_begin(env, &call, task->who);
    controllers[task->who]->reconcile(env->selves[task->who], &call.turn, task->key);
    carry_out(env, &call, task->key);
    arena_free(&env->turn_arena);
    env->turn_arena = (Arena){0};
}

// --- the drain

static ScaleEnv *open_env(uint32_t nodes, int64_t room) {
    ScaleEnv *env = test_calloc(1, sizeof *env);

    env->settings = env_settings();
    env->room = room;
    env->now_ns = START_NS;
    env->state = state_new();
    for (Who who = 0; who < 2; who++)
        env->selves[who] = controller_new(controllers[who], &env->settings);
    put_room(env);
    for (uint32_t pod = 0; pod < nodes * PODS_PER_NODE; pod++)
        put_pod_json(env, pod, "", false);
    for (uint32_t node = 0; node < nodes; node++)
        put_node_json(env, node, false);
    return env;
}

static void close_env(ScaleEnv *env) {
    for (Who who = 0; who < 2; who++)
        controller_free(controllers[who], env->selves[who]);
    state_free(env->state);
    arena_free(&env->arena);
    test_free(env);
}

static void live_until(ScaleEnv *env, int64_t until_ns) {
    while (env->alarms.count && env->alarms.items[0].due_ns <= until_ns) {
        Alarm alarm = pop(env);
        Task *task = &env->tasks.items[alarm.task], now = *task;

        if (task->due_ns != alarm.due_ns)
            continue;
        task->due_ns = INT64_MAX;
        env->now_ns = alarm.due_ns;
        run_task(env, &now);
    }
}

static void drain(uint32_t nodes, uint32_t *ret_calls) {
    clock_t start = clock();
    ScaleEnv *env =
        open_env(nodes, nodes); // one disruption per node, so that the drain takes equally long for any number

    live_until(env, INT64_MAX);
    assert_int_equal(state_count(env->state, KUBE_POD), 0);
    assert_int_equal(state_count(env->state, KUBE_NODE), 0);
    assert_int_equal(env->evictions, nodes * PODS_PER_NODE);
    print_message("%u pods on %u nodes: %u passes of nodes, %u visits of pods, %u refusals; %.0f s of the cluster, "
                  "%.2f s of ours\n",
                  nodes * PODS_PER_NODE, nodes, env->calls[NODES_CALLED], env->calls[PODS_CALLED], env->refusals,
                  ns_to_s(env->now_ns - START_NS), (double)(clock() - start) / CLOCKS_PER_SEC);
    memcpy(ret_calls, env->calls, sizeof env->calls);
    close_env(env);
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
    ScaleEnv *env = open_env(300, 0); // 3,000 pods behind a budget without room

    live_until(env, START_NS);
    assert_int_equal(env->evictions, 3000);
    assert_int_equal(env->refusals, 3000);
    for (int second = 1; second <= 100; second++) {
        live_until(env, START_NS + second * NS_PER_S);
        assert_in_range(env->refusals, 3000, 3000 + 1000 + 100 * second);
    }
    assert_true(env->refusals > 3000 + 5000); // retries go on
    close_env(env);
}
