// PersistentVolumes and claims as written by CSI provisioner, volume binder and ephemeral volume controller.
#include "sim/scheduler/volumes/volumes.h"

#include "text/quantity.h"

#include <inttypes.h>

static const Slice PROVISIONER = SLICE_INIT("csi-provisioner");
static const char EFS[] = "efs.csi.aws.com"; // in every zone

static Slice volume_name(Arena *arena, const Value *claim) {
    return arena_printf(arena, "pvc-%.*s", SLICE_ARG(kube_uid(claim)));
}

static Slice requested_size(const Value *claim) {
    return kube_text(claim, "spec", "resources", "requests", "storage", NULL);
}

static void put_copy(Arena *arena, Value *to, const char *key, const Value *value) {
    if (value)
        value_put(arena, to, slice_of(key), *value);
}

static void put_claim_ref(Arena *arena, Value *spec, const Value *claim) {
    Value *ref = put_map(arena, spec, "claimRef");

    put_text(arena, ref, "kind", SLICE("PersistentVolumeClaim"));
    put_text(arena, ref, "namespace", kube_namespace(claim));
    put_text(arena, ref, "name", kube_name(claim));
    put_text(arena, ref, "uid", kube_uid(claim));
    put_text(arena, ref, "apiVersion", SLICE("v1"));
}

static void put_zone(Arena *arena, Value *spec, Slice zone) {
    Value *required = put_map(arena, put_map(arena, spec, "nodeAffinity"), "required");
    Value *term = add_map(arena, put_list(arena, required, "nodeSelectorTerms"));
    Value *expression = add_map(arena, put_list(arena, term, "matchExpressions"));

    put_text(arena, expression, "key", SLICE("topology.kubernetes.io/zone"));
    put_text(arena, expression, "operator", SLICE("In"));
    value_append(arena, put_list(arena, expression, "values"), value_string(zone));
}

static Value describe_volume(VolumeProvisioner *provisioner, const Value *claim, const Value *class, Symbol zone) {
    Arena *arena = &provisioner->scratch;
    const Value *wanted = value_get_text(claim, "spec");
    Slice driver = kube_text(class, "provisioner", NULL);
    Value volume = value_map(), *meta = put_map(arena, &volume, "metadata"), *spec = put_map(arena, &volume, "spec");
    Value *csi;

    put_text(arena, meta, "name", volume_name(arena, claim));
    put_text(arena, put_map(arena, meta, "annotations"), "pv.kubernetes.io/provisioned-by", driver);
    put_text(arena, put_map(arena, spec, "capacity"), "storage", requested_size(claim));
    put_copy(arena, spec, "accessModes", value_get_text(wanted, "accessModes"));
    put_copy(arena, spec, "volumeMode", value_get_text(wanted, "volumeMode"));
    put_copy(arena, spec, "persistentVolumeReclaimPolicy", value_get_text(class, "reclaimPolicy"));
    put_copy(arena, spec, "storageClassName", value_get_text(wanted, "storageClassName"));
    put_claim_ref(arena, spec, claim);
    csi = put_map(arena, spec, "csi");
    put_text(arena, csi, "driver", driver);
    put_text(arena, csi, "volumeHandle",
             arena_printf(arena, "vol-%017" PRIx64, slice_hash(kube_uid(claim)) & UINT64_C(0xfffffffffffffff)));
    if (zone != NAME_EMPTY && !slice_eq_text(driver, EFS))
        put_zone(arena, spec, provisioner_text(provisioner, zone));
    return volume;
}

static void set_phase(VolumeProvisioner *provisioner, KubeKind kind, Slice ns, Slice name, const char *phase) {
    Value patch = value_map();

    put_text(&provisioner->scratch, put_map(&provisioner->scratch, &patch, "status"), "phase", slice_of(phase));
    world_patch(provisioner->world, CONTROLLER_MANAGER.ptr, kind, ns, name, KUBE_STATUS, &patch);
}

