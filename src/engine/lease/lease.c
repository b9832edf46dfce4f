// A process's view of the Lease, and its tries to take, renew and release it.
#include "engine/lease/lease.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/random.h"
#include "base/uuid.h"
#include "engine/shared.h"
#include "text/duration.h"
#include "text/value_edit.h"

#include <stdatomic.h>

enum {
    WAIT_JITTER_MS = 1000,  // candidates read every 2 to 3 s
    EXPIRY_JITTER_MS = 200, // candidates that see the Lease expire at the same moment do not all try at once
};

struct Lease {
    LeaseConfig config;
    Arena texts;
    Random random;
    atomic_int state;
    _Atomic int64_t held_until; // Mono.ns; of LEASE_HELD
    atomic_uint_least64_t slow_paths;
    // Used by the thread that tries:
    Arena arena; // of `seen`
    Value seen;  // the Lease as last read, whole
    bool has_seen;
    Mono changed; // when its spec was first seen in its present form
};

// --- making

Lease *lease_new(const LeaseConfig *config) {
    Lease *lease = NEW(Lease);

    CHECK(config->identity.len && config->identity.len <= LEASE_IDENTITY_MAX, "an identity of %zu bytes",
          config->identity.len);
    lease->config = *config;
    lease->config.ns = arena_slice(&lease->texts, config->ns);
    lease->config.name = arena_slice(&lease->texts, config->name);
    lease->config.identity = arena_slice(&lease->texts, config->identity);
    random_seed(&lease->random, config->seed);
    atomic_init(&lease->state, LEASE_WAITING);
    atomic_init(&lease->held_until, 0);
    atomic_init(&lease->slow_paths, 0);
    return lease;
}

void lease_free(Lease *lease) {
    if (!lease)
        return;
    arena_free(&lease->arena);
    arena_free(&lease->texts);
    free(lease);
}

Slice lease_identity(Arena *arena, Slice host, uint64_t random_high, uint64_t random_low) {
    Slice uuid = uuid_print(arena, random_high, random_low);

    host = slice_first(host, LEASE_IDENTITY_MAX - uuid.len - 1);
    return arena_printf(arena, "%.*s_%.*s", SLICE_ARG(host), SLICE_ARG(uuid));
}

// --- reading

static LeaseState state_of(const Lease *lease) {
    return (LeaseState)atomic_load(&lease->state);
}

static Mono now_of(const Lease *lease) {
    return clock_now(lease->config.clock);
}

bool lease_is_held(const Lease *lease) {
    return !mono_reached(now_of(lease), lease_held_until(lease));
}

static Mono held_until(const Lease *lease) {
    return (Mono){atomic_load(&lease->held_until)};
}

Mono lease_held_until(const Lease *lease) {
    return state_of(lease) == LEASE_HELD ? held_until(lease) : (Mono){0};
}

uint64_t lease_slow_paths(const Lease *lease) {
    return atomic_load(&lease->slow_paths);
}

static Slice holder_of(const Lease *lease) {
    return lease->has_seen ? kube_text(&lease->seen, "spec", "holderIdentity", NULL) : SLICE("");
}

static bool is_mine(const Lease *lease) {
    return slice_eq(holder_of(lease), lease->config.identity);
}

// When the Lease expires: its duration after its last change.
static Mono expires(const Lease *lease) {
    const Value *seconds = value_at(&lease->seen, "spec", "leaseDurationSeconds", NULL);
    int64_t duration_s = 0;

    if (seconds)
        value_to_int64(seconds, &duration_s);
    if (duration_s < 0 || duration_s > INT32_MAX)
        duration_s = LEASE_DURATION_S;
    return mono_after(lease->changed, duration_s * NS_PER_S);
}

// Takes in the Lease as the API server has it now. Only a changed spec is a sign of life: anybody may write labels.
static void see(Lease *lease, const Value *object) {
    Arena arena = {0};
    Value copy = value_copy(&arena, object);
    const Value *before = value_get_text(&lease->seen, "spec"), *spec = value_get_text(&copy, "spec");

    if (!lease->has_seen || !before != !spec || (spec && !value_eq(before, spec)))
        lease->changed = now_of(lease);
    arena_free(&lease->arena);
    lease->arena = arena;
    lease->seen = copy;
    lease->has_seen = true;
}

