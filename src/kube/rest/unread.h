// Members of objects that tenon never reads.
#pragma once

#include "kube/rest/rest_parts.h"

// Makes the filter drop the members of a kind that tenon never reads. `prefix`: path of the object ("items *",
// "object").
void rest_drop_unread(JsonFilter *json_filter, KubeKind kind, const char *prefix);
