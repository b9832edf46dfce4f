// Eviction and binding of pods.
#pragma once

#include "sim/api/server.h"

ErrCode do_evict(Request *request, const KubeDeletion *deletion);
ErrCode do_bind(Request *request, Slice uid, Slice node);