// --- writing

static Value micro_time(Arena *arena, int64_t ns) {
    Slice seconds = time_print(arena, ns);

    return value_string(
        arena_printf(arena, "%.*s.%06dZ", (int)seconds.len - 1, seconds.ptr, (int)(ns % NS_PER_S / 1000)));
}

static int64_t transitions_of(const Value *spec) {
    const Value *number = value_get_text(spec, "leaseTransitions");
    int64_t transitions = 0;

    if (number)
        value_to_int64(number, &transitions);
    return transitions >= 0 && transitions < INT32_MAX ? transitions : 0;
}

// Writes the spec of a holder. A new holder sets acquireTime and the number of transitions; other fields are kept.
static void write_spec(Lease *lease, Arena *arena, Value *object, Slice holder, int64_t duration_s) {
    bool renews = is_mine(lease) && holder.len;
    Value now = micro_time(arena, clock_wall_ns(lease->config.clock)), *spec = value_make(arena, object, "spec", NULL);
    int64_t transitions = transitions_of(spec);

    if (lease->has_seen && !is_mine(lease))
        transitions++;
    value_put(arena, spec, SLICE("holderIdentity"), value_string(holder));
    value_put(arena, spec, SLICE("leaseDurationSeconds"), value_int(arena, duration_s));
    if (!renews || !value_get_text(spec, "acquireTime"))
        value_put(arena, spec, SLICE("acquireTime"), now);
    value_put(arena, spec, SLICE("renewTime"), now);
    value_put(arena, spec, SLICE("leaseTransitions"), value_int(arena, transitions));
}

static ErrCode create(Lease *lease, KubeError *error) {
    Arena arena = {0};
    Value object = value_map(), written, *meta;
    ErrCode code;

    value_put(&arena, &object, SLICE("apiVersion"), value_string(SLICE("coordination.k8s.io/v1")));
    value_put(&arena, &object, SLICE("kind"), value_string(SLICE("Lease")));
    meta = value_make(&arena, &object, "metadata", NULL);
    value_put(&arena, meta, SLICE("namespace"), value_string(lease->config.ns));
    value_put(&arena, meta, SLICE("name"), value_string(lease->config.name));
    lease->has_seen = false;
    write_spec(lease, &arena, &object, lease->config.identity, LEASE_DURATION_S);
    code = kube_create(lease->config.kube, &arena, ENGINE_MANAGER, KUBE_LEASE, &object, &written, error);
    if (code == OK)
        see(lease, &written);
    arena_free(&arena);
    return code;
}

// Updates the Lease, with the resourceVersion that was last read as precondition.
static ErrCode update(Lease *lease, Slice holder, int64_t duration_s, KubeError *error) {
    Arena arena = {0};
    Value object = value_copy(&arena, &lease->seen), written;
    ErrCode code;

    write_spec(lease, &arena, &object, holder, duration_s);
    code = kube_update(lease->config.kube, &arena, ENGINE_MANAGER, KUBE_LEASE, KUBE_OBJECT, &object, &written, error);
    if (code == OK)
        see(lease, &written);
    arena_free(&arena);
    return code;
}

static ErrCode read_lease(Lease *lease, KubeError *error) {
    KubeRef ref = {KUBE_LEASE, lease->config.ns, lease->config.name};
    Arena arena = {0};
    Value object;
    ErrCode code = kube_get(lease->config.kube, &arena, ref, &object, error);

    if (code == OK)
        see(lease, &object);
    arena_free(&arena);
    return code;
}

// --- one try

// Result of a try: held by this process, held by another, or (code) unknown.
typedef struct {
    ErrCode code;
    bool ours, others;
} Finding;

static Finding renew_fast(Lease *lease, KubeError *error) {
    ErrCode code = update(lease, lease->config.identity, LEASE_DURATION_S, error);

    return (Finding){.code = code, .ours = code == OK};
}

static bool is_taken(const Lease *lease) {
    return holder_of(lease).len && !is_mine(lease);
}

