// Hashes by which drift is detected, as annotations: those of a NodePool or a NodeClass, and on the NodeClaims that
// were made from it. Behaviour: reference lifecycle.md 5.2, aws.md 7.11.
//
// When the version on the object is another one, its NodeClaims get the new hash before the object does, so that the
// change of version makes nothing drift; a claim that is drifted already keeps its hash and stays drifted. The object's
// version is written last, so a process that restarts in between goes on where it stopped.
#pragma once

#include "ctl/ctl.h"

typedef struct {
    Slice hash_key, version_key; // of the annotations
    Slice hash, version;
} HashStamp;

// Whether the object has the version; whether it has the version and the hash.
bool hash_stamp_has_version(const Turn *turn, const ObjectMeta *meta, const HashStamp *stamp);
bool hash_stamp_is_on(const Turn *turn, const ObjectMeta *meta, const HashStamp *stamp);

// Intends to stamp a NodeClaim, unless it has the version.
void hash_stamp_claim(Turn *turn, const NodeClaim *claim, const HashStamp *stamp);
// Intends to stamp the object, unless it is stamped. Behind the claims.
void hash_stamp_object(Turn *turn, KubeKind kind, const ObjectMeta *meta, const HashStamp *stamp);
