// Bed: test bed of the KWOK provider: the embedded API server behind a table with faults, a virtual clock, a provider,
// and claims as an engine passes them. Each test program includes it once.
#pragma once

#include "base/buffer.h"
#include "base/random.h"
#include "cloud/kwok/provider/provider.h"
#include "durations.h"
#include "harness/test.h"
#include "model/manifest/object.h"
#include "sim/api/api.h"
#include "state/state.h"
#include "text/json.h"
#include "text/yaml.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum { BED_GET, BED_LIST, BED_CREATE, BED_REMOVE, BED_CALLS } BedCall;

// The next `times` calls on objects of `kind` fail; `after`: but take effect.
typedef struct {
    KubeKind kind;
    uint32_t times;
    KubeReason reason;
    bool after;
} BedFault;

typedef struct {
    ApiServer *server;
    Kube kube; // without faults
    Arena arena;
    int64_t now_ns;
    Random random;
    State *state; // of the process that lives
    KwokProvider *provider;
    Cloud cloud;
    BedFault faults[BED_CALLS];
    uint32_t calls[BED_CALLS]; // that came to the server
    Buffer log;
    void (*in_create)(void *bed); // called in the middle of a creation; NULL: none
} Bed;

// --- the table with faults

static inline bool bed_fails(Bed *bed, BedCall call, KubeKind kind, bool after, KubeError *error) {
    BedFault *fault = &bed->faults[call];

    if (!after)
        bed->calls[call]++;
    if (!fault->times || fault->kind != kind || fault->after != after)
        return false;
    fault->times--;
    kube_fail(error, fault->reason, "the bed said no");
    return true;
}

static inline ErrCode bed_get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    Bed *bed = self;

    if (bed_fails(bed, BED_GET, ref.kind, false, error))
        return error->err.code;
    return kube_get(bed->kube, arena, ref, ret_object, error);
}

static inline ErrCode bed_list(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list,
                               KubeError *error) {
    Bed *bed = self;

    if (bed_fails(bed, BED_LIST, request->kind, false, error))
        return error->err.code;
    return kube_list(bed->kube, arena, request, ret_list, error);
}

static inline ErrCode bed_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object,
                                 Value *ret_object, KubeError *error) {
    Bed *bed = self;
    ErrCode code;

    if (bed_fails(bed, BED_CREATE, kind, false, error))
        return error->err.code;
    if (bed->in_create)
        bed->in_create(bed);
    code = kube_create(bed->kube, arena, manager, kind, object, ret_object, error);
    return code == OK && bed_fails(bed, BED_CREATE, kind, true, error) ? error->err.code : code;
}

static inline ErrCode bed_remove(void *self, KubeRef ref, const KubeDeletion *deletion, KubeError *error) {
    Bed *bed = self;

    if (bed_fails(bed, BED_REMOVE, ref.kind, false, error))
        return error->err.code;
    return kube_remove(bed->kube, ref, deletion, error);
}

// The calls that the provider may make.
static const KubeTable bed_table = {.get = bed_get, .list = bed_list, .create = bed_create, .remove = bed_remove};

static inline int64_t bed_now(void *context) {
    return ((Bed *)context)->now_ns;
}

static inline uint64_t bed_random(void *context) {
    return random_u64(&((Bed *)context)->random);
}

static inline void bed_log(void *context, Slice message, Slice subject, const Err *err) {
    buffer_printf(&((Bed *)context)->log, "%.*s: %.*s: %s\n", SLICE_ARG(subject), SLICE_ARG(message), err->text);
}

// --- processes

// Starts a process, with symbols of its own. `types`: JSON, or NULL for Karpenter's.
static inline void bed_start(Bed *bed, const char *types) {
    KwokConfig config = {.kube = {&bed_table, bed},
                         .types_text = slice_of(types),
                         .now_ns = bed_now,
                         .now_context = bed,
                         .log = bed_log,
                         .log_context = bed};
    Err err = {0};

    if (types)
        config.types_file = SLICE("types.json");
    bed->state = state_new();
    config.symbols = state_symbols(bed->state);
    if (kwok_provider_new(&config, &bed->provider, &err) != OK)
        fail_msg("%s", err.text);
    bed->cloud = kwok_provider_cloud(bed->provider);
}

// Ends the process: frees the symbols first, as an engine does.
static inline void bed_crash(Bed *bed) {
    state_free(bed->state);
    kwok_provider_free(bed->provider);
    bed->provider = NULL;
}

static inline Value bed_parse(Bed *bed, const char *yaml) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};

    if (yaml_parse(&bed->arena, SLICE("test"), arena_slice(&bed->arena, slice_of(yaml)), NULL, &documents, &warnings,
                   &err) != OK)
        fail_msg("%s: %s", err.text, yaml);
    return documents.items[0].root;
}

// Creates an object of the kind in its text (printf); it must succeed.
__attribute__((format(printf, 2, 3))) static inline Value bed_create_object(Bed *bed, const char *format, ...) {
    char yaml[4096];
    KubeError error = {0};
    KubeKind kind;
    va_list args;
    Value object;

    va_start(args, format);
    vsnprintf(yaml, sizeof yaml, format, args);
    va_end(args);
    object = bed_parse(bed, yaml);
    kind = kube_kind_find(kube_text(&object, "apiVersion", NULL), kube_text(&object, "kind", NULL));
    if (kube_create(bed->kube, &bed->arena, SLICE("test"), kind, &object, &object, &error) != OK)
        fail_msg("%s: %s", error.err.text, yaml);
    return object;
}