// Reads the Lease and takes it if it is free. An update whose answer was lost shows here: the Lease carries this
// process's name, or has a newer revision of it.
static Finding read_and_take(Lease *lease, KubeError *error) {
    bool held = state_of(lease) == LEASE_HELD;
    ErrCode code = read_lease(lease, error);
    bool stands = is_taken(lease) && (held || !mono_reached(now_of(lease), expires(lease)));

    // A Lease that was deleted counts as last seen until it expires: its holder may not have noticed yet.
    if (stands && (code == OK || code == ERR_NOT_FOUND))
        return (Finding){.others = true};
    if (code == ERR_NOT_FOUND)
        code = create(lease, error);
    else if (code == OK)
        code = update(lease, lease->config.identity, LEASE_DURATION_S, error);
    return (Finding){.code = code, .ours = code == OK};
}

static Finding look(Lease *lease, KubeError *error) {
    Finding finding;

    if (state_of(lease) != LEASE_HELD)
        return read_and_take(lease, error);
    finding = renew_fast(lease, error);
    if (finding.ours)
        return finding;
    atomic_fetch_add(&lease->slow_paths, 1);
    if (mono_reached(now_of(lease), held_until(lease)))
        return finding;
    return read_and_take(lease, error);
}

// Derives the state from the result of a try. A lease that has expired is lost even when a late answer confirms it,
// since others were told of the loss.
static LeaseState decide(Lease *lease, Finding finding, Mono sent) {
    Mono now = now_of(lease), until = mono_after(sent, (LEASE_RENEW_DEADLINE_S + LEASE_RETRY_S) * NS_PER_S);

    if (state_of(lease) == LEASE_HELD) {
        if (finding.others || mono_reached(now, held_until(lease)))
            return LEASE_LOST;
        if (finding.ours)
            atomic_store(&lease->held_until, until.ns);
        return LEASE_HELD;
    }
    if (!finding.ours || mono_reached(now, until))
        return LEASE_WAITING;
    atomic_store(&lease->held_until, until.ns);
    return LEASE_HELD;
}

static int64_t jitter_ns(Lease *lease, uint32_t at_most_ms) {
    return (int64_t)random_below(&lease->random, at_most_ms + 1) * NS_PER_MS;
}

static Mono next_try(Lease *lease, LeaseState state) {
    Mono now = now_of(lease), next = mono_after(now, LEASE_RETRY_S * NS_PER_S), expiry;

    if (state == LEASE_LOST)
        return MONO_END;
    if (state == LEASE_HELD)
        return next;
    next = mono_after(next, jitter_ns(lease, WAIT_JITTER_MS));
    if (!lease->has_seen || !is_taken(lease))
        return next;
    expiry = mono_after(expires(lease), jitter_ns(lease, EXPIRY_JITTER_MS));
    return mono_reached(now, expiry) ? next : mono_first(expiry, next);
}

LeaseTry lease_try(Lease *lease, KubeError *error) {
    LeaseState before = state_of(lease), state;
    Mono sent = now_of(lease);
    Finding finding = {0};

    if (before == LEASE_LOST)
        return (LeaseTry){.state = LEASE_LOST, .next = MONO_END};
    if (before == LEASE_WAITING || !mono_reached(sent, held_until(lease)))
        finding = look(lease, error);
    if (error && finding.code == OK)
        *error = (KubeError){0}; // an error on the way to a success does not matter
    state = decide(lease, finding, sent);
    atomic_store(&lease->state, (int)state);
    return (LeaseTry){.state = state,
                      .next = next_try(lease, state),
                      .code = finding.code,
                      .changed = state != before,
                      .holder = holder_of(lease)};
}

// --- release

ErrCode lease_release(Lease *lease, KubeError *error) {
    bool held = lease_is_held(lease);
    ErrCode code;

    atomic_store(&lease->state, LEASE_LOST);
    if (!held)
        return OK;
    code = read_lease(lease, error); // the answer to an update may have been lost: read the latest revision first
    if (code != OK || !is_mine(lease))
        return code == ERR_NOT_FOUND ? OK : code;
    return update(lease, SLICE(""), 1, error);
}
