// The kinds of objects that manifests may have.
#pragma once

#include "model/manifest/state.h"

// The row of a kind whatever its version ("apps", "Deployment"), or NULL.
const ObjectKind *object_kind_find(Slice group, Slice kind);
