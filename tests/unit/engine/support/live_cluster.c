// LiveCluster: setup, the actor, counts. Its cloud is live_cloud.c.
#include "engine/support/live_parts.h"

#include "ctl/controllers.h"
#include "model/names.h"
#include "text/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORKERS = 8, PATIENCE_S = 240 };

// --- writing

static Value parse(Arena *arena, const char *yaml) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};

    if (yaml_parse(arena, SLICE("cluster"), arena_slice(arena, slice_of(yaml)), NULL, &documents, &warnings, &err) !=
        OK)
        fail_msg("%s", err.text);
    return documents.items[0].root;
}

__attribute__((format(printf, 3, 4))) static void create(LiveCluster *cluster, KubeKind kind, const char *format, ...) {
    Arena arena = {0};
    KubeError error = {0};
    char yaml[2048];
    va_list args;
    Value object;

    va_start(args, format);
    vsnprintf(yaml, sizeof yaml, format, args);
    va_end(args);
    object = parse(&arena, yaml);
    CHECK(kube_create(cluster->kube, NULL, SLICE("cluster"), kind, &object, NULL, &error) == OK, "%s", error.err.text);
    arena_free(&arena);
}

static void patch(LiveCluster *cluster, KubeRef ref, KubePart part, const char *yaml) {
    Arena arena = {0};
    Value body = parse(&arena, yaml);
    KubePatch merge = {.body = &body};

    kube_patch(cluster->kube, NULL, SLICE("cluster"), ref, part, &merge, NULL, NULL); // it may be gone
    arena_free(&arena);
}

static void patch_status(LiveCluster *cluster, KubeRef ref, const char *yaml) {
    patch(cluster, ref, KUBE_STATUS, yaml);
}

static void add_pod(LiveCluster *cluster) {
    char name[32];

    snprintf(name, sizeof name, "pod-%05u", cluster->pods_made++);
    create(
        cluster, KUBE_POD,
        "{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: default}, spec: {terminationGracePeriodSeconds: "
        "1, containers: [{name: c, image: i, resources: {requests: {cpu: 380m}}}]}}",
        name);
    patch_status(cluster, (KubeRef){KUBE_POD, SLICE("default"), slice_of(name)},
                 "{status: {conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}}");
}

static void add_node(LiveCluster *cluster, LiveInstance *instance) {
    char name[64];

    snprintf(name, sizeof name, "node-%05u", instance->number);
    create(cluster, KUBE_NODE,
           "{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {kubernetes.io/hostname: %s, "
           "node.kubernetes.io/instance-type: " LIVE_TYPE ", topology.kubernetes.io/zone: " LIVE_ZONE "}}, spec: "
           "{providerID: %s, taints: [{key: karpenter.sh/unregistered, effect: NoExecute}]}}",
           name, name, instance->provider_id);
    patch_status(cluster, (KubeRef){KUBE_NODE, {0}, slice_of(name)},
                 "{status: {conditions: [{type: Ready, status: 'True'}], capacity: {cpu: '4', memory: 8Gi, pods: "
                 "'110'}, allocatable: {cpu: 3900m, memory: 7Gi, pods: '110'}}}");
    // The API server taints new nodes; the taint is removed from a ready one.
    patch(cluster, (KubeRef){KUBE_NODE, {0}, slice_of(name)}, KUBE_OBJECT,
          "{spec: {taints: [{key: karpenter.sh/unregistered, effect: NoExecute}]}}");
}

// --- the actor

static bool take(void *context, const KubeEvent *event) {
    LiveCluster *cluster = context;
    StateUpdate *update;
    StateChange change;

    if (!event->object)
        return true;
    CHECK(state_decode(state_symbols(cluster->mirror), event->kind, event->object, &update, NULL) == OK);
    state_apply(cluster->mirror, update, event->type == KUBE_DELETED, &change);
    return true;
}

static bool is_open(const Node *node) {
    return !node->meta.deleting && !node->taints.count && labels_get(&node->meta.labels, NAME_REGISTERED) == NAME_TRUE;
}

static void bind(LiveCluster *cluster, const Pod *pod, const Node *node) {
    const Symbols *symbols = state_symbols(cluster->mirror);
    KubeRef ref = {KUBE_POD, symbol_text(symbols, pod->ns), symbol_text(symbols, pod->name)};

    if (kube_bind(cluster->kube, ref, (Slice){0}, symbol_text(symbols, node->meta.name), NULL) == OK)
        patch_status(cluster, ref, "{status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}}");
}

// As kube-scheduler and the kubelets would: binds pending pods where there is room.
static void place_pods(LiveCluster *cluster) {
    const State *state = cluster->mirror;
    const HandleVec *pending = state_pods_pending(state);
    uint32_t next = 0;

    for (Handle node = state_next(state, KUBE_NODE, HANDLE_NONE); node.generation && next < pending->count;
         node = state_next(state, KUBE_NODE, node)) {
        const Node *object = state_node(state, node);

        if (!is_open(object))
            continue;
        for (uint32_t used = state_pods_on_node(state, object->meta.name)->count;
             used < LIVE_PODS_PER_NODE && next < pending->count; used++)
            bind(cluster, state_pod(state, pending->items[next++]), object);
    }
}

