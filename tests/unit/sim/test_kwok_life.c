// A tenon with all of its controllers on KWOK's provider: pods get Nodes, claims end, and nothing is left behind, at
// whichever call to the API server the process dies.
//
// The cluster is a World without machines: scheduler, workloads and kubelets are the simulator's, the kwok controller
// is a component below (it makes Nodes with KWOK's mark ready after a second). The process lives on the world's clock;
// each step of a job takes two milliseconds. It dies after a call had its effect and before it gets the reply: from
// then on nothing that it does has any effect, and a second later the next one starts. With TENON_DEATHS=all it dies at
// each call, not only at every third.
#include "cloud/kwok/provider/provider.h"
#include "ctl/controllers.h"
#include "ctl/settings_flags.h"
#include "engine/engine.h"
#include "sim/kubelet/kubelet.h"
#include "sim/scheduler/scheduler.h"
#include "sim/support/cluster.h"
#include "sim/workloads/workloads.h"
#include "text/value_edit.h"

#include <stdio.h>
#include <stdlib.h>

enum { JOBS_MAX = 512, STRIDE = 3 };

typedef struct Town Town;

typedef struct {
    Town *town;
    EngineJob *job;
    uint32_t step;
    Alarm alarm;
} TownJob;

struct Town {
    World *world;
    // The process.
    State *state;
    KwokProvider *provider;
    Engine *engine; // NULL: none at present
    TownJob *jobs[JOBS_MAX];
    uint32_t job_count;
    Alarm turn, join, birth;
    bool woken, dead;
    uint32_t lives, calls;
    uint32_t dies_at; // number of the call; 0: never
    // Observations.
    uint32_t nodes_made;
    uint32_t alarms_of_kwok;
};

// --- the API table of a process that dies

static ErrCode unheard(KubeError *error) {
    KubeError nobody;

    return kube_fail(error ? error : &nobody, KUBE_REASON_INTERNAL_ERROR, "nobody hears this");
}

// The call had its effect; it is reported only if the process lives.
static ErrCode made(Town *town, ErrCode code, KubeError *error) {
    if (++town->calls == town->dies_at)
        town->dead = true;
    return town->dead ? unheard(error) : code;
}

#define MORTAL(call)                                                                                                   \
    do {                                                                                                               \
        Town *town = self;                                                                                             \
        return town->dead ? unheard(error) : made(town, (call), error);                                                \
    } while (0)

static ErrCode mortal_get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    MORTAL(kube_get(world_kube(town->world), arena, ref, ret_object, error));
}

static ErrCode mortal_list(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list,
                           KubeError *error) {
    MORTAL(kube_list(world_kube(town->world), arena, request, ret_list, error));
}

static ErrCode mortal_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object,
                             Value *ret_object, KubeError *error) {
    MORTAL(kube_create(world_kube(town->world), arena, manager, kind, object, ret_object, error));
}

static ErrCode mortal_patch(void *self, Arena *arena, Slice manager, KubeRef ref, KubePart part, const KubePatch *patch,
                            Value *ret_object, KubeError *error) {
    MORTAL(kube_patch(world_kube(town->world), arena, manager, ref, part, patch, ret_object, error));
}

static ErrCode mortal_remove(void *self, KubeRef ref, const KubeDeletion *deletion, KubeError *error) {
    MORTAL(kube_remove(world_kube(town->world), ref, deletion, error));
}

static ErrCode mortal_evict(void *self, KubeRef pod, const KubeDeletion *deletion, KubeError *error) {
    MORTAL(kube_evict(world_kube(town->world), pod, deletion, error));
}

static ErrCode mortal_watch(void *self, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch,
                            KubeError *error) {
    return kube_watch(world_kube(((Town *)self)->world), request, sink, ret_watch, error);
}

static void mortal_unwatch(void *self, KubeWatch *watch) {
    kube_unwatch(world_kube(((Town *)self)->world), watch);
}

static bool mortal_time(void *self, int64_t *ret_wall_ns) {
    return kube_now(world_kube(((Town *)self)->world), ret_wall_ns);
}

