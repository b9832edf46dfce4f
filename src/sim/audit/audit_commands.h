// Commands of disruption as an outsider sees them: by the annotation tenon.sh/command on Nodes and NodeClaims, and what
// the rules about them remember of each NodeClaim.
#pragma once

#include "sim/audit/audit_parts.h"

typedef struct AuditCommand AuditCommand;

// What is remembered of a NodeClaim, also after it is gone. Times are the world's; 0: it is not so.
typedef struct AuditClaim {
    Symbol uid, name, provider_id;
    int64_t initialized_ns;                      // since when it is
    int64_t lost_ns;                             // since when it is gone, or going
    int64_t consolidatable_ns;                   // since when it is, interruptions of less than 15 s apart
    int64_t interrupted_ns;                      // since when it is not, having been so before
    int64_t guarded_ns;                          // since when its Node is do-not-disrupt
    int64_t left_ns;                             // since when it is marked for no command
    int64_t half_ns;                             // since when its Node has half of the mark of a plan
    int64_t vetoed_ns;                           // since when it or its Node is do-not-repair
    bool said_late;                              // it was reported that it has outlived its time
    Symbol wards[AUDIT_WARD_KINDS];              // SYMBOL_EMPTY: not known yet
    AuditCommand *candidate_of, *replacement_of; // as its records say now
} AuditClaim;
typedef Vec(AuditClaim *) AuditClaimVec;

struct AuditCommand {
    Symbol uuid;
    uint32_t awaited;           // replacements, as its candidates say
    int64_t begun_ns;           // first candidate; 0: none yet
    int64_t price_nano;         // of its candidates when they were marked, $1e-9 per hour; -1: not known
    bool price_checked;         // what was launched was judged
    DisruptionReason reason;    // of the candidate that told it last
    AuditClaimVec candidates;   // those that have its record, or had it to the end
    AuditClaimVec replacements; // that ever were
};

// The memory of a NodeClaim; made when there is none. O(1).
AuditClaim *audit_claim(Audit *audit, const NodeClaim *claim);

typedef struct {
    Slice uuid;
    bool is_candidate; // else a replacement
    uint32_t awaited;
} AuditRecord;

// The record in an object's annotations; false: none, or one that says nothing.
bool audit_record(const Audit *audit, const ObjectMeta *meta, AuditRecord *ret_record);
AuditCommand *audit_command(Audit *audit, Slice uuid); // made when there is none

void audit_command_add(Audit *audit, AuditCommand *command, AuditClaim *candidate, uint32_t awaited);
void audit_command_leave(AuditClaim *candidate); // its record was taken off: it stays
void audit_command_add_replacement(Audit *audit, AuditCommand *command, AuditClaim *replacement);

// Replacements that exist and are not going; and those of them that are Initialized, where one that was lost within the
// last minute still counts. O(replacements).
uint32_t audit_command_living(const AuditCommand *command);
uint32_t audit_command_ready(const Audit *audit, const AuditCommand *command);

// Whether it can still delete its candidates: all its replacements are there, or are being created. O(replacements).
bool audit_command_lives(const Audit *audit, const AuditCommand *command);

// Price of the claim's instance as far as tenon can know it, $1e-9 per hour; -1: it has none, or its price is not
// known.
int64_t audit_price(const Audit *audit, const AuditClaim *claim);
