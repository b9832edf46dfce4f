// The controller of namespaces inside.
#pragma once

#include "sim/api/server.h"

// Removes what is in namespaces that are going away, and them; whether there was anything.
bool empty_namespaces(ApiServer *server);
