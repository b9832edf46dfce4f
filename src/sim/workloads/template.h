// Pod templates.
#pragma once

#include "sim/workloads/workload.h"

// The pod-template-hash of a template: without vowels. `collisions`: gives a different one for each number.
Slice workload_template_hash(Arena *arena, const Value *template, int64_t collisions);

// A pod of the workload's template, owned by it, with labels that may be changed; `spec` is shared with the template.
Value workload_template_pod(const SimWorkload *workload, Arena *arena, const Value *template);