static bool end_pods(LiveCluster *cluster) {
    const State *state = cluster->mirror;
    const Symbols *symbols = state_symbols(state);
    bool any = false;

    for (Handle pod = state_next(state, KUBE_POD, HANDLE_NONE); pod.generation;
         pod = state_next(state, KUBE_POD, pod)) {
        const Pod *object = state_pod(state, pod);
        KubeRef ref = {KUBE_POD, symbol_text(symbols, object->ns), symbol_text(symbols, object->name)};

        if (!object->deleting)
            continue;
        CHECK(kube_remove(cluster->kube, ref, &(KubeDeletion){.has_grace = true}, NULL) == OK);
        add_pod(cluster);
        any = true;
    }
    return any;
}

// The lock is not held while the server is written to: nothing changes the mirror but api_step.
static void act(LiveCluster *cluster) {
    LiveInstance *instance;

    pthread_mutex_lock(&cluster->lock);
    while (api_step(cluster->server)) {
    }
    pthread_mutex_unlock(&cluster->lock);
    while ((instance = live_cloud_next(cluster)))
        add_node(cluster, instance);
    if (!end_pods(cluster))
        place_pods(cluster);
}

static void *run_actor(void *context) {
    LiveCluster *cluster = context;

    while (!atomic_load(&cluster->over)) {
        act(cluster);
        atomic_fetch_add(&cluster->acts, 1);
        usleep(500);
    }
    return NULL;
}

// --- setting up

static int64_t server_now(void *context) {
    (void)context;
    return clock_system_wall_ns();
}

static uint64_t server_random(void *context) {
    return random_u64(&((LiveCluster *)context)->random);
}

static void watch(LiveCluster *cluster, KubeKind kind, int number) {
    KubeWatchRequest request = {.kind = kind};

    CHECK(kube_watch(cluster->kube, &request, (KubeSink){take, cluster}, &cluster->watches[number], NULL) == OK);
}

static void furnish(LiveCluster *cluster, uint32_t pods) {
    create(cluster, KUBE_KWOK_NODE_CLASS,
           "{apiVersion: karpenter.kwok.sh/v1alpha1, kind: KWOKNodeClass, metadata: {name: default}}");
    patch_status(cluster, (KubeRef){KUBE_KWOK_NODE_CLASS, {0}, SLICE("default")},
                 "{status: {conditions: [{type: Ready, status: 'True', reason: Ready, message: '', "
                 "lastTransitionTime: '2026-01-05T00:00:00Z'}]}}");
    create(cluster, KUBE_NODE_POOL,
           "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: general}, spec: {template: {spec: "
           "{requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [" LIVE_TYPE
           "]}], nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}}}}");
    for (uint32_t i = 0; i < pods; i++)
        add_pod(cluster);
}

LiveCluster *live_new(uint32_t pods) {
    LiveCluster *cluster = calloc(1, sizeof *cluster);

    CHECK(cluster);
    pthread_mutex_init(&cluster->lock, NULL);
    pthread_mutex_init(&cluster->cloud.lock, NULL);
    random_seed(&cluster->random, 1);
    cluster->server = api_new(&(ApiConfig){.sources = {server_now, server_random, cluster}});
    cluster->kube = api_kube(cluster->server);
    cluster->mirror = state_new();
    cluster->pods = pods;
    furnish(cluster, pods);
    watch(cluster, KUBE_POD, 0);
    watch(cluster, KUBE_NODE, 1);
    watch(cluster, KUBE_NODE_CLAIM, 2);
    CHECK(pthread_create(&cluster->actor, NULL, run_actor, cluster) == 0);
    return cluster;
}

void live_free(LiveCluster *cluster) {
    live_crash(cluster);
    atomic_store(&cluster->over, true);
    pthread_join(cluster->actor, NULL);
    for (int i = 0; i < 3; i++)
        kube_unwatch(cluster->kube, cluster->watches[i]);
    state_free(cluster->mirror);
    api_free(cluster->server);
    live_cloud_free(cluster);
    pthread_mutex_destroy(&cluster->cloud.lock);
    pthread_mutex_destroy(&cluster->lock);
    free(cluster);
}

// --- tenon

static void *run_engine(void *context) {
    CHECK(engine_run(context, NULL) == OK);
    return NULL;
}

void live_set_observer(LiveCluster *cluster, const LiveObserver *observer) {
    cluster->observer = *observer;
}

void live_gather(LiveCluster *cluster) {
    cluster->cloud.gathers = true;
}

