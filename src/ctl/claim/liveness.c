// Liveness of a NodeClaim: deletes it when it is not launched or not registered in time, and publishes why. Behaviour:
// reference lifecycle.md 2.6.
//
// Times are compared in the API server's clock, which also set the claim's creation and its condition transitions.
#include "ctl/claim/liveness.h"

#include "text/duration.h"

// A condition that a claim has to reach, and what is published when it does not.
typedef struct {
    const char *condition, *reason, *event, *what;
} Stage;

static const Stage launch = {"Launched", "launch_timeout", "LaunchTimeout", "was not launched"};
static const Stage registration = {"Registered", "registration_timeout", "RegistrationTimeout",
                                   "did not register as a node"};

static void tell(ClaimPass *pass, const Stage *stage, int64_t timeout_ns) {
    Turn *turn = pass->turn;
    Slice name = symbol_text(turn->symbols, pass->key.name), timeout = duration_print(turn->arena, timeout_ns);

    if (!claim_pass_tell(pass, TOLD_TIMEOUT))
        return;
    turn_log(turn, LOG_INFO, "terminating due to timeout", "NodeClaim", name, "timeout", timeout, "reason",
             slice_of(stage->reason), NULL);
    claim_pass_event(
        pass, stage->event,
        arena_printf(turn->arena, "NodeClaim %.*s %s within %.*s", SLICE_ARG(name), stage->what, SLICE_ARG(timeout)));
}

// Returns whether the claim is in time; else it is deleted.
static bool is_in_time(ClaimPass *pass, const Stage *stage, int64_t timeout_ns) {
    int64_t since_ns = conditions_get(&pass->conditions, stage->condition)->transition_ns;
    int64_t left_ns = ns_add(since_ns, timeout_ns) - pass->turn->wall_ns;

    if (conditions_is_true(&pass->conditions, stage->condition))
        return true;
    if (left_ns > 0) {
        claim_pass_wait(pass, left_ns);
        return true;
    }
    tell(pass, stage, timeout_ns);
    claim_pass_remove(pass);
    return false;
}

bool claim_check_liveness(ClaimPass *pass) {
    const Settings *settings = pass->turn->settings;

    if (conditions_is_true(&pass->conditions, "Registered"))
        return true;
    return is_in_time(pass, &launch, settings->launch_timeout_ns) &&
           is_in_time(pass, &registration, settings->registration_timeout_ns);
}
