// Complaints: what Karpenter's validating webhook of v0.31 found wrong with an object, in its words.
//
// Reference legacy.md 2.2 and 3. What the definitions' schemas refused (bounds of numbers) is among them, too.
#pragma once

#include "legacy/objects.h"

typedef struct {
    Slice message, details; // "invalid value: cannot be negative"; details may be empty
    SliceVec paths;         // "spec.ttlSecondsAfterEmpty"; sorted
    bool is_newer;          // refused by v0.30 and newer only: older objects may have it, and can be converted
} Complaint;
typedef Vec(Complaint) ComplaintVec;

// Append what is wrong. Texts are in `arena` or in the object. O(size²) of maps and lists of at most TEXT_MAP_MAX.
void provisioner_complaints(Arena *arena, const OldProvisioner *provisioner, ComplaintVec *complaints);
// Its two parts: what Karpenter's own webhook judged, and what AWS's did, which is the inline provider.
void provisioner_core_complaints(Arena *arena, const OldProvisioner *provisioner, ComplaintVec *complaints);
void provisioner_aws_complaints(Arena *arena, const OldProvisioner *provisioner, ComplaintVec *complaints);
void node_template_complaints(Arena *arena, const OldNodeTemplate *template, ComplaintVec *complaints);

// "validation failed: …": one line each, sorted; equal ones are one with all their paths. O(n log n) of complaints.
Slice complaints_print(Arena *arena, const ComplaintVec *complaints);
