// Liveness: a claim that does not become a Node in time goes, and says so. Reference lifecycle.md 2.6.
//
// The time is the API server's, as are the creation of the claim and the transitions that are compared with it.
#include "ctl/claim/liveness.h"

#include "text/duration.h"

// What a claim has to become, and how it is told when it does not.
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

// Whether the claim is in time; else it is deleted.
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
