// What nobody reads of objects.
#pragma once

#include "kube/rest/rest_parts.h"

// Tells the json_filter what nobody reads of a kind. `prefix`: where the object stands ("items *", "object").
void rest_drop_unread(JsonFilter *json_filter, KubeKind kind, const char *prefix);
