// Answers of the API server to the creates of a plan's NodeClaims.
#include "ctl/common/pool_limits.h"
#include "ctl/provision/parts.h"

static void report_created(Provisioner *provisioner, Turn *turn, const RequestedClaim *asked, Slice name) {
    const KnownClaim *claim = known_claim(&provisioner->index, asked->claim);

    turn_log(turn, LOG_INFO, "created nodeclaim", "NodePool", symbol_text(turn->symbols, asked->pool), "NodeClaim",
             arena_slice(turn->arena, name), "requests", arena_slice(turn->arena, asked->requests), "instance-types",
             arena_slice(turn->arena, asked->types), NULL);
    for (vec_each(const uint32_t, number, &claim->pods)) {
        const KnownPod *known = known_pod(&provisioner->index, *number);
        const Pod *pod = state_pod(turn->state, state_find_uid(turn->state, KUBE_POD, known->uid));

        if (pod && known->claim == asked->claim)
            provision_report_nominated(provisioner, turn, pod, symbol_text(turn->symbols, claim->name), (Slice){0});
    }
}

// Handles a create that failed. Without an answer the claim may exist, or come to exist in a moment: no plan is made
// before the NodeClaims were read from the API server, since it would create the claim again and exceed limits.
static void create_failed(Provisioner *provisioner, Turn *turn, const RequestedClaim *asked,
                          const Completion *completion) {
    KnownClaim *claim = known_claim(&provisioner->index, asked->claim);

    provision_report_error(turn, symbol_text(turn->symbols, asked->pool), completion_text(completion));
    launch_budget_give_back(&provisioner->budgets, claim->offering);
    claim->counted = false;
    provision_index_forget_claim(&provisioner->index, asked->claim);
    order_failed(turn, asked->order, completion);
    provisioner->doubtful |= completion_is_doubtful(completion);
    provision_set_retry(provisioner, turn, false);
    provisioner->look_at = provisioner->retry_at = provisioner->read_at =
        mono_after(turn->now, PROVISION_DOUBT_S * NS_PER_S);
}

void provision_created(Provisioner *provisioner, Turn *turn, const Completion *completion) {
    const RequestedClaim *asked;

    CHECK(completion->tag && completion->tag <= provisioner->asked.count && provisioner->answers_left,
          "an answer to a claim that nobody asked for");
    asked = &provisioner->asked.items[completion->tag - 1];
    if (completion->code == OK) {
        Slice name = kube_name(completion->object);
        Symbol symbol = symbol_find(turn->symbols, name); // the claim is in the State unless it was deleted at once

        if (symbol == INDEX_NONE)
            symbol = symbol_intern(turn->symbols, name);
        provision_index_name_claim(&provisioner->index, asked->claim, symbol);
        state_order_made(turn->state, asked->order, symbol);
        report_created(provisioner, turn, asked, name);
        provision_see_claim(provisioner, turn, asked->claim);
    } else {
        create_failed(provisioner, turn, asked, completion);
    }
    if (--provisioner->answers_left)
        return;
    arena_free(&provisioner->round);
    provisioner->round = (Arena){0};
    provisioner->asked.items = NULL;
    provisioner->asked.count = provisioner->asked.capacity = 0;
}
