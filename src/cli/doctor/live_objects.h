// What the API server serves, and the objects that checks are about. What cannot be read is a fact.
#pragma once

#include "cli/doctor/live_reading.h"

// The kinds that the API server serves, by its discovery, which everybody may read, and how the definitions of those
// store them. O(kinds) calls.
void live_read_definitions(const LiveReading *reading);
// Whether a definition ("nodepools.karpenter.sh") is served in tenon's version, of those that were read.
bool live_serves(const LiveReading *reading, const char *definition);
// Lists, and the endpoints of the Services that ask for hints: a call each.
void live_read_objects(const LiveReading *reading);
