// Old objects as today's: what the rest of tenon sees of Provisioners, AWSNodeTemplates and Machines.
//
// Reference legacy.md 2 to 5. A Provisioner is a NodePool "provisioner/<name>", an AWSNodeTemplate an EC2NodeClass
// "awsnodetemplate/<name>", a Machine a NodeClaim "machine/<name>": identity is kind and name. In today's objects the
// kubelet's settings belong to the class, so a Provisioner that has some, or has an inline provider, has a class of its
// own, "provisioner/<name>", made of itself and its AWSNodeTemplate. The way back is in carry.h.
//
// What is translated means what it meant: no disruption budget but one drifted node at a time, and expiration,
// emptiness and consolidation as the Provisioner says.
#pragma once

#include "kube/kube.h"
#include "legacy/global_settings.h"

// What decides besides the objects.
typedef struct {
    GlobalSettings global;
    bool needs_profile;  // a Provisioner without a profile is refused, as it was when it launched (R008)
    bool lacks_machines; // the cluster has no definition of Machines: every Provisioner is refused
} PresentSettings;

typedef struct {
    Value pool, class;
    bool has_class;
} PresentedProvisioner;

// Translates a Provisioner. `template`: the AWSNodeTemplate that it names, NULL when there is none (yet). One that
// cannot be a pool (its webhook would have refused it, a launch template) is one with the annotation tenon.sh/refused,
// which says why, so that it gets no nodes and a condition. `warnings`: members that the kind does not have, and labels
// that are mistaken for another ("<file>:<line>: W02 …"); may be NULL. ERR_INVALID: it has no name. O(size).
ErrCode present_provisioner(Arena *arena, const PresentSettings *settings, Slice file, const Value *object,
                            const Value *template, PresentedProvisioner *ret_presented, WarningVec *warnings, Err *err);
// Whether a Provisioner has a class of its own, and the name of its AWSNodeTemplate (empty: none).
bool provisioner_owns_class(const Value *object);
Slice provisioner_template(const Value *object);

// Translates an AWSNodeTemplate. ERR_INVALID: it cannot be translated, or its webhook would have refused it. O(size).
ErrCode present_template(Arena *arena, const PresentSettings *settings, Slice file, const Value *object,
                         Value *ret_class, Err *err);
// The same of any that has a name: one that cannot be translated is a class with the annotation tenon.sh/refused, which
// says why, and nothing else. O(size).
Value present_any_template(Arena *arena, const PresentSettings *settings, Slice file, const Value *object);

// Translates a Machine. O(size).
Value present_machine(Arena *arena, const Value *object);

// Whether a Node is one of a Provisioner; then it as one of its pool. O(members).
bool node_is_old(const Value *object);
Value present_node(Arena *arena, const Value *object);