static void bind_claim(VolumeProvisioner *provisioner, const Value *claim, const Value *volume) {
    Arena *arena = &provisioner->scratch;
    Value patch = value_map(), done = value_map(), *annotations, *status;

    annotations = put_map(arena, put_map(arena, &patch, "metadata"), "annotations");
    put_text(arena, annotations, "pv.kubernetes.io/bind-completed", SLICE("yes"));
    if (kube_text(claim, "spec", "volumeName", NULL).len == 0)
        put_text(arena, annotations, "pv.kubernetes.io/bound-by-controller", SLICE("yes"));
    put_text(arena, put_map(arena, &patch, "spec"), "volumeName", kube_name(volume));
    world_patch(provisioner->world, CONTROLLER_MANAGER.ptr, KUBE_PERSISTENT_VOLUME_CLAIM, kube_namespace(claim),
                kube_name(claim), KUBE_OBJECT, &patch);
    status = put_map(arena, &done, "status");
    put_text(arena, status, "phase", SLICE("Bound"));
    put_copy(arena, status, "accessModes", value_at(volume, "spec", "accessModes", NULL));
    put_copy(arena, status, "capacity", value_at(volume, "spec", "capacity", NULL));
    world_patch(provisioner->world, CONTROLLER_MANAGER.ptr, KUBE_PERSISTENT_VOLUME_CLAIM, kube_namespace(claim),
                kube_name(claim), KUBE_STATUS, &done);
}

void volume_provision(VolumeProvisioner *provisioner, const Value *claim, Symbol zone) {
    Arena *arena = &provisioner->scratch;
    Kube kube = world_kube(provisioner->world);
    KubeRef ref = {KUBE_STORAGE_CLASS, {0}, kube_text(claim, "spec", "storageClassName", NULL)};
    KubeError error = {0};
    Value class, volume;
    ErrCode code;

    if (kube_get(kube, arena, ref, &class, NULL) != OK)
        return;
    volume = describe_volume(provisioner, claim, &class, zone);
    code = kube_create(kube, NULL, PROVISIONER, KUBE_PERSISTENT_VOLUME, &volume, NULL, &error);
    CHECK(code == OK || code == ERR_CONFLICT, "a provisioned volume: %s", error.err.text);
    set_phase(provisioner, KUBE_PERSISTENT_VOLUME, (Slice){0}, kube_name(&volume), "Bound");
    bind_claim(provisioner, claim, &volume);
}

// Whether a volume is reserved for the claim, or for none.
static bool is_free_for(const Value *volume, const Value *claim) {
    const Value *ref = value_at(volume, "spec", "claimRef", NULL);
    Slice uid = kube_text(ref, "uid", NULL);

    if (!ref)
        return true;
    return slice_eq(kube_text(ref, "namespace", NULL), kube_namespace(claim)) &&
           slice_eq(kube_text(ref, "name", NULL), kube_name(claim)) && (!uid.len || slice_eq(uid, kube_uid(claim)));
}

bool volume_bind(VolumeProvisioner *provisioner, const Value *claim, Slice name) {
    Arena *arena = &provisioner->scratch;
    Value volume, patch = value_map();

    if (kube_get(world_kube(provisioner->world), arena, (KubeRef){KUBE_PERSISTENT_VOLUME, {0}, name}, &volume, NULL) !=
            OK ||
        !is_free_for(&volume, claim))
        return false;
    put_claim_ref(arena, put_map(arena, &patch, "spec"), claim);
    world_patch(provisioner->world, CONTROLLER_MANAGER.ptr, KUBE_PERSISTENT_VOLUME, (Slice){0}, name, KUBE_OBJECT,
                &patch);
    set_phase(provisioner, KUBE_PERSISTENT_VOLUME, (Slice){0}, name, "Bound");
    bind_claim(provisioner, claim, &volume);
    return true;
}

// --- matching

static bool has_modes(const Value *volume, const Value *claim) {
    const ValueList *there = read_list(value_get_text(volume, "spec"), "accessModes");
    const ValueList *wanted = read_list(value_get_text(claim, "spec"), "accessModes");

    for (vec_each(const Value, mode, wanted)) {
        bool found = false;

        for (vec_each(const Value, present, there))
            found |= value_eq(mode, present);
        if (!found)
            return false;
    }
    return true;
}

