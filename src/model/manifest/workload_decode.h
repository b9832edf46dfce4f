// Decoding of workloads.
#pragma once

#include "model/manifest/state.h"

// Decodes a Deployment, StatefulSet, …
ErrCode workload_decode(ManifestReader *reader, WorkloadKind kind, const Value *object, Workload *ret_workload,
                        Err *err);

// The kind's name in the API ("Deployment").
const char *workload_kind_text(WorkloadKind kind);
