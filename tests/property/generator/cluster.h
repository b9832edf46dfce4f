// The state of the generator (Making), shared by its parts.
#pragma once

#include "base/random.h"
#include "generator/generate.h"
#include "generator/writer.h"

enum {
    ZONES_MAX = 4,
    TYPES_MAX = 25,
    OFFERINGS_MAX = 9,
    POOLS_MAX = 4,
    WORKLOADS_MAX = 6,
    PODS_MAX = 40,
    PODS_MAX_HEAVY = 120,
    PODS_MAX_SMALL = 15,
    PODS_MAX_FLEET = 2
};

typedef struct {
    uint32_t zone;
    const char *capacity_type;
    double price;
    bool available;
    int32_t reservation; // number of the reservation, -1: none
    uint32_t reservation_capacity;
} MadeOffering;

typedef struct {
    char name[48];
    const char *family, *arch;
    uint32_t cpu, memory_gib, pods, gpus;
    bool also_windows;
    MadeOffering offerings[OFFERINGS_MAX];
    uint32_t offering_count;
} MadeType;

typedef struct {
    char name[16];
    uint32_t weight;
    bool is_static, not_ready;
    const char *label_team;                 // value of example.com/team or NULL
    const char *rack;                       // one value that the pool allows for example.com/rack, or NULL
    const char *taint_value, *taint_effect; // of key dedicated, NULL: none
    bool prefers_others;                    // taint example.com/spare:PreferNoSchedule
    bool has_startup_taint;
} MadePool;

typedef enum {
    VOLUME_NONE,
    VOLUME_FLEXIBLE,  // unbound, class without topologies
    VOLUME_ZONAL,     // unbound, class with allowed topologies
    VOLUME_BOUND,     // bound, in one zone
    VOLUME_TWO_TERMS, // bound, in one of two zones
    VOLUME_LOCAL,     // bound to a node that may not exist any more
    VOLUME_NFS,       // bound, no CSI driver, anywhere
    VOLUME_SHARED,    // one bound claim for all replicas
    VOLUME_MISSING,   // no such claim
    VOLUME_IMMEDIATE, // unbound, immediate binding
} VolumeKind;

// A template that pending and bound pods are made from.
typedef struct {
    char name[16];
    const char *ns;
    uint32_t replicas;
    bool has_versions, is_stateful;
    uint64_t seed; // of its spec: equal for all replicas
    uint32_t cpu_milli, memory_mib;
    uint32_t priority; // 0: none is written
    VolumeKind volume;
} MadeWorkload;

typedef struct {
    Random random;
    GenerateProfile profile;
    bool heavy;
    Writer manifests, catalog;
    uint32_t zone_count, type_count, pool_count, workload_count, daemon_count, node_count;
    bool has_reservations;
    MadeType types[TYPES_MAX];
    MadePool pools[POOLS_MAX];
    MadeWorkload workloads[WORKLOADS_MAX];
    uint32_t daemons[3]; // numbers that decide the spec of a DaemonSet, see write_daemon_spec
    uint32_t pod_number; // pods so far, for names and creation times
} Making;

// Picks one of several texts.
#define PICK(making, ...)                                                                                              \
    pick_text((making), (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
const char *pick_text(Making *making, const char *const *texts, size_t count);
static inline uint32_t below(Making *making, uint32_t bound) {
    return random_below(&making->random, bound);
}
static inline bool chance(Making *making, uint32_t percent) {
    return random_chance(&making->random, percent);
}
// True with the given chance, which is another one in heavy cases.
static inline bool chance_or(Making *making, uint32_t percent, uint32_t heavy_percent) {
    return chance(making, making->heavy ? heavy_percent : percent);
}
const char *zone_name(uint32_t zone);

// A requirement {key, operator, values…}; the values end with NULL.
void write_requirement(Writer *writer, const char *key, const char *op, const char *const *values);
// {apiVersion, kind, metadata: {name, namespace, uid, creationTimestamp — and stays open for more}.
void write_object(Writer *writer, const char *api_version, const char *kind, const char *ns, const char *name);

void make_catalog(Making *making);
void make_pools(Making *making);
void make_shared_objects(Making *making); // namespaces, classes, budgets
void make_workloads(Making *making);      // chooses templates
void make_nodes(Making *making);          // with bound pods
void make_pending_pods(Making *making);

// A pod of a workload. `node`: bound there; NULL: pending. The objects of its volumes are written first.
typedef struct {
    const char *node;
    bool terminal, terminating, protected; // protected: do-not-disrupt
} PodFate;
void make_pod(Making *making, const MadeWorkload *workload, const PodFate *fate);
// make_volumes.c: objects behind a pod's volumes, and the list of its spec. `is_bound`: the pod runs already.
void make_pod_volumes(Making *making, const MadeWorkload *workload, const char *pod, bool is_bound);
void make_shared_volume(Making *making, const MadeWorkload *workload); // VOLUME_SHARED: once for all replicas
void write_pod_volumes(Making *making, const MadeWorkload *workload, const char *pod);

// make_spec.c: the spec of a workload's pods, drawn from the workload's seed.
void write_pod_spec(Making *making, const MadeWorkload *workload, const char *pod, const char *node, bool is_gated);

// make_daemons.c
void make_daemon_sets(Making *making);
void make_daemon_pod(Making *making, uint32_t index, const char *node);
uint32_t daemon_cpu_milli(uint32_t decider);
