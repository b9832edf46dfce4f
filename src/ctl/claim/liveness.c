// Liveness: a claim that does not become a Node in time goes. Reference lifecycle.md 2.6.
#include "ctl/claim/liveness.h"

#include "text/duration.h"

// Whether the condition is in time; else the claim is deleted.
static bool is_in_time(ClaimPass *pass, const char *condition, int64_t timeout_ns, const char *reason) {
    int64_t deadline_ns = conditions_get(&pass->conditions, condition)->transition_ns + timeout_ns;
    Turn *turn = pass->turn;

    if (conditions_is_true(&pass->conditions, condition))
        return true;
    if (turn->now_ns < deadline_ns) {
        claim_pass_wait(pass, deadline_ns);
        return true;
    }
    if (claim_pass_tell(pass, TOLD_TIMEOUT))
        turn_log(turn, LOG_DEBUG, "terminating due to timeout", "NodeClaim", symbol_text(turn->symbols, pass->key.name),
                 "timeout", duration_print(turn->arena, timeout_ns), "reason", slice_of(reason), NULL);
    claim_pass_remove(pass);
    return false;
}

bool claim_check_liveness(ClaimPass *pass) {
    const Settings *settings = pass->turn->settings;

    if (conditions_is_true(&pass->conditions, "Registered"))
        return true;
    return is_in_time(pass, "Launched", settings->launch_timeout_ns, "launch_timeout") &&
           is_in_time(pass, "Registered", settings->registration_timeout_ns, "registration_timeout");
}