void live_start(LiveCluster *cluster) {
    const LiveObserver *observer = &cluster->observer;
    Settings settings = settings_default();
    State *state = state_new();
    const EngineObserver *engine_observer =
        observer->engine_observer ? observer->engine_observer(observer->context, state_symbols(state)) : NULL;
    Err err = {0};

    settings.node_class_group = SLICE("karpenter.kwok.sh");
    settings.node_class_kind = SLICE("KWOKNodeClass");
    settings.node_class_label = SLICE("karpenter.kwok.sh/kwoknodeclass");
    CHECK(thread_executor_new(WORKERS, &cluster->executor, &err) == OK, "%s", err.text);
    cluster->engine = engine_new(&(EngineConfig){
        .controllers = controllers,
        .controller_count = controller_count,
        .kube = observer->kube ? observer->kube(observer->context, cluster->kube) : cluster->kube,
        .observer = engine_observer,
        .cloud = live_cloud_begin(cluster, state_symbols(state)),
        .clock = clock_real(),
        .state = state,
        .executor = thread_executor(cluster->executor),
        .settings = &settings,
        .seed = 1,
    });
    if (observer->started)
        observer->started(observer->context, cluster->engine);
    CHECK(engine_start(cluster->engine, &err) == OK, "%s", err.text);
    CHECK(pthread_create(&cluster->engine_thread, NULL, run_engine, cluster->engine) == 0);
}

// Jobs that are running find the mailbox closed.
void live_crash(LiveCluster *cluster) {
    if (!cluster->engine)
        return;
    if (cluster->observer.started)
        cluster->observer.started(cluster->observer.context, NULL);
    engine_stop(cluster->engine);
    pthread_join(cluster->engine_thread, NULL);
    engine_free(cluster->engine);
    thread_executor_free(cluster->executor);
    cluster->engine = NULL;
    live_cloud_end(cluster);
}

// --- counting

static bool is_initialized(const LiveCluster *cluster, const NodeClaim *claim) {
    const Symbols *symbols = state_symbols(cluster->mirror);
    const Condition *condition = condition_get(&claim->conditions, symbols, SLICE("Initialized"));

    return condition && slice_eq_text(symbol_text(symbols, condition->status), "True");
}

static LiveCounts count(LiveCluster *cluster) {
    const State *state = cluster->mirror;
    LiveCounts counts = {.nodes = state_count(state, KUBE_NODE), .claims = state_count(state, KUBE_NODE_CLAIM)};

    for (Handle pod = state_next(state, KUBE_POD, HANDLE_NONE); pod.generation;
         pod = state_next(state, KUBE_POD, pod)) {
        counts.pods += !state_pod(state, pod)->deleting;
        counts.running += !state_pod(state, pod)->deleting && state_pod(state, pod)->phase == POD_RUNNING;
    }
    for (Handle node = state_next(state, KUBE_NODE, HANDLE_NONE); node.generation;
         node = state_next(state, KUBE_NODE, node))
        counts.nodes_full += state_pods_on_node(state, state_node(state, node)->meta.name)->count == LIVE_PODS_PER_NODE;
    for (Handle claim = state_next(state, KUBE_NODE_CLAIM, HANDLE_NONE); claim.generation;
         claim = state_next(state, KUBE_NODE_CLAIM, claim)) {
        counts.claims_initialized += is_initialized(cluster, state_node_claim(state, claim));
        counts.claims_deleting += state_node_claim(state, claim)->meta.deleting;
    }
    live_cloud_count(cluster, &counts);
    return counts;
}

LiveCounts live_counts(LiveCluster *cluster) {
    LiveCounts counts;

    pthread_mutex_lock(&cluster->lock);
    counts = count(cluster);
    pthread_mutex_unlock(&cluster->lock);
    return counts;
}

static bool is_settled(const LiveCluster *cluster, const LiveCounts *counts) {
    return counts->pods == cluster->pods && counts->running == cluster->pods && !counts->claims_deleting &&
           counts->claims_initialized == counts->claims && counts->nodes == counts->claims &&
           counts->instances == counts->claims;
}

bool live_wait(LiveCluster *cluster) {
    int64_t until_ns = clock_system_mono().ns + PATIENCE_S * NS_PER_S;

    while (clock_system_mono().ns < until_ns) {
        LiveCounts counts = live_counts(cluster);

        if (is_settled(cluster, &counts))
            return true;
        usleep(10000);
    }
    return false;
}

void live_delete_claims(LiveCluster *cluster, uint32_t count_wanted) {
    Arena arena = {0};
    KubeList list;

    CHECK(kube_list(cluster->kube, &arena, &(KubeListRequest){.kind = KUBE_NODE_CLAIM}, &list, NULL) == OK);
    for (uint32_t i = 0; i < count_wanted && i < list.items.count; i++)
        kube_remove(cluster->kube, (KubeRef){KUBE_NODE_CLAIM, {0}, kube_name(&list.items.items[i])}, NULL, NULL);
    arena_free(&arena);
    for (unsigned seen = atomic_load(&cluster->acts) + 2; atomic_load(&cluster->acts) < seen;)
        usleep(500); // until the mirror shows it
}