static const KubeTable mortal_table = {.get = mortal_get,
                                       .list = mortal_list,
                                       .create = mortal_create,
                                       .patch = mortal_patch,
                                       .remove = mortal_remove,
                                       .evict = mortal_evict,
                                       .watch = mortal_watch,
                                       .unwatch = mortal_unwatch,
                                       .now = mortal_time};

// --- jobs

static void ring_job(void *context) {
    TownJob *job = context;
    Town *town = job->town;

    job->alarm = 0;
    if (!town->dead && engine_job_step(job->job, job->step++) && !town->dead) {
        job->alarm = world_alarm(town->world, world_now_ns(town->world) + 2000000, ring_job, job);
        return;
    }
    town->woken = true;
    if (town->dead)
        return; // dropped when the process dies
    for (uint32_t i = 0; i < town->job_count; i++) {
        if (town->jobs[i] == job)
            town->jobs[i] = town->jobs[--town->job_count];
    }
    engine_job_done(job->job);
    free(job);
}

static void submit(void *self, EngineJob *engine_job) {
    Town *town = self;
    TownJob *job = calloc(1, sizeof *job);

    CHECK(job && town->job_count < JOBS_MAX);
    job->town = town;
    job->job = engine_job;
    job->alarm = world_alarm(town->world, world_now_ns(town->world) + 2000000, ring_job, job);
    town->jobs[town->job_count++] = job;
}

// --- lives

static int64_t town_now(void *self) {
    return world_now_ns(((Town *)self)->world);
}

static Mono town_mono(void *self) {
    return (Mono){town_now(self)};
}

static void wake(void *context) {
    ((Town *)context)->woken = true;
}

static void be_born(void *context) {
    Town *town = context;
    Settings settings = settings_default();
    KwokConfig config = {.kube = {&mortal_table, town}, .now_ns = town_now, .now_context = town};
    Err err = {0};

    settings_serve_kwok(&settings);
    // The search for a cheaper plan takes most of the time and is not tested here.
    settings.search.effort = EFFORT_FAST;
    town->birth = 0;
    town->dead = false;
    town->woken = true;
    town->lives++;
    town->state = state_new();
    config.symbols = state_symbols(town->state);
    assert_int_equal(kwok_provider_new(&config, &town->provider, &err), OK);
    town->engine = engine_new(&(EngineConfig){.controllers = controllers,
                                              .controller_count = controller_count,
                                              .kube = config.kube,
                                              .cloud = kwok_provider_cloud(town->provider),
                                              .clock = {town_now, town_mono, town},
                                              .state = town->state,
                                              .executor = {submit, town},
                                              .settings = &settings,
                                              .seed = town->lives,
                                              .wake = wake,
                                              .wake_context = town});
    assert_int_equal(engine_start(town->engine, &err), OK);
}

static void bury(Town *town) {
    for (uint32_t i = 0; i < town->job_count; i++) {
        world_cancel(town->world, town->jobs[i]->alarm);
        engine_job_drop(town->jobs[i]->job);
        free(town->jobs[i]);
    }
    town->job_count = 0;
    world_cancel(town->world, town->turn);
    world_cancel(town->world, town->join);
    town->turn = town->join = 0;
    engine_free(town->engine);
    kwok_provider_free(town->provider);
    town->engine = NULL;
    town->provider = NULL;
}

static void ring_turn(void *context) {
    Town *town = context;

    town->turn = 0;
    town->woken = true;
}

static void ring_join(void *context) {
    Town *town = context;

    town->join = 0;
    town->woken = true;
}

static Alarm alarm_at(Town *town, Alarm old, int64_t at_ns, void (*ring)(void *context)) {
    world_cancel(town->world, old);
    return at_ns == INT64_MAX ? 0 : world_alarm(town->world, at_ns, ring, town);
}

static bool live(void *self) {
    Town *town = self;
    bool any = false;

    if (!town->engine || !town->woken)
        return false;
    town->woken = false;
    if (!town->dead)
        town->join = alarm_at(town, town->join, kwok_provider_step(town->provider), ring_join);
    while (!town->dead && engine_turn(town->engine))
        any = true;
    if (town->dead) {
        bury(town);
        town->birth = world_alarm(town->world, world_now_ns(town->world) + SECONDS(1), be_born, town);
        return true;
    }
    town->turn = alarm_at(town, town->turn, engine_next(town->engine).ns, ring_turn);
    return any;
}

