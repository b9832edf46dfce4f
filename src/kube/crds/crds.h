// CustomResourceDefinitions of Karpenter's kinds, as YAML embedded in the binary.
//
// One file per kind is beside this header, written by hand; `tenon crds` prints them for `kubectl apply --server-side
// -f -`. With them an API server gives the same validation results, messages and defaults as with Karpenter 1.15's own,
// so that a cluster can be handed over in both directions; each file notes its deliberate differences. The kinds of
// 2023 are definitions of their own, each with its one version: a Provisioner is no older form of a NodePool, so
// nothing converts between them in the API server. Behaviour: reference scheduling.md 1, aws.md 1, lifecycle.md 8,
// changes.md 1.2 and 7, legacy.md 2 to 4.
#pragma once

#include "kube/kind.h"

#include <stddef.h>

typedef struct {
    const KubeKindInfo *kind; // kind->resource ("nodepools.karpenter.sh") is the name of the definition
    bool is_legacy;           // Provisioner, Machine, AWSNodeTemplate
    Slice text;               // the file with its comments; lives as long as the program
} Crd;

// Number of definitions, those of 2023 included; they are the last ones.
size_t crds_count(void);
// The definition at `index` < crds_count(), in the order of printing. O(1).
Crd crds_at(size_t index);
// Finds a definition by "nodepools.karpenter.sh", "nodepools" or "NodePool". False: there is none. O(count).
bool crds_find(Slice name, Crd *ret_crd);
