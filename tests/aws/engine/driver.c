// tenon on AWS with an API server inside the process: the engine with its threads, the provider, the client over HTTP
// to the fake that AWS_ENDPOINT_URL names. So what tenon asks of AWS, and when, is seen without a slow control plane.
//
//   aws_engine_driver CLUSTER WRITE_US     each write to the API server takes so long
//
// It furnishes a class and a pool, prints {"ready":true}, and answers each line of its input with one of JSON:
//
//   N           makes N NodeClaims at once and waits until all have been launched: when the first and the last intent
//   to
//               launch one of them was written down, in seconds since 1970
//   refresh N   asks for types and prices anew while N NodeClaims are launched one after the other: how long these
//   calls
//               took, and the longest turn of the engine meanwhile and before, by the clock and of its thread's
//               processor time, in ms
//
// It ends with its input.
#include "cli/run/aws_cloud.h"
#include "ctl/controllers.h"
#include "engine/engine.h"
#include "sim/api/api.h"
#include "text/yaml.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORKERS = 16, PATIENCE_S = 300 };

typedef struct {
    ApiServer *server;
    Kube kube;      // of the furniture
    Kube slow_kube; // of the engine
    KubeTable slow_table;
    useconds_t write_us;
    atomic_ulong random;
    AwsCloud aws;
    ManagerCloud cloud;
    ThreadExecutor *executor;
    Engine *engine;
    pthread_t engine_thread, server_thread;
    atomic_bool over;
    uint32_t claims_made;
    pthread_mutex_t lock; // guards the intents
    int64_t first_intent_ns, last_intent_ns;
    uint32_t intents;
    atomic_long turn_ns, turn_cpu_ns; // the longest since they were set to zero
    int64_t cpu_ns;                   // of the engine's thread, at the end of its last turn
    Cloud provider;
    atomic_bool refreshes;
    double refresh_s;
} Driver;

// --- the API server

static int64_t server_now(void *context) {
    (void)context;
    return clock_system_wall_ns();
}

static uint64_t server_random(void *context) {
    return hash_u64(atomic_fetch_add(&((Driver *)context)->random, 1) + 1);
}

static void *serve(void *context) {
    Driver *driver = context;

    while (!atomic_load(&driver->over)) {
        if (!api_step(driver->server))
            usleep(200);
    }
    return NULL;
}

static ErrCode slow_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object,
                           Value *ret_object, KubeError *error) {
    Driver *driver = self;

    usleep(driver->write_us);
    return kube_create(driver->kube, arena, manager, kind, object, ret_object, error);
}

static ErrCode slow_update(void *self, Arena *arena, Slice manager, KubeKind kind, KubePart part, const Value *object,
                           Value *ret_object, KubeError *error) {
    Driver *driver = self;

    usleep(driver->write_us);
    return kube_update(driver->kube, arena, manager, kind, part, object, ret_object, error);
}

static ErrCode slow_patch(void *self, Arena *arena, Slice manager, KubeRef ref, KubePart part, const KubePatch *patch,
                          Value *ret_object, KubeError *error) {
    Driver *driver = self;

    usleep(driver->write_us);
    return kube_patch(driver->kube, arena, manager, ref, part, patch, ret_object, error);
}

static ErrCode quick_get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    return kube_get(((Driver *)self)->kube, arena, ref, ret_object, error);
}

static ErrCode quick_list(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list,
                          KubeError *error) {
    return kube_list(((Driver *)self)->kube, arena, request, ret_list, error);
}

static ErrCode quick_remove(void *self, KubeRef ref, const KubeDeletion *deletion, KubeError *error) {
    return kube_remove(((Driver *)self)->kube, ref, deletion, error);
}

static ErrCode quick_watch(void *self, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch,
                           KubeError *error) {
    return kube_watch(((Driver *)self)->kube, request, sink, ret_watch, error);
}

static void quick_unwatch(void *self, KubeWatch *watch) {
    kube_unwatch(((Driver *)self)->kube, watch);
}