// Whether the volume satisfies the claim, and its size. Claims with a selector are not matched.
static bool meets(const Value *volume, const Value *claim, int64_t *ret_bytes) {
    const Value *spec = value_get_text(volume, "spec"), *wanted = value_get_text(claim, "spec");
    const Value *ref = value_get_text(spec, "claimRef");
    int64_t bytes, needed;

    if (value_get_text(wanted, "selector") || !is_free_for(volume, claim) ||
        quantity_parse(kube_text(spec, "capacity", "storage", NULL), QUANTITY_UNIT, &bytes, NULL) != OK ||
        quantity_parse(requested_size(claim), QUANTITY_UNIT, &needed, NULL) != OK)
        return false;
    *ret_bytes = ref ? 0 : bytes; // a volume reserved for this claim comes first
    return bytes >= needed && has_modes(volume, claim) &&
           slice_eq(kube_text(spec, "storageClassName", NULL), kube_text(wanted, "storageClassName", NULL)) &&
           slice_eq(kube_text(spec, "volumeMode", NULL), kube_text(wanted, "volumeMode", NULL));
}

Slice volume_find_match(VolumeProvisioner *provisioner, const Value *claim) {
    KubeList volumes;
    const Value *best = NULL;
    int64_t best_bytes = INT64_MAX, bytes;

    if (kube_list(world_kube(provisioner->world), &provisioner->scratch,
                  &(KubeListRequest){.kind = KUBE_PERSISTENT_VOLUME}, &volumes, NULL) != OK)
        return (Slice){0};
    for (vec_each(const Value, volume, &volumes.items)) {
        if (slice_eq_text(kube_text(volume, "status", "phase", NULL), "Released") || kube_is_deleting(volume) ||
            !meets(volume, claim, &bytes) || bytes >= best_bytes)
            continue;
        best = volume;
        best_bytes = bytes;
    }
    return best ? kube_name(best) : (Slice){0};
}

// --- the end

void volume_reclaim(VolumeProvisioner *provisioner, Slice claim_uid, Slice name) {
    KubeRef ref = {KUBE_PERSISTENT_VOLUME, {0}, name};
    Value volume;

    if (kube_get(world_kube(provisioner->world), &provisioner->scratch, ref, &volume, NULL) != OK ||
        !slice_eq(kube_text(&volume, "spec", "claimRef", "uid", NULL), claim_uid))
        return;
    if (slice_eq_text(kube_text(&volume, "spec", "persistentVolumeReclaimPolicy", NULL), "Delete"))
        kube_remove(world_kube(provisioner->world), ref, &(KubeDeletion){0}, NULL);
    else
        set_phase(provisioner, KUBE_PERSISTENT_VOLUME, (Slice){0}, name, "Released");
}

// --- ephemeral volumes

static void create_claim(VolumeProvisioner *provisioner, const Value *pod, Slice volume, const Value *template) {
    Arena *arena = &provisioner->scratch;
    const Value *template_meta = value_get_text(template, "metadata");
    Value claim = value_map(), *meta = put_map(arena, &claim, "metadata");
    KubeError error = {0};
    ErrCode code;

    put_text(arena, meta, "name", arena_printf(arena, "%.*s-%.*s", SLICE_ARG(kube_name(pod)), SLICE_ARG(volume)));
    put_text(arena, meta, "namespace", kube_namespace(pod));
    put_copy(arena, meta, "labels", value_get_text(template_meta, "labels"));
    put_copy(arena, meta, "annotations", value_get_text(template_meta, "annotations"));
    put_controller(arena, meta, KUBE_POD, kube_name(pod), kube_uid(pod));
    put_copy(arena, &claim, "spec", value_get_text(template, "spec"));
    code = kube_create(world_kube(provisioner->world), NULL, CONTROLLER_MANAGER, KUBE_PERSISTENT_VOLUME_CLAIM, &claim,
                       NULL, &error);
    CHECK(code == OK || code == ERR_CONFLICT || code == ERR_NOT_FOUND || code == ERR_DENIED,
          "the claim of an ephemeral volume: %s", error.err.text);
}

void volume_claims_of_pod(VolumeProvisioner *provisioner, const Pod *pod) {
    KubeRef ref = {KUBE_POD, provisioner_text(provisioner, pod->ns), provisioner_text(provisioner, pod->name)};
    const ValueList *volumes;
    Value object;

    if (kube_get(world_kube(provisioner->world), &provisioner->scratch, ref, &object, NULL) != OK)
        return;
    volumes = read_list(value_get_text(&object, "spec"), "volumes");
    for (vec_each(const Value, volume, volumes)) {
        const Value *template = value_at(volume, "ephemeral", "volumeClaimTemplate", NULL);

        if (template)
            create_claim(provisioner, &object, kube_text(volume, "name", NULL), template);
    }
}
