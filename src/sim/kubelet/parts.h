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

// --- shared

int64_t kubelets_now(const SimKubelets *kubelets);
Slice kubelets_text(const SimKubelets *kubelets, Symbol symbol);
// A draw; `least`, `most` where the config says nothing.
int64_t kubelets_draw(Random *random, SimSpan span, int64_t least_ms, int64_t most_ms);
// Sets *alarm anew.
void kubelets_alarm(SimKubelets *kubelets, Alarm *alarm, int64_t at_ns, void (*ring)(void *context), void *context);
void kubelets_cancel(SimKubelets *kubelets, Alarm *alarm);
KubeRef kubelet_pod_ref(const SimKubelets *kubelets, const Pod *pod);
// A strategic merge patch; failures other than not-found and conflict are bugs.
ErrCode kubelets_patch(SimKubelets *kubelets, Slice manager, KubeRef ref, KubePart part, const Value *patch);

KubeletPod *kubelet_pod_record(SimKubelets *kubelets, Handle pod);
KubeletNode *kubelet_node_note(SimKubelets *kubelets, Handle node);
void kubelet_pod_due(SimKubelets *kubelets, Handle pod);
void kubelet_node_due(SimKubelets *kubelets, Handle node);
void kubelet_node_pods_due(SimKubelets *kubelets, Handle node);

// --- machines.c, node_object.c

KubeletMachine *kubelet_machine_of_node(SimKubelets *kubelets, const Node *node); // NULL: none behind it
bool kubelet_machine_is_alive(const KubeletMachine *machine);
// Whether a kubelet works on that Node.
bool kubelet_node_is_served(SimKubelets *kubelets, const Node *node);
void kubelet_machine_observe_node(SimKubelets *kubelets, const StateChange *change);
void kubelet_machine_free(KubeletMachine *machine);

Value kubelet_node_object(const KubeletMachine *machine, Arena *arena);
Value kubelet_csi_node_object(const KubeletMachine *machine, Arena *arena, const Node *node);
Value kubelet_node_ready_patch(const KubeletMachine *machine, Arena *arena, int64_t now_ns, bool ready);
Value kubelet_node_devices_patch(const KubeletMachine *machine, Arena *arena);
bool kubelet_machine_has_devices(const KubeletMachine *machine);

// --- node_life.c, taint_eviction.c, pod_collector.c

typedef enum { NODE_READY, NODE_NOT_READY, NODE_UNKNOWN } NodeReadiness;
NodeReadiness kubelet_node_readiness(const SimKubelets *kubelets, const Node *node);
// Taints that follow from conditions and cordons.
void kubelet_node_tend(SimKubelets *kubelets, Handle node);
// Its kubelet has said nothing for too long.
void kubelet_node_mark_unknown(SimKubelets *kubelets, Handle node);

// Evicts the pod from a node whose taints it does not bear, now or later.
void kubelet_eviction_tend(SimKubelets *kubelets, KubeletPod *record, const Pod *pod, const Node *node);
void kubelet_eviction_cancel(KubeletPod *record);

// Pods are bound to a name that no Node has: they go after a while.
void kubelet_ghost_tend(SimKubelets *kubelets, Symbol node_name);
void kubelet_ghost_free(Ghost *ghost);

// --- pod_life.c, pod_status.c

void kubelet_pod_tend(SimKubelets *kubelets, Handle handle);
// The pod is gone, or another one has its slot.
void kubelet_pod_forget(KubeletPod *record);

void kubelet_pod_write_creating(SimKubelets *kubelets, const KubeletPod *record, const Pod *pod);
void kubelet_pod_write_running(SimKubelets *kubelets, const KubeletPod *record, const Pod *pod);
void kubelet_pod_write_ready(SimKubelets *kubelets, const Pod *pod, bool ready);
void kubelet_pod_write_over(SimKubelets *kubelets, const KubeletPod *record, const Pod *pod, bool succeeded);
void kubelet_pod_write_crashed(SimKubelets *kubelets, const KubeletPod *record, const Pod *pod);
// Failed, with the condition DisruptionTarget.
void kubelet_pod_write_collected(SimKubelets *kubelets, const Pod *pod);
void kubelet_pod_write_target(SimKubelets *kubelets, const Pod *pod, const char *reason, const char *message);
// Deletes the object for good.
void kubelet_pod_remove(SimKubelets *kubelets, const Pod *pod);

// --- attach.c

// VOLUMES_BLOCKED: one is not bound yet, or hangs on another node. VOLUMES_ATTACHING: the node's pods are looked at
// again when it is done.
typedef enum { VOLUMES_ATTACHED, VOLUMES_ATTACHING, VOLUMES_BLOCKED } VolumesState;
// Has the volumes of a bound pod attached.
VolumesState kubelet_volumes_attach(SimKubelets *kubelets, KubeletPod *record, const Pod *pod);
void kubelet_volumes_release(KubeletPod *record);
// Pods whose volumes are blocked are looked at again.
void kubelet_volumes_changed(SimKubelets *kubelets);
void kubelet_attachment_free(Attachment *attachment);
