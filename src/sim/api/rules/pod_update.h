// Updates of pods: the fields that may change, and the QoS class. Private to src/sim/api.
#pragma once

#include "sim/api/server.h"

// Refuses changes of a pod's spec that Kubernetes does not allow.
ErrCode pod_validate_update(const Request *request, const Value *spec, const Value *old);

// "Guaranteed", "Burstable" or "BestEffort".
Slice pod_qos_class(const Value *spec);
