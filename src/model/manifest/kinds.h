// The kinds of objects in manifests.
#pragma once

#include "model/manifest/state.h"

// The row of a kind, of any version ("apps", "Deployment"), or NULL.
const ObjectKind *object_kind_find(Slice group, Slice kind);
