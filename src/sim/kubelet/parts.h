// What the files of this room share: machines, what is remembered of nodes and pods, attachments, and who does what.
//
// Observers only note what is to be looked at; writing happens in reactions and alarms. Records of pods have stable
// addresses (chunks), so that alarms can carry them.
#pragma once

#include "sim/kubelet/kubelet.h"
#include "sim/workloads/build.h"

#define KUBELET SLICE("kubelet")

enum { POD_CHUNK = 1024, NODE_GONE_QUARANTINE_S = 40, FORCE_DETACH_S = 360, CLOUD_CHECK_S = 5 };

// One instance and its kubelet.
typedef struct {
    SimKubelets *kubelets;
    uint32_t index;
    Arena arena; // of the next three
    SimInstance instance;
    Labels claim_labels; // what its kubelet was told to register with, as the NodeClaim said at launch
    TaintVec taints;
    bool stopped;        // its kubelet was stopped
    bool never_ready;    // its network never comes up
    bool joined;         // its kubelet has made the Node
    bool ready, plugged; // stages of its boot
    bool has_driver;     // the CSI driver has registered
    int64_t silent_ns;   // since when it says nothing; 0: it does
    Alarm alarm, csi, devices, init, silence, removal;
} KubeletMachine;

// What is remembered of a Node, by its slot.
typedef struct {
    uint32_t generation;
    bool due;
    bool pods_due; // all of its pods are to be looked at
    bool lost;     // was ready and is not: its pods are not ready either
} KubeletNode;

typedef enum {
    POD_STAGE_NONE,
    POD_STAGE_WAITING, // for volumes
    POD_STAGE_STARTING,
    POD_STAGE_RUNNING,
    POD_STAGE_RESTARTING,
    POD_STAGE_STOPPING,
    POD_STAGE_OVER
} PodStage;

typedef struct {
    SimKubelets *kubelets;
    Handle handle;
    PodStage stage;
    bool due;
    bool ends;   // its containers end by themselves
    bool always; // restartPolicy Always
    bool on_failure;
    bool fails;
    uint32_t restarts;
    int64_t accepted_ns, start_ns, run_ns, stop_ns; // durations: −1: to be drawn
    int64_t stop_at_ns;
    Alarm alarm;
    Alarm eviction;
    int64_t tainted_ns;    // since when it bears a taint for some time only
    uint32_t *attachments; // in use by it; malloc
    uint32_t attachment_count;
} KubeletPod;

typedef enum { ATTACHMENT_NONE, ATTACHMENT_ATTACHING, ATTACHMENT_ATTACHED } AttachmentState;

// A volume on a node. Records stay, and are used again for the same pair.
typedef struct {
    SimKubelets *kubelets;
    Symbol node, volume, driver;
    AttachmentState state;
    uint32_t users;
    Alarm alarm;
    Symbol name; // of the VolumeAttachment
} Attachment;

// A node name that pods are bound to and no Node has.
typedef struct {
    SimKubelets *kubelets;
    Symbol name;
    Alarm alarm;
} Ghost;

struct SimKubelets {
    World *world;
    SimCloud *cloud;
    const State *state;
    Symbols *symbols;
    Kube kube;
    SimKubeletConfig config;
    Random node_random, pod_random, volume_random;
    Arena arena, scratch;
    IndexMap machines_by_provider;
    Vec(KubeletMachine *) machines;
    KubeletNode *nodes;
    uint32_t node_capacity;
    KubeletPod **pod_chunks;
    uint32_t chunk_count;
    HandleVec due_pods, working_pods, due_nodes, working_nodes;
    IndexMap attachment_index, volume_index; // by node and volume; the attachment that holds a volume
    Vec(Attachment *) attachments;
    uint32_t never_ready;   // Nodes still to join that stay NotReady; UINT32_MAX: all
    HandleVec waiting_pods; // for blocked volumes
    bool volumes_changed;
    IndexMap ghost_index; // by name
    Vec(Ghost *) ghosts;
    SimKubeletCounts counts;
};

// --- node_life.c, taint_eviction.c, pod_collector.c

typedef enum { NODE_READY, NODE_NOT_READY, NODE_UNKNOWN } NodeReadiness;

// --- attach.c

// VOLUMES_BLOCKED: one is not bound yet, or hangs on another node. VOLUMES_ATTACHING: the node's pods are looked at
// again when it is done.
typedef enum { VOLUMES_ATTACHED, VOLUMES_ATTACHING, VOLUMES_BLOCKED } VolumesState;
