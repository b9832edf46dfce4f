// The namespace controller of the embedded API server.
#pragma once

#include "sim/api/server.h"

// Removes the content of terminating namespaces, and the namespaces; returns whether there was anything.
bool empty_namespaces(ApiServer *server);
