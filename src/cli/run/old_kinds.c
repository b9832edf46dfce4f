// The questions.
#include "cli/run/old_kinds.h"

static bool is_unknown(Arena *arena, Kube kube, KubeKind kind, bool *ret_denied) {
    KubeList list;
    ErrCode code = kube_list(kube, arena, &(KubeListRequest){.kind = kind, .limit = 1}, &list, NULL);

    *ret_denied = code == ERR_DENIED;
    return code == ERR_NOT_FOUND;
}

// Of what the ConfigMap says: the profile, and whether nodes drift. The rest has a flag of its own.
static void read_settings(Arena *arena, Kube kube, Slice ns, PresentSettings *settings) {
    KubeRef ref = {KUBE_CONFIG_MAP, ns, SLICE("karpenter-global-settings")};
    Value object;

    if (!ns.len || kube_get(kube, arena, ref, &object, NULL) != OK)
        return;
    settings->profile = kube_text(&object, "data", "aws.defaultInstanceProfile", NULL);
    settings->drifts = slice_eq_text(kube_text(&object, "data", "featureGates.driftEnabled", NULL), "true");
}

Kube old_kinds_open(OldKinds *old, Kube kube, Slice ns) {
    PresentSettings settings = {.needs_profile = true};
    bool denied;

    if (is_unknown(&old->arena, kube, KUBE_PROVISIONER, &denied) || denied)
        return kube;
    settings.lacks_machines = is_unknown(&old->arena, kube, KUBE_MACHINE, &denied);
    read_settings(&old->arena, kube, ns, &settings);
    old->bridge = bridge_new(kube, &settings);
    return bridge_kube(old->bridge);
}

void old_kinds_close(OldKinds *old) {
    if (old->bridge)
        bridge_free(old->bridge);
    arena_free(&old->arena);
}
