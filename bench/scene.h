// What one case of the bench plans: a cluster made in memory, and the instance types that every NodePool may launch.
//
// Everything is left as the decoder of manifests leaves it (model/manifest/manifest.h): names interned, labels of each
// pod in memory of their own, equal specs of a workload as one PodSpec, requests with `pods`: 1. So the solve sees what
// it would see behind `tenon plan`, without the time and memory of reading a text. write_manifests.h writes a scene as
// the text that gives this scene when it is read.
#pragma once

#include "model/instance_type.h"
#include "model/objects.h"
#include "sched/plan.h"

typedef struct {
    Cluster cluster; // owns all memory of the scene
    InstanceTypeVec types;
    PreferencePolicy preferences;
    IndexMap spec_index; // of scene_shared_spec: key to index into `specs`
    Vec(PodSpec *) specs;
    uint32_t pod_number; // pods so far, for names and uids
} Scene;

void scene_init(Scene *scene);
void scene_free(Scene *scene);

static inline Arena *scene_arena(Scene *scene) {
    return &scene->cluster.arena;
}
static inline Symbols *scene_symbols(Scene *scene) {
    return &scene->cluster.symbols;
}

// The symbol of a printf'ed text of at most 255 bytes.
__attribute__((format(printf, 2, 3))) Symbol scene_symbol(Scene *scene, const char *format, ...);
void scene_label(Scene *scene, Labels *labels, const char *key, Symbol value);
// A selector on one label.
const LabelSelector *scene_selector(Scene *scene, const char *key, Symbol value);
// An expression; the values end with NULL.
Expression scene_expression(Scene *scene, const char *key, Operator op, const char *const *values);
#define VALUES(...) ((const char *const[]){__VA_ARGS__, NULL})
// A toleration of "key=value:NoSchedule".
Toleration scene_toleration(Scene *scene, const char *key, Symbol value);

// --- pods

enum { MIB = 1 << 20 };

// A spec with one container that asks for this, to be completed by the caller.
PodSpec *scene_spec(Scene *scene, int64_t cpu_milli, int64_t mem_bytes);
// The spec made under that key before, else a new one as scene_spec makes it; ret_new says which.
PodSpec *scene_shared_spec(Scene *scene, uint64_t key, int64_t cpu_milli, int64_t mem_bytes, bool *ret_new);
// A max-skew-1 constraint (DoNotSchedule), a required and a preferred affinity term.
void scene_spread(Scene *scene, PodSpec *spec, Symbol topology_key, const LabelSelector *selector);
void scene_affinity(Scene *scene, PodAffinityTermVec *terms, Symbol topology_key, const LabelSelector *selector,
                    int32_t weight);

// Room for so many more pods: pods stand in one block.
void scene_reserve_pods(Scene *scene, uint32_t count);
// A pending pod in the default namespace, without labels yet. Valid until the next call unless room was reserved.
Pod *scene_pod(Scene *scene, const PodSpec *spec);

// --- pools, nodes, daemons

// A NodePool without requirements, ready, of the KWOKNodeClass "default".
NodePool *scene_pool(Scene *scene, const char *name);
void scene_pool_require(Scene *scene, NodePool *pool, const char *key, Operator op, const char *const *values);
// A DaemonSet that asks for this on every node.
void scene_daemon_set(Scene *scene, const char *name, int64_t cpu_milli, int64_t mem_bytes);
// A node of that type, pool and zone, up and running, with its NodeClaim. Valid until the next call.
Node *scene_node(Scene *scene, Symbol name, const NodePool *pool, const InstanceType *type, const Offering *offering);
