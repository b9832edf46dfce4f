// The village's actor, and how it is set up and looked at. Its cloud is village_cloud.c.
#include "engine/support/village_parts.h"

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

    if (yaml_parse(arena, SLICE("village"), arena_slice(arena, slice_of(yaml)), NULL, &documents, &warnings, &err) !=
        OK)
        fail_msg("%s", err.text);
    return documents.items[0].root;
}

__attribute__((format(printf, 3, 4))) static void create(Village *village, KubeKind kind, const char *format, ...) {
    Arena arena = {0};
    KubeError error = {0};
    char yaml[2048];
    va_list args;
    Value object;

    va_start(args, format);
    vsnprintf(yaml, sizeof yaml, format, args);
    va_end(args);
    object = parse(&arena, yaml);
    CHECK(kube_create(village->kube, NULL, SLICE("village"), kind, &object, NULL, &error) == OK, "%s", error.err.text);
    arena_free(&arena);
}

static void patch(Village *village, KubeRef ref, KubePart part, const char *yaml) {
    Arena arena = {0};
    Value body = parse(&arena, yaml);
    KubePatch merge = {.body = &body};

    kube_patch(village->kube, NULL, SLICE("village"), ref, part, &merge, NULL, NULL); // it may be gone
    arena_free(&arena);
}

static void patch_status(Village *village, KubeRef ref, const char *yaml) {
    patch(village, ref, KUBE_STATUS, yaml);
}

static void add_pod(Village *village) {
    char name[32];

    snprintf(name, sizeof name, "pod-%05u", village->pods_made++);
    create(
        village, KUBE_POD,
        "{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: default}, spec: {terminationGracePeriodSeconds: "
        "1, containers: [{name: c, image: i, resources: {requests: {cpu: 380m}}}]}}",
        name);
    patch_status(village, (KubeRef){KUBE_POD, SLICE("default"), slice_of(name)},
                 "{status: {conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}}");
}

static void add_node(Village *village, VillageInstance *instance) {
    char name[64];

    snprintf(name, sizeof name, "node-%05u", instance->number);
    create(village, KUBE_NODE,
           "{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {kubernetes.io/hostname: %s, "
           "node.kubernetes.io/instance-type: " VILLAGE_TYPE ", topology.kubernetes.io/zone: " VILLAGE_ZONE "}}, spec: "
           "{providerID: %s, taints: [{key: karpenter.sh/unregistered, effect: NoExecute}]}}",
           name, name, instance->provider_id);
    patch_status(village, (KubeRef){KUBE_NODE, {0}, slice_of(name)},
                 "{status: {conditions: [{type: Ready, status: 'True'}], capacity: {cpu: '4', memory: 8Gi, pods: "
                 "'110'}, allocatable: {cpu: 3900m, memory: 7Gi, pods: '110'}}}");
    // The API server taints nodes that are new; a ready one has that no more.
    patch(village, (KubeRef){KUBE_NODE, {0}, slice_of(name)}, KUBE_OBJECT,
          "{spec: {taints: [{key: karpenter.sh/unregistered, effect: NoExecute}]}}");
}

// --- the actor

static bool take(void *context, const KubeEvent *event) {
    Village *village = context;
    StateUpdate *update;
    StateChange change;

    if (!event->object)
        return true;
    CHECK(state_decode(state_symbols(village->mirror), event->kind, event->object, &update, NULL) == OK);
    state_apply(village->mirror, update, event->type == KUBE_DELETED, &change);
    return true;
}

static bool is_open(const Node *node) {
    return !node->meta.deleting && !node->taints.count && labels_get(&node->meta.labels, NAME_REGISTERED) == NAME_TRUE;
}

static void bind(Village *village, const Pod *pod, const Node *node) {
    const Symbols *symbols = state_symbols(village->mirror);
    KubeRef ref = {KUBE_POD, symbol_text(symbols, pod->ns), symbol_text(symbols, pod->name)};

    if (kube_bind(village->kube, ref, (Slice){0}, symbol_text(symbols, node->meta.name), NULL) == OK)
        patch_status(village, ref, "{status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}}");
}

// As kube-scheduler and the kubelets would: whatever waits goes where room is.
static void place_pods(Village *village) {
    const State *state = village->mirror;
    const HandleVec *pending = state_pods_pending(state);
    uint32_t next = 0;

    for (Handle node = state_next(state, KUBE_NODE, HANDLE_NONE); node.generation && next < pending->count;
         node = state_next(state, KUBE_NODE, node)) {
        const Node *object = state_node(state, node);

        if (!is_open(object))
            continue;
        for (uint32_t used = state_pods_on_node(state, object->meta.name)->count;
             used < VILLAGE_PODS_PER_NODE && next < pending->count; used++)
            bind(village, state_pod(state, pending->items[next++]), object);
    }
}

