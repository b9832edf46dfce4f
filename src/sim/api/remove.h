// Deletion.
#pragma once

#include "sim/api/server.h"

ErrCode do_remove(Request *request, const KubeDeletion *deletion);
