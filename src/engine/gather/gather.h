// Gather: calls of the cloud that wait for others like them, so that one call is made for all (cloud_windows).
//
// It holds jobs of one intent each: launches that are alike, terminations, lookups, lists. A group of them is closed
// when no further one came for idle_ns, at the latest longest_ns after its first, or when it has as many as one call
// may have. Where calls are to be apart_ns apart, the next window after such an end lasts until then; a group that is
// full waits for nothing. So jobs that come one by one, from a process that is short of processor or from a slow API
// server, are not a call each.
// Time is what its owner says it is: nothing waits here.
#pragma once

#include "engine/job.h"

typedef struct Gather Gather;

// Launches of one call, however many the cloud would take. Before it asks for instances the provider records on every
// NodeClaim what it will ask for, one write to the API server after the other: a hundred take about a second, and more
// hundreds are other calls, which other workers make meanwhile.
enum { GATHERED_LAUNCHES_MAX = 100 };

Gather *gather_new(void);
// Drops the jobs that it holds: nothing is called for them.
void gather_free(Gather *gather);

// The window in which a job is gathered; NULL: it is not. `windows`: NULL: nothing is.
const CloudWindow *gather_window(const CloudWindows *windows, const EngineJob *job);
// Takes over a job that has such a window; it comes at job->since. Returns the job that makes the call for its group,
// when that is complete now; NULL: it waits. O(launch_hash), and O(log groups) for the order of their ends.
EngineJob *gather_add(Gather *gather, const CloudWindow *window, EngineJob *job);
// Takes the job that makes the call for the first group whose window has ended by `now`; NULL: there is none. In order
// of their ends, groups with the same in order of their beginnings. O(log groups + jobs).
EngineJob *gather_take(Gather *gather, Mono now);
// When the next window or rest ends; MONO_END: there is none. O(1).
Mono gather_next(const Gather *gather);

// For tests of what gathering costs: looks at groups so far, and the memory of groups, without that of jobs.
uint64_t gather_looks(const Gather *gather);
size_t gather_bytes(const Gather *gather);
