// Internals of the kubelet component, shared by its files: machines, records of Nodes and pods, attachments.
//
// Observers only mark what is due; reactions and alarms write. Records of pods have stable addresses (chunks), so that
// alarms can point to them.
#pragma once

#include "sim/kubelet/kubelet.h"
#include "sim/workloads/build.h"

#define KUBELET SLICE("kubelet")

enum { POD_CHUNK = 1024, NODE_GONE_QUARANTINE_S = 40, FORCE_DETACH_S = 360, CLOUD_CHECK_S = 5 };

// An instance and its kubelet.
typedef struct {
    SimKubelets *kubelets;
    uint32_t index;
    Arena arena; // of the next three
    SimInstance instance;
    Labels claim_labels; // labels from the NodeClaim at launch, which the kubelet registers with
    TaintVec taints;
    bool stopped;              // fault: the kubelet was stopped
    bool rebooting;            // the machine restarts
    bool never_ready;          // fault: its network never comes up
    bool joined;               // the kubelet has created the Node
    bool ready, plugged;       // phases of the boot
    bool has_driver;           // the CSI driver has registered
    int64_t silent_ns;         // since when the kubelet is silent; 0: it is not
    SimNodeCondition reported; // fault: a condition beside the usual ones
    int64_t reported_ns;       // since when
    Alarm alarm, csi, devices, init, silence, removal, boot;
} KubeletMachine;

// Record of a Node, by its slot.
typedef struct {
    uint32_t generation;
    bool due;
    bool pods_due; // all of its pods are due
    bool lost;     // it was ready and is not any more: its pods are not ready either
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
    int64_t accepted_ns, start_ns, run_ns, stop_ns; // durations: −1: not drawn yet
    int64_t stop_at_ns;
    Alarm alarm;
    Alarm eviction;
    int64_t tainted_ns;    // since when its node has a taint that it tolerates for some time only
    uint32_t *attachments; // that it uses; malloc'd
    uint32_t attachment_count;
} KubeletPod;

typedef enum { ATTACHMENT_NONE, ATTACHMENT_ATTACHING, ATTACHMENT_ATTACHED } AttachmentState;

// A volume on a node. Records are kept, and reused for the same pair.
typedef struct {
    SimKubelets *kubelets;
    Symbol node, volume, driver;
    AttachmentState state;
    uint32_t users;
    Alarm alarm;
    Symbol name; // of the VolumeAttachment
} Attachment;

// A node name that pods are bound to although no Node has it.
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
    uint32_t never_ready;   // number of future Nodes that stay NotReady; UINT32_MAX: all
    HandleVec waiting_pods; // because their volumes are blocked
    bool volumes_changed;
    IndexMap ghost_index; // by name
    Vec(Ghost *) ghosts;
    SimKubeletCounts counts;
};

// --- node_life.c, taint_eviction.c, pod_collector.c

typedef enum { NODE_READY, NODE_NOT_READY, NODE_UNKNOWN } NodeReadiness;

// --- attach.c

// VOLUMES_BLOCKED: a volume is not bound yet, or is attached to another node. VOLUMES_ATTACHING: the node's pods become
// due when it is attached.
typedef enum { VOLUMES_ATTACHED, VOLUMES_ATTACHING, VOLUMES_BLOCKED } VolumesState;