// --- the kwok controller

typedef struct {
    Town *town;
    char name[254];
} Waking;

static void make_ready(void *context) {
    Waking *waking = context;
    World *world = waking->town->world;
    Handle handle = cluster_find(world, KUBE_NODE, "", waking->name);
    const Node *node = state_node(world_state(world), handle);
    char taints[512] = "";

    waking->town->alarms_of_kwok--;
    if (!node) {
        free(waking);
        return;
    }
    cluster_patch(world, KUBE_NODE, "", waking->name, KUBE_STATUS,
                  "{status: {phase: Running, conditions: [{type: Ready, status: 'True', reason: KubeletReady}]}}");
    // As the node lifecycle controller: a ready Node has no taint not-ready.
    for (vec_each(const Taint, taint, &node->taints)) {
        if (taint->key != NAME_NOT_READY)
            snprintf(taints + strlen(taints), sizeof taints - strlen(taints), "{key: %.*s, effect: %s},",
                     SLICE_ARG(symbol_text(world_symbols(world), taint->key)), taint_effect_text(taint->effect));
    }
    {
        char patch[640];

        snprintf(patch, sizeof patch, "{spec: {taints: [%s]}}", taints);
        cluster_patch(world, KUBE_NODE, "", waking->name, KUBE_OBJECT, patch);
    }
    free(waking);
}

static void see_node(void *self, const StateChange *change) {
    Town *town = self;
    const Symbols *symbols = world_symbols(town->world);
    const Node *node = change->after;
    Waking *waking;

    if (change->kind != KUBE_NODE || change->before || !node)
        return;
    town->nodes_made++;
    assert_string_equal(
        symbol_text(symbols, labels_get(&node->meta.labels, symbol_find(symbols, SLICE("kwok.x-k8s.io/node")))).ptr,
        "fake");
    waking = calloc(1, sizeof *waking);
    CHECK(waking);
    waking->town = town;
    snprintf(waking->name, sizeof waking->name, "%.*s", SLICE_ARG(symbol_text(symbols, node->meta.name)));
    town->alarms_of_kwok++;
    world_alarm(town->world, world_now_ns(town->world) + SECONDS(1), make_ready, waking);
}

// --- the town

static Town *town_new(const char *delay, uint32_t dies_at) {
    static const ComponentTable tenon = {.name = "tenon", .react = live}, kwok = {.name = "kwok", .observe = see_node};
    Town *town = calloc(1, sizeof *town);

    assert_non_null(town);
    town->world = world_new(&(WorldConfig){.seed = 1});
    town->dies_at = dies_at;
    sim_scheduler_add(town->world, NULL);
    sim_workloads_add(town->world);
    sim_kubelets_add(town->world, NULL, NULL);
    world_add(town->world, &kwok, town);
    world_add(town->world, &tenon, town);
    cluster_create(town->world,
                   "{apiVersion: karpenter.kwok.sh/v1alpha1, kind: KWOKNodeClass, metadata: {name: "
                   "default}, spec: {nodeRegistrationDelay: %s}}",
                   delay);
    cluster_create(town->world, "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: general}, spec: "
                                "{template: {spec: {requirements: [{key: node.kubernetes.io/instance-type, operator: "
                                "In, values: [c-4x-amd64-linux]}], nodeClassRef: {group: karpenter.kwok.sh, kind: "
                                "KWOKNodeClass, name: default}}}}}");
    be_born(town);
    return town;
}

static void town_free(Town *town) {
    if (town->engine)
        bury(town);
    world_free(town->world);
    free(town);
}