static void open_server(Driver *driver) {
    driver->server = api_new(&(ApiConfig){.sources = {server_now, server_random, driver}});
    driver->kube = api_kube(driver->server);
    driver->slow_table = (KubeTable){.get = quick_get,
                                     .list = quick_list,
                                     .create = slow_create,
                                     .update = slow_update,
                                     .patch = slow_patch,
                                     .remove = quick_remove,
                                     .watch = quick_watch,
                                     .unwatch = quick_unwatch};
    driver->slow_kube = (Kube){&driver->slow_table, driver};
    CHECK(pthread_create(&driver->server_thread, NULL, serve, driver) == 0);
}

// --- objects

__attribute__((format(printf, 3, 4))) static void create(Driver *driver, KubeKind kind, const char *format, ...) {
    Arena arena = {0};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    KubeError error = {0};
    char yaml[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(yaml, sizeof yaml, format, args);
    va_end(args);
    CHECK(yaml_parse(&arena, SLICE("furniture"), arena_slice(&arena, slice_of(yaml)), NULL, &documents, &warnings,
                     &error.err) == OK,
          "%s", error.err.text);
    CHECK(kube_create(driver->kube, NULL, SLICE("driver"), kind, &documents.items[0].root, NULL, &error) == OK, "%s",
          error.err.text);
    arena_free(&arena);
}

static void furnish(Driver *driver, const char *cluster) {
    create(driver, KUBE_SERVICE,
           "{apiVersion: v1, kind: Service, metadata: {name: kube-dns, namespace: kube-system}, spec: {clusterIP: "
           "10.0.0.10, ports: [{port: 53, protocol: UDP}]}}");
    create(driver, KUBE_EC2_NODE_CLASS,
           "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, spec: {amiSelectorTerms: "
           "[{alias: al2023@latest}], role: KarpenterNodeRole-%s, subnetSelectorTerms: [{tags: "
           "{karpenter.sh/discovery: %s}}], securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: %s}}]}}",
           cluster, cluster, cluster);
    create(driver, KUBE_NODE_POOL,
           "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: general}, spec: {disruption: "
           "{consolidateAfter: Never}, template: {spec: {requirements: [], nodeClassRef: {group: karpenter.k8s.aws, "
           "kind: EC2NodeClass, name: default}}}}}");
}

static void add_claim(Driver *driver) {
    create(driver, KUBE_NODE_CLAIM,
           "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: claim-%u, labels: {karpenter.sh/nodepool: "
           "general, karpenter.k8s.aws/ec2nodeclass: default}, finalizers: [karpenter.sh/termination]}, spec: "
           "{nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}, requirements: [{key: "
           "karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}, {key: kubernetes.io/arch, operator: "
           "In, values: [amd64]}, {key: karpenter.sh/nodepool, operator: In, values: [general]}], resources: "
           "{requests: {cpu: '1', memory: 1Gi}}}}",
           driver->claims_made++);
}

static bool is_true(const Value *object, const char *type) {
    const Value *list = value_get_text(value_get_text(object, "status"), "conditions");

    for (uint32_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++) {
        const Value *one = &list->list.items[i];

        if (slice_eq_text(kube_text(one, "type", NULL), type))
            return slice_eq_text(kube_text(one, "status", NULL), "True");
    }
    return false;
}

typedef struct {
    const char *condition;
    uint32_t yes, no;
} Count;

static bool count_one(void *context, const Value *object) {
    Count *count = context;

    *(is_true(object, count->condition) ? &count->yes : &count->no) += 1;
    return true;
}

// Waits until all objects of the kind have the condition; how many these are.
static uint32_t wait_for(Driver *driver, KubeKind kind, const char *condition) {
    for (uint32_t i = 0; i < PATIENCE_S * 200; i++) {
        Count count = {.condition = condition};

        api_visit(driver->server, kind, count_one, &count);
        if (count.no == 0)
            return count.yes;
        usleep(5000);
    }
    CHECK(false, "not within %d s: %s", PATIENCE_S, condition);
}

// --- tenon

static void note_intents(void *self, const State *state, const char *controller, Key key, const Intent *intents,
                         uint32_t count, int64_t took_ns, Moment at) {
    Driver *driver = self;
    int64_t now_ns = clock_system_wall_ns();

    (void)state, (void)controller, (void)key, (void)took_ns, (void)at;
    pthread_mutex_lock(&driver->lock);
    for (uint32_t i = 0; i < count; i++) {
        if (intents[i].type != INTENT_LAUNCH)
            continue;
        driver->first_intent_ns = driver->intents ? driver->first_intent_ns : now_ns;
        driver->last_intent_ns = now_ns;
        driver->intents++;
    }
    pthread_mutex_unlock(&driver->lock);
}

static int64_t thread_cpu_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return ns_of_timespec(now);
}

