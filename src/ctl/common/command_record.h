// The annotation tenon.sh/command: which command of disruption a Node or NodeClaim belongs to, and as what.
//
// A candidate's Node has it in the write that also taints it, a replacement's NodeClaim from its creation on. So
// whoever leads after a death of the process finds the command again, or knows what to take back:
// docs/design/ctl-disruption.md.
#pragma once

#include "model/objects.h"

typedef enum {
    RECORD_CANDIDATE,   // "<uuid>/candidate/awaits-<n>": goes when n replacements are ready; "…/drains-<s>s": and is
                        // then drained within s seconds
    RECORD_REPLACEMENT, // "<uuid>/replacement/joins"
} RecordRole;

typedef struct {
    Slice uuid;
    RecordRole role;
    uint32_t replacements; // of a candidate's command
    int64_t bound_ns;      // whole seconds; INT64_MAX: none
} Record;

// Formats a record as the annotation's value.
Slice record_print(Arena *arena, const Record *record);

// False: the text is none that record_print writes.
bool record_read(Slice text, Record *ret_record);

// The record that an object carries; false: it carries none. Points into the annotation. O(annotations).
bool record_of_object(const ObjectMeta *meta, const Symbols *symbols, Record *ret_record);
