// Watches.
#pragma once

#include "kube/rest/rest_parts.h"

ErrCode rest_watch(void *self, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch, KubeError *error);
void rest_unwatch(void *self, KubeWatch *watch);