static void keep_longest(atomic_long *longest, int64_t ns) {
    if (ns > atomic_load(longest))
        atomic_store(longest, ns);
}

static void note_turn(void *self, Engine *engine, State *state, Moment at) {
    Driver *driver = self;
    int64_t cpu_ns = thread_cpu_ns();

    (void)engine, (void)state;
    keep_longest(&driver->turn_ns, mono_since(clock_system_mono(), at.now));
    keep_longest(&driver->turn_cpu_ns, cpu_ns - driver->cpu_ns);
    driver->cpu_ns = cpu_ns;
}

static void *run_engine(void *context) {
    CHECK(engine_run(context, NULL) == OK);
    return NULL;
}

static Cloud open_cloud(Driver *driver, Arena *arena, const char *cluster, const Symbols *symbols) {
    const KubeConfig config = {0};
    Cloud cloud;
    Err err = {0};

    driver->aws.settings = AWS_PROVIDER_SETTINGS;
    driver->aws.settings.cluster_name = slice_of(cluster);
    driver->aws.settings.eks_control_plane = true;
    driver->aws.stop_fd = -1;
    CHECK(json_log_open(SLICE("debug"), SLICE("stderr"), SLICE("stderr"), &driver->aws.log, &err) == OK, "%s",
          err.text);
    CHECK(aws_cloud_open(&driver->aws, arena, &config, 1, &err) == OK, "%s", err.text);
    driver->cloud = aws_cloud(&driver->aws);
    CHECK(driver->cloud.open(driver->cloud.context, driver->slow_kube, symbols, &cloud, &err) == OK, "%s", err.text);
    return cloud;
}

static void start(Driver *driver, Arena *arena, const char *cluster) {
    const EngineObserver observer = {.called = note_intents, .turned = note_turn, .self = driver};
    Settings settings = settings_default();
    State *state = state_new();
    Err err = {0};

    settings.looks_up_classes = true;
    driver->provider = open_cloud(driver, arena, cluster, state_symbols(state));
    CHECK(thread_executor_new(WORKERS, &driver->executor, &err) == OK, "%s", err.text);
    driver->engine = engine_new(&(EngineConfig){.controllers = controllers,
                                                .controller_count = controller_count,
                                                .kube = driver->slow_kube,
                                                .cloud = driver->provider,
                                                .clock = clock_real(),
                                                .state = state,
                                                .executor = thread_executor(driver->executor),
                                                .observer = &observer,
                                                .settings = &settings,
                                                .seed = 1,
                                                .log = json_log_write,
                                                .log_context = driver->aws.log});
    CHECK(engine_start(driver->engine, &err) == OK, "%s", err.text);
    CHECK(pthread_create(&driver->engine_thread, NULL, run_engine, driver->engine) == 0);
}

static void stop(Driver *driver) {
    aws_cloud_end_within(&driver->aws, 0);
    engine_stop(driver->engine);
    pthread_join(driver->engine_thread, NULL);
    engine_free(driver->engine);
    thread_executor_free(driver->executor);
    driver->cloud.close(driver->cloud.context);
    aws_cloud_close(&driver->aws);
    json_log_close(driver->aws.log);
    atomic_store(&driver->over, true);
    pthread_join(driver->server_thread, NULL);
    api_free(driver->server);
}

