// Pod and PodSpec: the members that scheduling needs, compactly.
//
// A PodSpec is shared by all pods of one template and, after decoding, by all pods with equal specs of one owner;
// nothing in it is specific to a pod. Requests are the effective ones (scheduling.md 3.1), computed while decoding.
#pragma once

#include "model/labels.h"
#include "model/resources.h"

// A term of pod affinity or anti-affinity. matchLabelKeys and mismatchLabelKeys are merged into the selector when a pod
// is created, as the API server does.
typedef struct {
    Symbol topology_key;
    const LabelSelector *selector;           // NULL: matches nothing
    SymbolVec namespaces;                    // listed namespaces
    const LabelSelector *namespace_selector; // NULL: none. Without both, the pod's own namespace
    SymbolVec match_label_keys, mismatch_label_keys;
    int32_t weight; // of a preferred term
} PodAffinityTerm;
typedef Vec(PodAffinityTerm) PodAffinityTermVec;

typedef struct {
    PodAffinityTermVec required, preferred;
} PodAffinity;

typedef struct {
    Symbol topology_key;
    int32_t max_skew;
    int32_t min_domains; // 0: not set
    bool schedule_anyway;
    bool ignore_node_affinity;     // nodeAffinityPolicy: Ignore (default Honor)
    bool honor_node_taints;        // nodeTaintsPolicy: Honor (default Ignore)
    const LabelSelector *selector; // NULL: matches nothing
    SymbolVec match_label_keys;
} TopologySpread;
typedef Vec(TopologySpread) TopologySpreadVec;

typedef struct {
    ExpressionVec expressions;
    bool has_match_fields; // matchFields: tenon, like Karpenter, cannot plan for these
    int32_t weight;        // of a preferred term
} NodeTerm;
typedef Vec(NodeTerm) NodeTermVec;

typedef enum { PROTOCOL_TCP, PROTOCOL_UDP, PROTOCOL_SCTP } Protocol;

typedef struct {
    Symbol ip; // "0.0.0.0" when not given
    uint16_t port;
    Protocol protocol;
} HostPort;
typedef Vec(HostPort) HostPortVec;

// A volume that needs a PersistentVolumeClaim. Ephemeral volumes have the claim "<pod>-<volume>".
typedef struct {
    Symbol claim_name; // claim of a persistentVolumeClaim volume; of an ephemeral one the volume's name
    bool ephemeral;
    bool has_storage_class; // ephemeral: the template names a class (NAME_EMPTY: no class); otherwise the default class
    Symbol storage_class;
} PodVolume;
typedef Vec(PodVolume) PodVolumeVec;

typedef struct {
    Resources requests; // effective, with `pods`: 1
    Labels node_selector;
    bool has_required_node_terms;
    NodeTermVec required_node_terms;  // OR-ed
    NodeTermVec preferred_node_terms; // each with a weight
    PodAffinity affinity, anti_affinity;
    TopologySpreadVec spreads;
    TolerationVec tolerations;
    HostPortVec host_ports;
    PodVolumeVec volumes;
    uint32_t dropped_preferences; // over the bounds of one pod (pod_bounds.h): they are not in the lists above
    Symbol runtime_class, priority_class;
    Symbol scheduler;  // schedulerName; NAME_EMPTY: the default one
    bool has_overhead; // spec.overhead was given or came from the RuntimeClass; part of `requests`
    bool host_network;
    bool has_resource_claims; // dynamic resource allocation
    bool has_scheduling_gates;
} PodSpec;

typedef struct {
    Symbol api_version, kind, name, uid;
    bool controller;
} OwnerReference;
typedef Vec(OwnerReference) OwnerReferenceVec;

typedef enum { POD_PENDING, POD_RUNNING, POD_SUCCEEDED, POD_FAILED, POD_UNKNOWN } PodPhase;

// Members are ordered to leave no gaps, since there are a hundred thousand pods: two cache lines and a bit.
typedef struct {
    Symbol ns, name, uid;
    Symbol node_name, nominated_node_name; // NAME_EMPTY: none
    int32_t priority;
    int64_t created_ns;
    Labels labels;
    Labels annotations; // only those that tenon reads
    OwnerReferenceVec owners;
    const PodSpec *spec;
    uint64_t revision;  // resourceVersion; 0: none
    int64_t deleted_ns; // deletionTimestamp (with the grace period); 0: not set
    int64_t started_ns; // status.startTime, 0: not set
    Symbol file;        // of the manifest that it was read from
    uint32_t line;
    int32_t grace_s; // spec.terminationGracePeriodSeconds
    PodPhase phase;
    bool deleting;
    bool ready;
    bool gated;         // condition PodScheduled, reason SchedulingGated, or scheduling gates in the spec
    bool unschedulable; // condition PodScheduled, reason Unschedulable
    bool unready;       // condition Ready is present and False
    bool of_daemon;     // the controlling owner is a DaemonSet; saves a search in `owners`
} Pod;
typedef Vec(Pod) PodVec;

// Whether the phase is Succeeded or Failed.
static inline bool pod_is_terminal(const Pod *pod) {
    return pod->phase == POD_SUCCEEDED || pod->phase == POD_FAILED;
}

bool pod_is_owned_by(const Pod *pod, Symbol api_version, Symbol kind);
// The controlling owner, or NULL.
const OwnerReference *pod_controller(const Pod *pod);
// "ns/name".
Slice pod_print_name(Arena *arena, const Symbols *symbols, const Pod *pod);
