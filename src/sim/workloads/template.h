// Pod templates.
#pragma once

#include "sim/workloads/workload.h"

// The hash of a pod template, spelt without vowels as pod-template-hash is. `collisions`: another one each time.
Slice workload_template_hash(Arena *arena, const Value *template, int64_t collisions);

// A pod of the workload's template with labels of its own (changeable), owned by it; `spec` is shared with the
// template.
Value workload_template_pod(const SimWorkload *workload, Arena *arena, const Value *template);
