// What user data says to the kubelet of an instance.
#pragma once

#include "sim/cloud/account.h"

// Reads user data, in Base64, as AL2023 does: the NodeConfigs of its MIME message, the last of which counts. Symbols
// are interned in `symbols`; the rest is in `arena`. What another family of images would read, or nobody: `joins` is
// false.
SimUserData wire_user_data(Arena *arena, Symbols *symbols, Slice base64);