// --- what it is told

static void launch(Driver *driver, uint32_t count) {
    uint32_t launched;

    pthread_mutex_lock(&driver->lock);
    driver->intents = 0;
    pthread_mutex_unlock(&driver->lock);
    for (uint32_t i = 0; i < count; i++)
        add_claim(driver);
    launched = wait_for(driver, KUBE_NODE_CLAIM, "Launched");
    pthread_mutex_lock(&driver->lock);
    printf("{\"launched\":%u,\"intents\":%u,\"first_intent\":%.6f,\"last_intent\":%.6f}\n", launched, driver->intents,
           (double)driver->first_intent_ns / 1e9, (double)driver->last_intent_ns / 1e9);
    pthread_mutex_unlock(&driver->lock);
    fflush(stdout);
}

static void *refresh(void *context) {
    static const CloudRefresh all[] = {CLOUD_REFRESH_INSTANCE_TYPES, CLOUD_REFRESH_PRICES};
    Driver *driver = context;
    Mono began = clock_system_mono();

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        CloudMessageVec messages;
        CloudError error = {0};
        Arena arena = {0};

        CHECK(cloud_refresh(driver->provider, &arena, all[i], &messages, &error) == OK, "%s", error.err.text);
        arena_free(&arena);
    }
    driver->refresh_s = ns_to_s(mono_since(clock_system_mono(), began));
    atomic_store(&driver->refreshes, false);
    return NULL;
}

// Launches claims one after the other: all that engine and provider do for one goes on beside the refresh.
static uint32_t launch_singly(Driver *driver, uint32_t least) {
    uint32_t count = 0;

    atomic_store(&driver->turn_ns, 0);
    atomic_store(&driver->turn_cpu_ns, 0);
    while (count < least || atomic_load(&driver->refreshes)) {
        add_claim(driver);
        usleep(20000);
        count++;
    }
    return count;
}

static void measure_refresh(Driver *driver, uint32_t least) {
    double before_ms, before_cpu_ms;
    pthread_t thread;
    uint32_t count;

    launch_singly(driver, least);
    wait_for(driver, KUBE_NODE_CLAIM, "Launched");
    before_ms = (double)atomic_load(&driver->turn_ns) / 1e6;
    before_cpu_ms = (double)atomic_load(&driver->turn_cpu_ns) / 1e6;
    atomic_store(&driver->refreshes, true);
    CHECK(pthread_create(&thread, NULL, refresh, driver) == 0);
    count = launch_singly(driver, least);
    pthread_join(thread, NULL);
    wait_for(driver, KUBE_NODE_CLAIM, "Launched");
    printf("{\"seconds\":%.2f,\"launches\":%u,\"turn_ms\":%.2f,\"turn_cpu_ms\":%.2f,\"before_ms\":%.2f,"
           "\"before_cpu_ms\":%.2f}\n",
           driver->refresh_s, count, (double)atomic_load(&driver->turn_ns) / 1e6,
           (double)atomic_load(&driver->turn_cpu_ns) / 1e6, before_ms, before_cpu_ms);
    fflush(stdout);
}

int main(int argc, char **argv) {
    Driver driver = {.lock = PTHREAD_MUTEX_INITIALIZER};
    Arena arena = {0};
    char line[32];

    CHECK(argc == 3, "usage: aws_engine_driver CLUSTER WRITE_US");
    driver.write_us = (useconds_t)strtoul(argv[2], NULL, 10);
    open_server(&driver);
    furnish(&driver, argv[1]);
    start(&driver, &arena, argv[1]);
    wait_for(&driver, KUBE_EC2_NODE_CLASS, "Ready");
    wait_for(&driver, KUBE_NODE_POOL, "Ready");
    puts("{\"ready\":true}");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "refresh ", 8) == 0)
            measure_refresh(&driver, (uint32_t)strtoul(line + 8, NULL, 10));
        else
            launch(&driver, (uint32_t)strtoul(line, NULL, 10));
    }
    stop(&driver);
    arena_free(&arena);
    return 0;
}