static bool end_pods(Village *village) {
    const State *state = village->mirror;
    const Symbols *symbols = state_symbols(state);
    bool any = false;

    for (Handle pod = state_next(state, KUBE_POD, HANDLE_NONE); pod.generation;
         pod = state_next(state, KUBE_POD, pod)) {
        const Pod *object = state_pod(state, pod);
        KubeRef ref = {KUBE_POD, symbol_text(symbols, object->ns), symbol_text(symbols, object->name)};

        if (!object->deleting)
            continue;
        CHECK(kube_remove(village->kube, ref, &(KubeDeletion){.has_grace = true}, NULL) == OK);
        add_pod(village);
        any = true;
    }
    return any;
}

// The lock is not held while the server is written to: nothing changes the mirror but api_step.
static void act(Village *village) {
    VillageInstance *instance;

    pthread_mutex_lock(&village->lock);
    while (api_step(village->server)) {
    }
    pthread_mutex_unlock(&village->lock);
    while ((instance = village_cloud_next(village)))
        add_node(village, instance);
    if (!end_pods(village))
        place_pods(village);
}

static void *run_actor(void *context) {
    Village *village = context;

    while (!atomic_load(&village->over)) {
        act(village);
        atomic_fetch_add(&village->acts, 1);
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
    return random_u64(&((Village *)context)->random);
}

static void watch(Village *village, KubeKind kind, int number) {
    KubeWatchRequest request = {.kind = kind};

    CHECK(kube_watch(village->kube, &request, (KubeSink){take, village}, &village->watches[number], NULL) == OK);
}

static void furnish(Village *village, uint32_t pods) {
    create(village, KUBE_KWOK_NODE_CLASS,
           "{apiVersion: karpenter.kwok.sh/v1alpha1, kind: KWOKNodeClass, metadata: {name: default}}");
    patch_status(village, (KubeRef){KUBE_KWOK_NODE_CLASS, {0}, SLICE("default")},
                 "{status: {conditions: [{type: Ready, status: 'True', reason: Ready, message: '', "
                 "lastTransitionTime: '2026-01-05T00:00:00Z'}]}}");
    create(village, KUBE_NODE_POOL,
           "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: general}, spec: {template: {spec: "
           "{requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [" VILLAGE_TYPE
           "]}], nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}}}}");
    for (uint32_t i = 0; i < pods; i++)
        add_pod(village);
}

Village *village_new(uint32_t pods) {
    Village *village = calloc(1, sizeof *village);

    CHECK(village);
    pthread_mutex_init(&village->lock, NULL);
    pthread_mutex_init(&village->cloud.lock, NULL);
    random_seed(&village->random, 1);
    village->server = api_new(&(ApiConfig){.sources = {server_now, server_random, village}});
    village->kube = api_kube(village->server);
    village->mirror = state_new();
    village->pods = pods;
    furnish(village, pods);
    watch(village, KUBE_POD, 0);
    watch(village, KUBE_NODE, 1);
    watch(village, KUBE_NODE_CLAIM, 2);
    CHECK(pthread_create(&village->actor, NULL, run_actor, village) == 0);
    return village;
}

void village_free(Village *village) {
    village_crash(village);
    atomic_store(&village->over, true);
    pthread_join(village->actor, NULL);
    for (int i = 0; i < 3; i++)
        kube_unwatch(village->kube, village->watches[i]);
    state_free(village->mirror);
    api_free(village->server);
    village_cloud_free(village);
    pthread_mutex_destroy(&village->cloud.lock);
    pthread_mutex_destroy(&village->lock);
    free(village);
}

// --- tenon

static void *run_engine(void *context) {
    CHECK(engine_run(context, NULL) == OK);
    return NULL;
}

void village_set_observer(Village *village, const VillageObserver *observer) {
    village->observer = *observer;
}

void village_start(Village *village) {
    const VillageObserver *observer = &village->observer;
    Settings settings = settings_default();
    State *state = state_new();
    const EngineObserver *engine_observer =
        observer->engine_observer ? observer->engine_observer(observer->context, state_symbols(state)) : NULL;
    Err err = {0};

    settings.node_class_group = SLICE("karpenter.kwok.sh");
    settings.node_class_kind = SLICE("KWOKNodeClass");
    settings.node_class_label = SLICE("karpenter.kwok.sh/kwoknodeclass");
    CHECK(thread_executor_new(WORKERS, &village->executor, &err) == OK, "%s", err.text);
    village->engine = engine_new(&(EngineConfig){
        .controllers = controllers,
        .controller_count = controller_count,
        .kube = observer->kube ? observer->kube(observer->context, village->kube) : village->kube,
        .observer = engine_observer,
        .cloud = village_cloud_begin(village, state_symbols(state)),
        .clock = clock_real(),
        .state = state,
        .executor = thread_executor(village->executor),
        .settings = &settings,
        .seed = 1,
    });
    if (observer->started)
        observer->started(observer->context, village->engine);
    CHECK(engine_start(village->engine, &err) == OK, "%s", err.text);
    CHECK(pthread_create(&village->engine_thread, NULL, run_engine, village->engine) == 0);
}

// Jobs that are being carried out find nobody to tell.
void village_crash(Village *village) {
    if (!village->engine)
        return;
    if (village->observer.started)
        village->observer.started(village->observer.context, NULL);
    engine_stop(village->engine);
    pthread_join(village->engine_thread, NULL);
    engine_free(village->engine);
    thread_executor_free(village->executor);
    village->engine = NULL;
    village_cloud_end(village);
}

// --- looking

static bool is_initialized(const Village *village, const NodeClaim *claim) {
    const Symbols *symbols = state_symbols(village->mirror);
    const Condition *condition = condition_get(&claim->conditions, symbols, SLICE("Initialized"));

    return condition && slice_eq_text(symbol_text(symbols, condition->status), "True");
}

static VillageCounts count(Village *village) {
    const State *state = village->mirror;
    VillageCounts counts = {.nodes = state_count(state, KUBE_NODE), .claims = state_count(state, KUBE_NODE_CLAIM)};

    for (Handle pod = state_next(state, KUBE_POD, HANDLE_NONE); pod.generation;
         pod = state_next(state, KUBE_POD, pod)) {
        counts.pods += !state_pod(state, pod)->deleting;
        counts.running += !state_pod(state, pod)->deleting && state_pod(state, pod)->phase == POD_RUNNING;
    }
    for (Handle node = state_next(state, KUBE_NODE, HANDLE_NONE); node.generation;
         node = state_next(state, KUBE_NODE, node))
        counts.nodes_full +=
            state_pods_on_node(state, state_node(state, node)->meta.name)->count == VILLAGE_PODS_PER_NODE;
    for (Handle claim = state_next(state, KUBE_NODE_CLAIM, HANDLE_NONE); claim.generation;
         claim = state_next(state, KUBE_NODE_CLAIM, claim)) {
        counts.claims_initialized += is_initialized(village, state_node_claim(state, claim));
        counts.claims_deleting += state_node_claim(state, claim)->meta.deleting;
    }
    village_cloud_count(village, &counts);
    return counts;
}

VillageCounts village_counts(Village *village) {
    VillageCounts counts;

    pthread_mutex_lock(&village->lock);
    counts = count(village);
    pthread_mutex_unlock(&village->lock);
    return counts;
}

static bool is_settled(const Village *village, const VillageCounts *counts) {
    return counts->pods == village->pods && counts->running == village->pods && !counts->claims_deleting &&
           counts->claims_initialized == counts->claims && counts->nodes == counts->claims &&
           counts->instances == counts->claims;
}

bool village_wait(Village *village) {
    int64_t until_ns = clock_system_mono().ns + PATIENCE_S * NS_PER_S;

    while (clock_system_mono().ns < until_ns) {
        VillageCounts counts = village_counts(village);

        if (is_settled(village, &counts))
            return true;
        usleep(10000);
    }
    return false;
}

void village_delete_claims(Village *village, uint32_t count_wanted) {
    Arena arena = {0};
    KubeList list;

    CHECK(kube_list(village->kube, &arena, &(KubeListRequest){.kind = KUBE_NODE_CLAIM}, &list, NULL) == OK);
    for (uint32_t i = 0; i < count_wanted && i < list.items.count; i++)
        kube_remove(village->kube, (KubeRef){KUBE_NODE_CLAIM, {0}, kube_name(&list.items.items[i])}, NULL, NULL);
    arena_free(&arena);
    for (unsigned seen = atomic_load(&village->acts) + 2; atomic_load(&village->acts) < seen;)
        usleep(500); // until the mirror shows it
}
