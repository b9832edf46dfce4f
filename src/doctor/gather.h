// Documents to facts: manifests, dumps of kubectl, and answers of the aws command line.
#pragma once

#include "doctor/facts.h"

// Adds what the documents say; of kinds that no check is about, nothing. What cannot be read is a fact, too. O(size).
void gather_documents(Arena *arena, const DocumentVec *documents, Facts *facts);

// Adds what a permission of a security group lets in of TCP, if anything. `from`, `to`: its ports; NULL: not given.
// O(1).
void gather_ports(Arena *arena, FactResource *group, Slice protocol, const int64_t *from, const int64_t *to);

// Adds a parser's warnings of a file: keys that stand twice. O(warnings).
void gather_duplicates(Arena *arena, Slice file, const WarningVec *warnings, Facts *facts);
