// Leader election on a Lease (coordination.k8s.io/v1), by the rules of client-go, so that tenon and Karpenter may wait
// for the same Lease and take it from each other.
//
// Who holds the Lease writes it again every two seconds. Who waits reads it, and takes it when its holder has given it
// up, or when nothing about it has changed for as long as it says (15 s). Only the own monotonic clock decides: times
// that stand in a Lease are for people, so clocks of different machines may differ as they like.
//
// Why there are never two: a holder counts as one for LEASE_RENEW_DEADLINE + LEASE_RETRY = 12 s from the moment it
// *sent* its last renewal that was answered. Whoever takes over saw that renewal, or a later one, after it was sent,
// and waits for 15 s. Whatever is under way when the 12 s are over has 3 s to arrive. A holder whose time is over, or
// that sees another one in the Lease, has lost it for good: its process ends.
//
// One hole is left, as in client-go: a Lease that somebody deletes is free to whoever has never seen it, while its
// holder finds that out with its next renewal only, within two seconds when it can reach the API server.
//
// Stricter than client-go in two places: a holder that reads another's name gives up at once instead of trying until
// its time is over; who waits tries again when the Lease runs out, so that a dead leader is replaced within 19 s
// (there: 24 s). Source: reference lifecycle.md 7.5; client-go v0.36 tools/leaderelection; controller-runtime's
// timings.
#pragma once

#include "engine/clock.h"
#include "kube/kube.h"

#define LEASE_NAME "karpenter-leader-election"

enum { LEASE_DURATION_S = 15, LEASE_RENEW_DEADLINE_S = 10, LEASE_RETRY_S = 2, LEASE_IDENTITY_MAX = 256 };

// Texts are copied. The identity must be this process' alone: lease_identity makes one.
// `kube` should be a client of its own, without limits of rate and with short timeouts (5 s), so that the load of
// others cannot lose the Lease.
typedef struct {
    Kube kube;
    Clock clock;
    Slice ns, name, identity;
    uint64_t seed; // of the jitter while waiting
} LeaseConfig;

typedef enum { LEASE_WAITING, LEASE_HELD, LEASE_LOST } LeaseState;

typedef struct Lease Lease;

Lease *lease_new(const LeaseConfig *config);
// Gives nothing back: to the others it is a crash. lease_release before.
void lease_free(Lease *lease);

// "<host>_<uuid>", as controller-runtime has it.
Slice lease_identity(Arena *arena, Slice host, uint64_t random_high, uint64_t random_low);

// What came of one try.
typedef struct {
    LeaseState state;
    Mono next;    // when to try again; MONO_END: never, it is lost
    ErrCode code; // of the call that failed, for the log; OK: none did
    bool changed; // the state is another one than before
    Slice holder; // as the Lease says; valid until the next try
} LeaseTry;

// One try to take or to renew: one call, at most three. Blocks. `error` (may be NULL) is filled when code is not OK.
// One thread at a time.
LeaseTry lease_try(Lease *lease, KubeError *error);

// Gives the Lease up, if it is held, so that the next one need not wait: afterwards it is lost. Blocks for two calls.
// Errors are those of the API server; the Lease runs out then.
ErrCode lease_release(Lease *lease, KubeError *error);

// Any thread, at any moment; reads the clock.
bool lease_is_held(const Lease *lease);
// Until when it is held at the least; {0}: it is not.
Mono lease_held_until(const Lease *lease);
// Renewals that needed more than one call (leader_election_slowpath_total).
uint64_t lease_slow_paths(const Lease *lease);