static inline void bed_patch(Bed *bed, KubeKind kind, const char *name, KubePart part, const char *yaml) {
    Value body = bed_parse(bed, yaml);
    KubeError error = {0};

    if (kube_patch(bed->kube, NULL, SLICE("test"), (KubeRef){kind, {0}, slice_of(name)}, part,
                   &(KubePatch){.body = &body}, NULL, &error) != OK)
        fail_msg("%s: %s", error.err.text, yaml);
}

static inline void bed_delete(Bed *bed, KubeKind kind, const char *name) {
    assert_int_equal(kube_remove(bed->kube, (KubeRef){kind, {0}, slice_of(name)}, NULL, NULL), OK);
}

// With a KWOKNodeClass "default" whose Nodes join at once, and a process.
static inline Bed *bed_new(const char *types) {
    Bed *bed = calloc(1, sizeof *bed);

    assert_non_null(bed);
    bed->now_ns = 1767571200 * NS_PER_S;
    random_seed(&bed->random, 3);
    bed->server = api_new(&(ApiConfig){.sources = {bed_now, bed_random, bed}});
    bed->kube = api_kube(bed->server);
    bed_create_object(bed, "{apiVersion: karpenter.kwok.sh/v1alpha1, kind: KWOKNodeClass, metadata: {name: default}}");
    bed_start(bed, types);
    return bed;
}

static inline void bed_free(Bed *bed) {
    if (bed->provider)
        bed_crash(bed);
    api_free(bed->server);
    arena_free(&bed->arena);
    buffer_free(&bed->log);
    free(bed);
}

static inline void bed_delay(Bed *bed, const char *delay) {
    char patch[128];

    snprintf(patch, sizeof patch, "{spec: {nodeRegistrationDelay: %s}}", delay);
    bed_patch(bed, KUBE_KWOK_NODE_CLASS, "default", KUBE_OBJECT, patch);
}

// Advances the time, stepping the provider whenever it is due.
static inline void bed_run(Bed *bed, int64_t for_ns) {
    int64_t until_ns = bed->now_ns + for_ns, next_ns;

    while ((next_ns = kwok_provider_step(bed->provider)) <= until_ns) {
        assert_true(next_ns > bed->now_ns);
        bed->now_ns = next_ns;
    }
    bed->now_ns = until_ns;
}

// --- claims

static inline Symbols *bed_symbols(const Bed *bed) {
    return state_symbols(bed->state);
}

// A claim of the API server as a process has it.
static inline const NodeClaim *bed_claim(Bed *bed, const char *name) {
    const KubeKindInfo *kind = kube_kind(KUBE_NODE_CLAIM);
    NodeClaim *claim = arena_alloc(&bed->arena, object_decoded_size(kind->group, kind->kind));
    Value object;
    Err err;

    assert_int_equal(kube_get(bed->kube, &bed->arena, (KubeRef){KUBE_NODE_CLAIM, {0}, slice_of(name)}, &object, NULL),
                     OK);
    if (object_decode(&bed->arena, bed_symbols(bed), kind->group, kind->kind, &object, claim, &err) != OK)
        fail_msg("%s", err.text);
    return claim;
}

// Makes a claim of the pool "general". `requirements`: a YAML list; `requests`: a YAML map.
static inline const NodeClaim *bed_make_claim(Bed *bed, const char *name, const char *requirements,
                                              const char *requests) {
    bed_create_object(bed,
                      "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: %s, labels: "
                      "{karpenter.sh/nodepool: general, team: blue}, annotations: {who: me}}, spec: {nodeClassRef: "
                      "{group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, requirements: %s, resources: "
                      "{requests: %s}}}",
                      name, requirements, requests);
    return bed_claim(bed, name);
}

#define TYPES(list)    "{key: node.kubernetes.io/instance-type, operator: In, values: [" list "]}"
#define CAPACITY(list) "{key: karpenter.sh/capacity-type, operator: In, values: [" list "]}"
#define ZONES(list)    "{key: topology.kubernetes.io/zone, operator: In, values: [" list "]}"

static inline ErrCode bed_try(Bed *bed, const NodeClaim *claim, CloudInstance *ret_instance, CloudError *error) {
    CloudLaunch launch = {.claim = claim};

    for (vec_each(const Expression, expression, &claim->spec.requirements)) {
        Requirement requirement = requirement_make(&bed->arena, bed_symbols(bed), expression);

        requirements_add(&bed->arena, bed_symbols(bed), &launch.requirements, &requirement);
    }
    *error = (CloudError){0};
    return cloud_launch(bed->cloud, &bed->arena, &launch, ret_instance, error);
}

static inline CloudInstance bed_launch(Bed *bed, const NodeClaim *claim) {
    CloudInstance instance;
    CloudError error;

    if (bed_try(bed, claim, &instance, &error) != OK)
        fail_msg("%s", error.err.text);
    return instance;
}

static inline const char *bed_text(const Bed *bed, Symbol symbol) {
    return symbol_text(bed_symbols(bed), symbol).ptr;
}

static inline const char *bed_node_name(const Bed *bed, const CloudInstance *instance) {
    return bed_text(bed, instance->provider_id) + strlen("kwok://");
}

// How many objects of a kind there are.
static inline uint32_t bed_count(Bed *bed, KubeKind kind) {
    KubeList list;

    assert_int_equal(kube_list(bed->kube, &bed->arena, &(KubeListRequest){.kind = kind}, &list, NULL), OK);
    return list.items.count;
}
