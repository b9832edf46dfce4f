// Removals: when the State may forget what was removed (state_forget_removed).
//
// It remembers removed objects because an older event about one may still come: from a watch that lags behind the
// answer to a deletion of our own, from a list that the API server took from an old cache, or as the answer to a write
// that was under way. What all watches have passed and is ten minutes old comes from nowhere any more.
#pragma once

#include "engine/engine.h"

typedef struct {
    KubeRevision before; // removals before this one may go
    KubeRevision passed; // by all watches, at the moment `since`
    Mono since;
} Removals;

// To be called when a bookmark of a watch has come: about once a minute for each kind. Forgets at most 1,024 removals,
// so that a turn stays short after the end of a hundred thousand pods. O(kinds + what is forgotten).
void removals_forget(Engine *engine);
