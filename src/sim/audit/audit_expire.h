// The time that NodeClaims have to live: spec.expireAfter, less the jitter and the lead of --expiration-jitter and
// --expiration-lead.
#pragma once

#include "sim/audit/audit_parts.h"

// Whether the claim may be deleted now because it expires, without anything that marks its node.
bool audit_expires(const Audit *audit, const NodeClaim *claim);

// Checks that a node of expiration's is not replaced before the lead; called when its claim is deleted.
void audit_check_early(Audit *audit, const NodeClaim *claim);

// Whether a claim that goes unmarked seems to expire, too early: it is in the second half of its time.
bool audit_goes_early(const Audit *audit, const NodeClaim *claim);

// Checks that no claim outlives its time; called every minute. O(claims).
void audit_check_expired(Audit *audit);
