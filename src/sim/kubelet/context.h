// Helpers of all files: time, texts, random draws, alarms and patches.
#pragma once

#include "sim/kubelet/parts.h"

int64_t kubelets_now(const SimKubelets *kubelets);
Slice kubelets_text(const SimKubelets *kubelets, Symbol symbol);

// A random duration of the span, or of `least` to `most` where the config sets none.
int64_t kubelets_draw(Random *random, SimSpan span, int64_t least_ms, int64_t most_ms);

// Sets *alarm again.
void kubelets_alarm(SimKubelets *kubelets, Alarm *alarm, int64_t at_ns, void (*ring)(void *context), void *context);
void kubelets_cancel(SimKubelets *kubelets, Alarm *alarm);
KubeRef kubelet_pod_ref(const SimKubelets *kubelets, const Pod *pod);

// A strategic merge patch; failures other than not-found and conflict are bugs.
ErrCode kubelets_patch(SimKubelets *kubelets, Slice manager, KubeRef ref, KubePart part, const Value *patch);
