// Watches.
#pragma once

#include "sim/api/server.h"

ErrCode do_watch(Request *request, const KubeWatchRequest *watch, KubeSink sink, KubeWatch **ret_watch);
void do_unwatch(Request *request, KubeWatch *watch);
