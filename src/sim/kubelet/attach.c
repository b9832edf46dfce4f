// The attach-detach controller: CSI volumes of pods, on the node where they run.
//
// A volume is attached to one node at a time (as those of EBS): a pod on another node waits until it is detached. It is
// detached some seconds after the last pod that used it has ended; from a node whose kubelet is dead only after six
// minutes, because it cannot be known to be unmounted. Volumes of drivers that attach nothing (EFS, local ones) are
// ignored.
#include "sim/kubelet/attach.h"

#include "base/alloc.h"
#include "sim/kubelet/context.h"
#include "sim/kubelet/machines.h"
#include "sim/kubelet/records.h"

void kubelet_volumes_changed(SimKubelets *kubelets) {
    kubelets->volumes_changed = true;
}

static uint64_t pair_of(Symbol node, Symbol volume) {
    return (uint64_t)node << 32 | volume;
}

static KubeRef attachment_ref(const Attachment *attachment) {
    return (KubeRef){KUBE_VOLUME_ATTACHMENT, SLICE(""), kubelets_text(attachment->kubelets, attachment->name)};
}

// Name of the VolumeAttachment: a hash of driver, volume and node, as the real controller's.
static Symbol attachment_name(SimKubelets *kubelets, Symbol node, Symbol volume, Symbol driver) {
    uint64_t hash = slice_hash(kubelets_text(kubelets, volume));

    hash = hash_combine(hash, slice_hash(kubelets_text(kubelets, driver)));
    hash = hash_combine(hash, slice_hash(kubelets_text(kubelets, node)));
    return symbol_intern(kubelets->symbols, arena_printf(&kubelets->scratch, "csi-%016llx%016llx",
                                                         (unsigned long long)hash, (unsigned long long)hash_u64(hash)));
}

static uint32_t find_attachment(SimKubelets *kubelets, Symbol node, Symbol volume, Symbol driver) {
    uint32_t index = u64_map_get(&kubelets->attachment_index, pair_of(node, volume));
    Attachment *attachment;

    if (index != INDEX_NONE)
        return index;
    attachment = NEW(Attachment);
    *attachment = (Attachment){.kubelets = kubelets, .node = node, .volume = volume, .driver = driver};
    attachment->name = attachment_name(kubelets, node, volume, driver);
    index = kubelets->attachments.count;
    vec_push(&kubelets->arena, &kubelets->attachments, attachment);
    u64_map_put(&kubelets->arena, &kubelets->attachment_index, pair_of(node, volume), index);
    return index;
}

// Attaching.

static void ring_attached(void *context) {
    Attachment *attachment = context;
    SimKubelets *kubelets = attachment->kubelets;
    ArenaMark mark = arena_mark(&kubelets->scratch);
    Value patch = value_map();

    attachment->alarm = 0;
    put_bool(&kubelets->scratch, put_map(&kubelets->scratch, &patch, "status"), "attached", true);
    kubelets_patch(kubelets, SLICE("external-attacher"), attachment_ref(attachment), KUBE_STATUS, &patch);
    attachment->state = ATTACHMENT_ATTACHED;
    kubelets->counts.volumes_attached++;
    for (vec_each(const Handle, pod, state_pods_on_node(kubelets->state, attachment->node)))
        kubelet_pod_due(kubelets, *pod);
    arena_rewind(&kubelets->scratch, mark);
}

static void arm_attached(Attachment *attachment) {
    SimKubelets *kubelets = attachment->kubelets;
    int64_t wait_ns = kubelets_draw(&kubelets->volume_random, kubelets->config.attach, 2000, 6000);

    kubelets_alarm(kubelets, &attachment->alarm, kubelets_now(kubelets) + wait_ns, ring_attached, attachment);
}

static Value describe(const Attachment *attachment, Arena *arena) {
    const SimKubelets *kubelets = attachment->kubelets;
    Value object = value_map(), *spec;

    put_text(arena, put_map(arena, &object, "metadata"), "name", kubelets_text(kubelets, attachment->name));
    spec = put_map(arena, &object, "spec");
    put_text(arena, spec, "attacher", kubelets_text(kubelets, attachment->driver));
    put_text(arena, spec, "nodeName", kubelets_text(kubelets, attachment->node));
    put_text(arena, put_map(arena, spec, "source"), "persistentVolumeName",
             kubelets_text(kubelets, attachment->volume));
    return object;
}

// Whether the volume is attached to another node.
static bool is_held_elsewhere(SimKubelets *kubelets, uint32_t index) {
    uint32_t holder = u64_map_get(&kubelets->volume_index, kubelets->attachments.items[index]->volume);

    return holder != INDEX_NONE && holder != index && kubelets->attachments.items[holder]->state != ATTACHMENT_NONE;
}

static void attach(SimKubelets *kubelets, uint32_t index) {
    Attachment *attachment = kubelets->attachments.items[index];
    Value object = describe(attachment, &kubelets->scratch);

    if (attachment->state != ATTACHMENT_NONE || is_held_elsewhere(kubelets, index))
        return;
    if (kube_create(kubelets->kube, NULL, CONTROLLER_MANAGER, KUBE_VOLUME_ATTACHMENT, &object, NULL, NULL) != OK)
        return;
    attachment->state = ATTACHMENT_ATTACHING;
    u64_map_put(&kubelets->arena, &kubelets->volume_index, attachment->volume, index);
    arm_attached(attachment);
}

