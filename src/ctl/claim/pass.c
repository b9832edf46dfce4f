// Helpers of the steps of a pass: the time of the next pass, log lines and events, writing the status.
#include "ctl/claim/pass.h"

#include "model/pool_name.h"
#include "text/value_edit.h"

void claim_pass_wait(ClaimPass *pass, int64_t ns) {
    if (ns < 0)
        ns = 0;
    if (ns < pass->wait_ns)
        pass->wait_ns = ns;
}

int64_t claim_back_off_ns(int64_t first_s, uint32_t times, int64_t most_s) {
    int64_t wait_s = first_s;

    for (uint32_t i = 0; i < times && wait_s < most_s; i++)
        wait_s *= 2;
    return (wait_s < most_s ? wait_s : most_s) * NS_PER_S;
}

void claim_look_up(ClaimPass *pass) {
    Intent *intent = turn_intend(pass->turn, INTENT_GET_INSTANCE);

    intent->provider_id = pass->claim->provider_id;
    intent->tag = pass->claim->meta.uid;
    intent->aside = true;
}

bool claim_pass_tell(ClaimPass *pass, unsigned line) {
    bool first = !(pass->note->told & line);

    pass->note->told |= line;
    return first;
}

LogLevel claim_pass_joined_level(const ClaimPass *pass) {
    Symbol pool = labels_get(&pass->claim->meta.labels, NAME_NODEPOOL);

    return pool_is_provisioner(pass->turn->symbols, pool) ? LOG_DEBUG : LOG_INFO;
}

void claim_pass_event(ClaimPass *pass, const char *reason, Slice message) {
    Turn *turn = pass->turn;

    turn_event(turn, KUBE_NODE_CLAIM, &pass->claim->meta, true, reason, "%.*s", SLICE_ARG(message));
    vec_last(turn->intents)->event.dedupe_key =
        arena_printf(turn->arena, "%s/%.*s", reason, SLICE_ARG(symbol_text(turn->symbols, pass->claim->meta.uid)));
}

void claim_pass_remove(ClaimPass *pass) {
    turn_remove(pass->turn, KUBE_NODE_CLAIM, &pass->claim->meta);
}

static void put_resources(Turn *turn, Value *status, const char *name, const Resources *resources) {
    Value *map = value_put(turn->arena, status, slice_of(name), value_map());

    for (vec_each(const ResourceAmount, entry, resources))
        value_put(turn->arena, map, symbol_text(turn->symbols, entry->resource),
                  value_string(resource_print(turn->arena, entry->resource, entry->amount)));
}

static void put_symbol(Turn *turn, Value *status, const char *name, Symbol symbol) {
    if (symbol != NAME_EMPTY)
        value_put(turn->arena, status, slice_of(name), value_string(symbol_text(turn->symbols, symbol)));
}

void claim_pass_write_status(ClaimPass *pass) {
    Turn *turn = pass->turn;
    Value *body, *status;

    if (!pass->conditions.changed && !pass->launched && pass->node_name == NAME_EMPTY)
        return;
    body = conditions_patch(&pass->conditions);
    status = value_find_text(body, "status");
    put_symbol(turn, status, "nodeName", pass->node_name);
    if (pass->launched) {
        put_symbol(turn, status, "providerID", pass->note->instance.provider_id);
        put_symbol(turn, status, "imageID", pass->note->instance.image_id);
        put_resources(turn, status, "capacity", &pass->note->instance.capacity);
        put_resources(turn, status, "allocatable", &pass->note->instance.allocatable);
    }
    turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, pass->claim->meta.name, KUBE_STATUS, body,
               pass->claim->meta.revision);
}
