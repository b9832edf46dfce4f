// The way back: writes to today's objects as writes to the old ones that they are (present.h).
#pragma once

#include "kube/kube.h"

// A NodeClaim of a Provisioner as the Machine to create. `provisioner`: the Provisioner itself, for its kubelet's
// settings and its providerRef; NULL: not known, then without them. What a Machine has no place for is left out.
// O(size).
Value carry_claim(Arena *arena, const Value *claim, const Value *provisioner);

// A Node, or a patch of one, as it is written: labels and owners by their old names. O(size).
Value carry_node(Arena *arena, const Value *node);

// An Event about a pool, claim or class as one about the old object, its message with old names (carry_text). O(size).
Value carry_event(Arena *arena, const Value *event);

// A text for people with pools and claims named as Provisioners and Machines where they are: "nodeclaim/machine/x" as
// "machine/x", "nodepool provisioner/x" as "provisioner x". The text itself when it names none. O(length).
Slice carry_text(Arena *arena, Slice text);

// A line of the log as v0.31 wrote it: old objects under the keys `machine` and `provisioner`, "launched nodeclaim"
// about one of them as "launched machine", texts as above. Reference legacy.md 5.6. `pairs`: key, value, key, value,
// ... O(length).
void carry_line(Arena *arena, const char **message, const Slice **pairs, uint32_t count);
// The kind of an object by today's kind and name, both of which are the old ones then: "NodeClaim" and "machine/x" are
// "Machine" and "x". O(1).
Slice carry_subject(Slice kind, Slice *name);

// A merge patch of an old object's metadata, by its kind. O(size).
Value carry_metadata_patch(Arena *arena, const Value *patch);

// A merge patch of the status of a NodePool, NodeClaim or EC2NodeClass `kind` as two merge patches of `object`, which
// is of an old kind and as it is now: of its status, what its kind has a place for (an empty map: nothing), and of its
// metadata, the annotation that holds the rest (an empty map: no change). O(size).
typedef struct {
    Value status, metadata;
} CarriedStatus;

CarriedStatus carry_status_patch(Arena *arena, KubeKind kind, const Value *object, const Value *patch);

// A merge patch of the metadata of a Provisioner's own class as one of the Provisioner. O(size).
Value carry_class_patch(Arena *arena, const Value *object, const Value *patch);
