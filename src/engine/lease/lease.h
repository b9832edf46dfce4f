// Leader election on a Lease (coordination.k8s.io/v1), by the rules of client-go, so that tenon and Karpenter can wait
// for the same Lease and take it from each other.
//
// The holder renews the Lease every two seconds. A candidate reads it, and takes it when the holder has released it, or
// when it has not changed for the lease duration that it states (15 s). Only the process's own monotonic clock decides:
// the timestamps in a Lease are for people, so the clocks of machines may differ.
//
// Why there are never two leaders: a holder counts itself as one for LEASE_RENEW_DEADLINE + LEASE_RETRY = 12 s from the
// moment it *sent* its last renewal that was answered. A candidate that takes over has seen that renewal, or a later
// one, after it was sent, and waits for 15 s. Calls that are under way when the 12 s end have 3 s to arrive. A holder
// whose time has expired, or that finds another holder in the Lease, has lost it for good: its process ends.
//
// One gap remains, as in client-go: a Lease that was deleted is free to a candidate that has never seen it, while its
// holder notices with its next renewal only, within two seconds when it can reach the API server.
//
// Stricter than client-go in two points: a holder that reads another holder's name gives up at once instead of retrying
// until its time expires; a candidate tries again when the Lease expires, so that a dead leader is replaced within 19 s
// (client-go: 24 s). Source: reference lifecycle.md 7.5; client-go v0.36 tools/leaderelection; controller-runtime's
// timings.
#pragma once

#include "engine/clock.h"
#include "kube/kube.h"

#define LEASE_NAME "karpenter-leader-election"

enum { LEASE_DURATION_S = 15, LEASE_RENEW_DEADLINE_S = 10, LEASE_RETRY_S = 2, LEASE_IDENTITY_MAX = 256 };

// Configuration of a Lease. Texts are copied. The identity must be unique to this process (lease_identity makes one).
// `kube` should be a client of its own, without rate limit and with short timeouts (5 s), so that the load of other
// calls cannot cost the Lease.
typedef struct {
    Kube kube;
    Clock clock;
    Slice ns, name, identity;
    uint64_t seed; // of the jitter between a candidate's tries
} LeaseConfig;

typedef enum { LEASE_WAITING, LEASE_HELD, LEASE_LOST } LeaseState;

typedef struct Lease Lease;

Lease *lease_new(const LeaseConfig *config);
// Does not release the Lease: to others it looks like a crash. lease_release comes first in an orderly end.
void lease_free(Lease *lease);

// "<host>_<uuid>", as in controller-runtime.
Slice lease_identity(Arena *arena, Slice host, uint64_t random_high, uint64_t random_low);

// Result of one try.
typedef struct {
    LeaseState state;
    Mono next;    // when to try again; MONO_END: never, the Lease is lost
    ErrCode code; // of the call that failed, for the log; OK: none failed
    bool changed; // the state changed with this try
    Slice holder; // as the Lease says; valid until the next try
} LeaseTry;

// One try to take or to renew: one call, at most three. Blocks. `error` (may be NULL) is filled when code is not OK.
// One thread at a time.
LeaseTry lease_try(Lease *lease, KubeError *error);

// Releases the Lease if it is held, so that the next leader need not wait; its state is LEASE_LOST afterwards. Blocks
// for two calls. Errors are the API server's; the Lease then expires by itself.
ErrCode lease_release(Lease *lease, KubeError *error);

// Any thread, at any moment; reads the clock.
bool lease_is_held(const Lease *lease);
// Until when it is held at least; {0}: not held.
Mono lease_held_until(const Lease *lease);
// Renewals that needed more than one call (leader_election_slowpath_total).
uint64_t lease_slow_paths(const Lease *lease);
