// Repair of sick nodes (reference changes.md 1): who may be repaired, and how many at what pace.
#pragma once

#include "sim/audit/audit_commands.h"

// Remembers the NodePool, zone and image of a claim.
void audit_note_ward(Audit *audit, AuditClaim *known, const NodeClaim *claim);

// Checks the repair of a node that begins: it is sick, nothing keeps it from being repaired, and neither breakers nor
// the pace of its zone and image do. O(claims that ever were × conditions × policies).
void audit_check_repair(Audit *audit, AuditClaim *known, const NodeClaim *claim, const Node *node);
