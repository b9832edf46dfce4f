// Every call of AWS and of the API server that the provider makes takes its time on a strand, and may be the moment at
// which the process dies.
#include "sim/controller/process_wire.h"

#include "base/alloc.h"
#include "sim/controller/process_kube.h"

enum { DOOM_CALLS = 8, PROBE_AGAIN_S = 10 };

// --- time

static void die_now(void *context) {
    process_die(context);
}

// Whether this is the moment. The strand waits for its end then.
static bool dies(SimProcess *process) {
    WireLife *wire = process->life.wire;

    if (!wire->dies_in || --wire->dies_in)
        return false;
    world_alarm(process->world, world_now_ns(process->world), die_now, process);
    strands_rest_forever(process->strands);
    return true;
}

static bool rest_for(void *self, int64_t ns) {
    SimProcess *process = self;

    return strands_rest(process->strands, ns) && !dies(process);
}

static Moment moment_of(void *self) {
    const SimProcess *process = self;
    int64_t now_ns = world_now_ns(process->world);

    return (Moment){.now = {now_ns}, .wall_ns = now_ns + process->skew_ns};
}

static bool is_cut_off(void *self) {
    return ((const SimProcess *)self)->partitioned;
}

// --- the API server

// A call takes its time on both ways; one that times out, longer. A process that died does nothing.
#define PATIENT(process, error, call)                                                                                  \
    ({                                                                                                                 \
        ErrCode code_ = go(process, error);                                                                            \
        if (code_ == OK) {                                                                                             \
            (process)->late_ns = 0;                                                                                    \
            code_ = (call);                                                                                            \
            code_ = come_back(process, code_, error);                                                                  \
        }                                                                                                              \
        code_;                                                                                                         \
    })

static ErrCode stopped(KubeError *error) {
    if (error)
        *error = (KubeError){.reason = KUBE_REASON_NONE};
    return err_set(error ? &error->err : NULL, ERR_IO, "stopped");
}

static ErrCode go(SimProcess *process, KubeError *error) {
    return rest_for(process, NS_PER_MS + random_below(&process->latency, 9 * NS_PER_MS)) ? OK : stopped(error);
}

static ErrCode come_back(SimProcess *process, ErrCode code, KubeError *error) {
    int64_t late_ns = process->late_ns;

    process->late_ns = 0;
    return rest_for(process, NS_PER_MS + late_ns) ? code : stopped(error);
}

static ErrCode call_get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    SimProcess *process = self;

    return PATIENT(process, error, kube_get(process_kube(process), arena, ref, ret_object, error));
}

static ErrCode call_list(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list,
                         KubeError *error) {
    SimProcess *process = self;

    return PATIENT(process, error, kube_list(process_kube(process), arena, request, ret_list, error));
}

static ErrCode call_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object,
                           Value *ret_object, KubeError *error) {
    SimProcess *process = self;

    return PATIENT(process, error, kube_create(process_kube(process), arena, manager, kind, object, ret_object, error));
}

static ErrCode call_update(void *self, Arena *arena, Slice manager, KubeKind kind, KubePart part, const Value *object,
                           Value *ret_object, KubeError *error) {
    SimProcess *process = self;

    return PATIENT(process, error,
                   kube_update(process_kube(process), arena, manager, kind, part, object, ret_object, error));
}

static ErrCode call_patch(void *self, Arena *arena, Slice manager, KubeRef ref, KubePart part, const KubePatch *patch,
                          Value *ret_object, KubeError *error) {
    SimProcess *process = self;

    return PATIENT(process, error,
                   kube_patch(process_kube(process), arena, manager, ref, part, patch, ret_object, error));
}

// What the provider asks of Kubernetes; it neither watches nor evicts.
static Kube patient_kube(SimProcess *process) {
    static const KubeTable table = {
        .get = call_get, .list = call_list, .create = call_create, .update = call_update, .patch = call_patch};

    return (Kube){&table, process};
}

// --- the session

static const char *variable(void *context, const char *name) {
    static const char *const rows[][2] = {
        {"AWS_ACCESS_KEY_ID", "AKIASIMULATION"}, {"AWS_SECRET_ACCESS_KEY", "of-nobody"}, {"AWS_REGION", "us-east-1"}};

    (void)context;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!strcmp(name, rows[i][0]))
            return rows[i][1];
    }
    return NULL;
}

static ErrCode read_file(void *context, Arena *arena, Slice path, Slice *ret_text, Err *err) {
    (void)context, (void)arena, (void)ret_text;
    return err_set(err, ERR_NOT_FOUND, "%.*s: there are no files", SLICE_ARG(path));
}

static AwsSession *open_session(SimProcess *process, WireLife *wire) {
    static const AwsEnvironment environment = {variable, read_file, NULL};
    AwsSessionOptions options = {.environment = &environment,
                                 .user_agent = SLICE("tenon"),
                                 .seed = hash_combine(process->seed, process->counts.lives)};
    AwsSession *session;
    Err err = {0};

    wire->line = (SimAwsLine){process->config.aws, {rest_for, moment_of, is_cut_off, process}};
    options.transport = sim_aws_transport(&wire->line);
    CHECK(aws_session_open(&options, &session, &err) == OK, "no session: %s", err.text);
    return session;
}

static void log_line(void *context, AwsLogLevel level, const char *message, Slice subject, const Err *err) {
    (void)context, (void)level, (void)message, (void)subject, (void)err;
}

Cloud process_wire_begin(SimProcess *process) {
    WireLife *wire = process->life.wire = NEW(WireLife);
    AwsProviderSettings settings = AWS_PROVIDER_SETTINGS;

    settings.cluster_name = SLICE("simulation");
    settings.interruption_queue = process->settings.has_interruption_queue ? SLICE("simulation") : SLICE("");
    settings.eks_control_plane = true; // EKS says which version it is
    settings.min_values_strict = process->settings.min_values == MIN_VALUES_STRICT;
    settings.reserved_capacity = process->settings.gate_reserved_capacity;
    wire->session = open_session(process, wire);
    wire->provider = aws_provider_new(&(AwsConfig){.settings = settings,
                                                   .session = wire->session,
                                                   .kube = patient_kube(process),
                                                   .symbols = process->symbols,
                                                   .log = {log_line, process}});
    return aws_provider_cloud(wire->provider);
}

void process_wire_end(SimProcess *process) {
    WireLife *wire = process->life.wire;

    aws_provider_free(wire->provider);
    aws_session_close(wire->session);
    free(wire);
    process->life.wire = NULL;
}

void process_wire_doom(SimProcess *process) {
    process->life.wire->dies_in = 1 + random_below(&process->moments, DOOM_CALLS);
}

// --- the start

static void probe(void *context) {
    SimProcess *process = context;
    Err err = {0};

    process->life.wire->can_start = aws_provider_probe(process->life.wire->provider, &err) == OK;
}

static void probed(void *context) {
    SimProcess *process = context;

    if (process->life.wire->can_start)
        process->life.wire->started(process);
    else
        sim_process_kill(process, PROBE_AGAIN_S * NS_PER_S);
}

void process_wire_probe(SimProcess *process, void (*started)(SimProcess *process)) {
    process->life.wire->started = started;
    strands_begin(process->strands, probe, probed, process);
}
