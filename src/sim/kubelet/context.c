// Helpers of all files: time, texts, random draws, alarms and patches.
#include "sim/kubelet/context.h"

int64_t kubelets_now(const SimKubelets *kubelets) {
    return world_now_ns(kubelets->world);
}

Slice kubelets_text(const SimKubelets *kubelets, Symbol symbol) {
    return symbol_text(kubelets->symbols, symbol);
}

// In steps of a millisecond.
int64_t kubelets_draw(Random *random, SimSpan span, int64_t least_ms, int64_t most_ms) {
    if (span.least_ns || span.most_ns) {
        least_ms = span.least_ns / NS_PER_MS;
        most_ms = span.most_ns / NS_PER_MS;
    }
    if (most_ms <= least_ms)
        return least_ms * NS_PER_MS;
    return (least_ms + random_below(random, (uint32_t)(most_ms - least_ms + 1))) * NS_PER_MS;
}

void kubelets_cancel(SimKubelets *kubelets, Alarm *alarm) {
    world_cancel(kubelets->world, *alarm);
    *alarm = 0;
}

void kubelets_alarm(SimKubelets *kubelets, Alarm *alarm, int64_t at_ns, void (*ring)(void *context), void *context) {
    world_cancel(kubelets->world, *alarm);
    *alarm = world_alarm(kubelets->world, at_ns, ring, context);
}

KubeRef kubelet_pod_ref(const SimKubelets *kubelets, const Pod *pod) {
    return (KubeRef){KUBE_POD, kubelets_text(kubelets, pod->ns), kubelets_text(kubelets, pod->name)};
}

ErrCode kubelets_patch(SimKubelets *kubelets, Slice manager, KubeRef ref, KubePart part, const Value *patch) {
    KubeError error;
    ErrCode code = kube_patch(kubelets->kube, NULL, manager, ref, part,
                              &(KubePatch){.type = KUBE_PATCH_STRATEGIC, .body = patch}, NULL, &error);

    CHECK(code == OK || code == ERR_NOT_FOUND || code == ERR_CONFLICT, "%.*s patches %.*s: %s", SLICE_ARG(manager),
          SLICE_ARG(ref.name), error.err.text);
    return code;
}
