// The definitions of Karpenter's kinds (CustomResourceDefinitions) that tenon installs, as YAML in the binary.
//
// One file per kind lies beside this header, written by hand; `tenon crds` prints them and `kubectl apply
// --server-side -f -` takes them. An API server gives the same verdicts, messages and defaults by them as by Karpenter
// 1.15's own, so that a cluster can be handed over in both directions; each file says where it differs on purpose.
// Behaviour: reference scheduling.md 1, aws.md 1, lifecycle.md 8, changes.md 1.2 and 7.
#pragma once

#include "kube/kind.h"

#include <stddef.h>

typedef struct {
    const KubeKindInfo *kind; // kind->resource ("nodepools.karpenter.sh") is the definition's name
    Slice text;               // the file as it is, comments included; lives as long as the program
} Crd;

// How many there are.
size_t crds_count(void);
// The one at `index` < crds_count(), in the order in which they are printed. O(1).
Crd crds_at(size_t index);
// The one of that name: "nodepools.karpenter.sh", "nodepools" or "NodePool". False: there is none. O(count).
bool crds_find(Slice name, Crd *ret_crd);
