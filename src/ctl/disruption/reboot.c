// The commit of a reboot: from here on nodeclaim.reboot (ctl/node/reboot.c) goes on by what is written. First the
// annotations, so that no death makes tenon forget that a reboot was tried; then, at the revision that these left, the
// conditions.
#include "ctl/common/conditions.h"
#include "ctl/disruption/parts.h"
#include "disrupt/repair/reboots.h"
#include "text/duration.h"
#include "text/value_edit.h"

void disruption_note_reboot(Turn *turn, const Command *command, const NodeClaim *claim) {
    Value *body = arena_new(turn->arena, Value), *annotations;

    *body = value_map();
    annotations = value_make(turn->arena, body, "metadata", "annotations", NULL);
    value_put(turn->arena, annotations, symbol_text(turn->symbols, NAME_REBOOTS),
              value_string(reboots_add(turn->arena, claim, turn->symbols, turn->wall_ns)));
    value_put(turn->arena, annotations, symbol_text(turn->symbols, NAME_REBOOT_BOUND),
              command->bound_ns == REPAIR_NO_BOUND ? value_null()
                                                   : value_string(duration_print(turn->arena, command->bound_ns)));
    value_put(turn->arena, annotations, symbol_text(turn->symbols, NAME_REBOOT_BOOT_ID), value_null());
    turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, claim->meta.name, KUBE_OBJECT, body, 0);
    vec_last(turn->intents)->tag = command->uuid;
}

static const NodeClaim *claim_of(const Turn *turn, const Command *command) {
    return state_node_claim(turn->state,
                            state_find_uid(turn->state, KUBE_NODE_CLAIM, command->nodes.items[0].claim_uid));
}

void disruption_request_reboot(Disruptor *disruptor, Turn *turn, Command *command) {
    const NodeClaim *claim = claim_of(turn, command);
    const char *reason = command_reason(command);
    Conditions conditions;

    if (!claim || claim->meta.deleting)
        return disruption_end(disruptor, turn, command);
    conditions = conditions_open(turn, &claim_condition_rules, &claim->meta, &claim->conditions);
    conditions_set_true_because(&conditions, "DisruptionReason", reason, slice_of(reason));
    conditions_set_true_because(&conditions, "Rebooting", "RebootRequested", command->cause);
    turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, claim->meta.name, KUBE_STATUS, conditions_patch(&conditions),
               claim->meta.revision);
}

void disruption_reboot_requested(Disruptor *disruptor, Turn *turn, Command *command, const Completion *completion) {
    if (completion->code == OK)
        disruption_report_reboot(turn, command);
    disruption_end(disruptor, turn, command); // after a conflict repair finds it again
}