static void deploy(Town *town, uint32_t replicas) {
    cluster_create(
        town->world,
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, spec: {replicas: "
        "%u, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: "
        "{terminationGracePeriodSeconds: 1, containers: [{name: c, image: i, resources: {requests: {cpu: "
        "1200m, memory: 600Mi}}}]}}}}",
        replicas);
}

typedef struct {
    uint32_t running, pods, nodes, claims, initialized;
} Counts;

static Counts count(Town *town) {
    const State *state = world_state(town->world);
    Counts counts = {.pods = state_count(state, KUBE_POD),
                     .nodes = state_count(state, KUBE_NODE),
                     .claims = state_count(state, KUBE_NODE_CLAIM)};

    for (Handle pod = state_next(state, KUBE_POD, HANDLE_NONE); pod.generation; pod = state_next(state, KUBE_POD, pod))
        counts.running += state_pod(state, pod)->phase == POD_RUNNING;
    for (Handle at = state_next(state, KUBE_NODE_CLAIM, HANDLE_NONE); at.generation;
         at = state_next(state, KUBE_NODE_CLAIM, at)) {
        const Condition *condition =
            condition_get(&state_node_claim(state, at)->conditions, world_symbols(town->world), SLICE("Initialized"));

        counts.initialized +=
            condition && slice_eq_text(symbol_text(world_symbols(town->world), condition->status), "True");
    }
    return counts;
}

// Pods run on as few Nodes as they need, each of a claim of its own.
static void assert_in_place(Town *town, uint32_t pods, uint32_t nodes) {
    const State *state = world_state(town->world);
    Counts counts = count(town);

    if (counts.running != pods || counts.nodes != nodes || counts.claims != nodes || counts.initialized != nodes)
        fail_msg(
            "death at call %u, %u lives: %u pods, %u running; %u nodes, %u claims, %u initialized; wanted %u pods on "
            "%u nodes",
            town->dies_at, town->lives, counts.pods, counts.running, counts.nodes, counts.claims, counts.initialized,
            pods, nodes);
    for (Handle at = state_next(state, KUBE_NODE, HANDLE_NONE); at.generation; at = state_next(state, KUBE_NODE, at))
        assert_false(handle_eq(state_claim_of_node(state, at), HANDLE_NONE));
}

static void delete_claims(Town *town, uint32_t most) {
    const State *state = world_state(town->world);
    Handle at = HANDLE_NONE;

    while (most-- && (at = state_next(state, KUBE_NODE_CLAIM, at)).generation)
        cluster_delete(town->world, KUBE_NODE_CLAIM, "",
                       symbol_text(world_symbols(town->world), state_node_claim(state, at)->meta.name).ptr);
}

// Seven pods, three to a Node; one Node goes under its pods; all go. How many calls it took.
static uint32_t whole_life(const char *delay, uint32_t dies_at) {
    Town *town = town_new(delay, dies_at);
    uint32_t calls;

    deploy(town, 7);
    cluster_run(town->world, MINUTES(3));
    assert_in_place(town, 7, 3);
    delete_claims(town, 1);
    cluster_run(town->world, MINUTES(3));
    assert_in_place(town, 7, 3);
    cluster_patch(town->world, KUBE_DEPLOYMENT, "default", "web", KUBE_OBJECT, "{spec: {replicas: 0}}");
    cluster_run(town->world, SECONDS(20));
    delete_claims(town, 3);
    cluster_run(town->world, MINUTES(4));
    assert_in_place(town, 0, 0);
    assert_int_equal(town->lives, dies_at && town->calls >= dies_at ? 2 : 1);
    if (!dies_at)
        assert_int_equal(town->nodes_made, 4);
    calls = town->calls;
    town_free(town);
    return calls;
}

TEST(pods_get_nodes_and_nodes_end) {
    print_message("%u calls\n", whole_life("0s", 0));
}

TEST(nodes_that_join_late_serve_as_well) {
    print_message("%u calls\n", whole_life("20s", 0));
}

// The process dies at every third call from `first` on; with TENON_DEATHS=all at each one.
static void die_at_calls(const char *delay, uint32_t first) {
    const char *asked = getenv("TENON_DEATHS");
    bool all = asked && strcmp(asked, "all") == 0;
    uint32_t calls = whole_life(delay, 0), deaths = 0;

    for (uint32_t at = all ? 1 : first; at <= calls; at += all ? 1 : STRIDE, deaths++)
        whole_life(delay, at);
    print_message("%u deaths in %u calls\n", deaths, calls);
}

TEST(a_death_at_any_call_leaves_nothing_behind) {
    die_at_calls("0s", 1);
}

TEST(nor_when_nodes_join_late) {
    die_at_calls("20s", 2);
}
