// Facts about NodeClasses, whatever their kind, that several controllers need. Behaviour: reference aws.md 1, 7.1.
#pragma once

#include "ctl/ctl.h"

typedef struct {
    KubeKind kind;
    const ObjectMeta *meta;
    const ConditionVec *conditions;
    const Value *status; // as the API server has it; NULL: none
} ClassFacts;

// Whether the kind is a NodeClass, of any provider.
bool class_is_kind(KubeKind kind);
// The kind of NodeClasses of that name ("EC2NodeClass"); KUBE_KIND_COUNT: there is none.
KubeKind class_kind_find(Slice name);

// The NodeClass of that kind (KUBE_KIND_COUNT: there is none) and name. Returns false, and {0}, when it does not exist.
// O(1).
bool class_get(const State *state, KubeKind kind, Symbol name, ClassFacts *ret_class);
// The same of the provider's kind.
bool class_of_provider(const Turn *turn, Symbol name, ClassFacts *ret_class);

// The finalizer of the provider's NodeClasses: "karpenter.k8s.aws/termination".
Slice class_finalizer(const Turn *turn);

// Whether the NodeClaim was made with the provider's NodeClass of that name.
bool class_has_claim(const Turn *turn, Symbol name, const NodeClaim *claim);

// Logs what a controller of NodeClasses could not do, and retries the key with back-off; a conflict is not logged.
void class_fail(Turn *turn, Key key, ErrCode code, Slice why);
