// Pods: what may change after creation, and their class of service. Private to src/sim/api.
#pragma once

#include "sim/api/server.h"

// Refuses changes of a pod's spec beyond those that Kubernetes allows.
ErrCode pod_validate_update(const Request *request, const Value *spec, const Value *old);

// "Guaranteed", "Burstable" or "BestEffort".
Slice pod_qos_class(const Value *spec);