// Detaching.

static void ring_detached(void *context) {
    Attachment *attachment = context;
    SimKubelets *kubelets = attachment->kubelets;

    attachment->alarm = 0;
    if (attachment->users)
        return;
    kube_remove(kubelets->kube, attachment_ref(attachment), &(KubeDeletion){0}, NULL);
    attachment->state = ATTACHMENT_NONE;
    kubelets->counts.volumes_detached++;
    kubelet_volumes_changed(kubelets);
}

static bool can_unmount(const Attachment *attachment) {
    SimKubelets *kubelets = attachment->kubelets;
    const Node *node =
        state_node(kubelets->state, state_find(kubelets->state, KUBE_NODE, NAME_EMPTY, attachment->node));

    return node && kubelet_node_is_served(kubelets, node);
}

static void let_go(Attachment *attachment) {
    SimKubelets *kubelets = attachment->kubelets;
    int64_t wait_ns = FORCE_DETACH_S * NS_PER_S;

    CHECK(attachment->users, "a volume is let go more often than it was taken");
    if (--attachment->users || attachment->state == ATTACHMENT_NONE)
        return;
    if (can_unmount(attachment))
        wait_ns = kubelets_draw(&kubelets->volume_random, kubelets->config.detach, 2000, 6000);
    kubelets_alarm(kubelets, &attachment->alarm, kubelets_now(kubelets) + wait_ns, ring_detached, attachment);
}

void kubelet_volumes_release(KubeletPod *record) {
    for (uint32_t i = 0; i < record->attachment_count; i++)
        let_go(record->kubelets->attachments.items[record->attachments[i]]);
    free(record->attachments);
    record->attachments = NULL;
    record->attachment_count = 0;
}

// The volumes of a pod.

static Slice claim_of(SimKubelets *kubelets, const Pod *pod, const PodVolume *volume) {
    Slice name = kubelets_text(kubelets, volume->claim_name);

    if (!volume->ephemeral)
        return name;
    return arena_printf(&kubelets->scratch, "%.*s-%.*s", SLICE_ARG(kubelets_text(kubelets, pod->name)),
                        SLICE_ARG(name));
}

static bool attaches(const SimKubelets *kubelets, const PersistentVolume *volume) {
    return volume->csi_driver && !slice_eq_text(kubelets_text(kubelets, volume->csi_driver), "efs.csi.aws.com");
}

// The volume that a claim is bound to; NULL: not bound.
static const PersistentVolume *find_volume(SimKubelets *kubelets, const Pod *pod, const PodVolume *volume) {
    const State *state = kubelets->state;
    Symbol name = symbol_find(kubelets->symbols, claim_of(kubelets, pod, volume));
    const PersistentVolumeClaim *claim;

    if (name == INDEX_NONE)
        return NULL;
    claim = state_persistent_volume_claim(state, state_find(state, KUBE_PERSISTENT_VOLUME_CLAIM, pod->ns, name));
    if (!claim || !claim->volume_name)
        return NULL;
    return state_persistent_volume(state, state_find(state, KUBE_PERSISTENT_VOLUME, NAME_EMPTY, claim->volume_name));
}

static bool uses(const KubeletPod *record, uint32_t index) {
    for (uint32_t i = 0; i < record->attachment_count; i++) {
        if (record->attachments[i] == index)
            return true;
    }
    return false;
}

static void use(KubeletPod *record, uint32_t index) {
    Attachment *attachment = record->kubelets->attachments.items[index];

    if (uses(record, index))
        return;
    RESIZE(record->attachments, record->attachment_count + 1u);
    record->attachments[record->attachment_count++] = index;
    if (attachment->users++)
        return;
    kubelets_cancel(record->kubelets, &attachment->alarm); // it was about to be detached
    if (attachment->state == ATTACHMENT_ATTACHING)
        arm_attached(attachment);
}

static VolumesState worse(VolumesState a, VolumesState b) {
    return a > b ? a : b;
}

VolumesState kubelet_volumes_attach(SimKubelets *kubelets, KubeletPod *record, const Pod *pod) {
    static const VolumesState states[] = {VOLUMES_BLOCKED, VOLUMES_ATTACHING, VOLUMES_ATTACHED}; // by AttachmentState
    VolumesState all = VOLUMES_ATTACHED;

    for (vec_each(const PodVolume, claimed, &pod->spec->volumes)) {
        const PersistentVolume *volume = find_volume(kubelets, pod, claimed);
        uint32_t index;

        if (!volume) {
            all = VOLUMES_BLOCKED;
            continue;
        }
        if (!attaches(kubelets, volume))
            continue;
        index = find_attachment(kubelets, pod->node_name, volume->meta.name, volume->csi_driver);
        use(record, index);
        attach(kubelets, index);
        all = worse(all, states[kubelets->attachments.items[index]->state]);
    }
    return all;
}

void kubelet_attachment_free(Attachment *attachment) {
    kubelets_cancel(attachment->kubelets, &attachment->alarm);
    free(attachment);
}
