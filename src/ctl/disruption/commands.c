#include "ctl/disruption/commands.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/uuid.h"

// --- the list

Command *commands_add_empty(CommandList *list, Turn *turn, Slice uuid) {
    Command *command = NEW(Command), **end = &list->first;
    Symbols symbols = {turn->symbols->table, &command->holder};

    command->holder.table = turn->symbols->table;
    command->uuid = symbol_intern(&symbols, uuid);
    command->bound_ns = REPAIR_NO_BOUND;
    while (*end)
        end = &(*end)->next;
    *end = command;
    return command;
}

static void command_free(Command *command) {
    symbol_holder_free(&command->holder);
    arena_free(&command->arena);
    free(command);
}

void commands_remove(CommandList *list, Command *command) {
    Command **at = &list->first;

    while (*at != command)
        at = &(*at)->next;
    *at = command->next;
    command->next = list->ended;
    list->ended = command;
}

void commands_forget(CommandList *list) {
    while (list->ended) {
        Command *command = list->ended;

        list->ended = command->next;
        command_free(command);
    }
}

void commands_free(CommandList *list) {
    while (list->first)
        commands_remove(list, list->first);
    commands_forget(list);
}

Command *commands_find(const CommandList *list, Symbol uuid) {
    Command *command = list->first;

    while (command && command->uuid != uuid)
        command = command->next;
    return command;
}

Command *commands_of_claim(const CommandList *list, Symbol claim_uid) {
    for (Command *command = list->first; command; command = command->next) {
        for (vec_each(const CommandNode, node, &command->nodes)) {
            if (node->claim_uid == claim_uid)
                return command;
        }
    }
    return NULL;
}

Command *commands_awaiting(const CommandList *list, Symbol claim) {
    for (Command *command = list->first; command; command = command->next) {
        for (vec_each(const Symbol, created, &command->created)) {
            if (*created == claim)
                return command;
        }
    }
    return NULL;
}

// --- one command

void command_add_node(Command *command, CommandNode node) {
    symbol_hold(&command->holder, node.claim_uid);
    symbol_hold(&command->holder, node.claim);
    symbol_hold(&command->holder, node.node);
    vec_push(&command->arena, &command->nodes, node);
}

static bool has_symbol(const SymbolVec *list, Symbol symbol) {
    for (vec_each(const Symbol, item, list)) {
        if (*item == symbol)
            return true;
    }
    return false;
}

void command_add_pool(Command *command, Symbol pool) {
    if (has_symbol(&command->pools, pool))
        return;
    symbol_hold(&command->holder, pool);
    vec_push(&command->arena, &command->pools, pool);
}

void command_add_created(Command *command, Symbol claim) {
    symbol_hold(&command->holder, claim);
    vec_push(&command->arena, &command->created, claim);
}

const char *command_decision(const Command *command) {
    return command->replacements ? "replace" : "delete";
}

const char *command_reason(const Command *command) {
    return disrupt_method_word(command->method);
}

// --- what a look found

static void print_pools(const Turn *turn, const Command *command, Buffer *text) {
    for (uint32_t i = 0; i < command->pools.count; i++)
        buffer_printf(text, "%s%.*s", i ? "," : "", SLICE_ARG(symbol_text(turn->symbols, command->pools.items[i])));
}

enum { NAMES_PRINTED_MAX = 20 };

static void print_nodes(const Turn *turn, const Command *command, Buffer *text) {
    for (uint32_t i = 0; i < command->nodes.count && i < NAMES_PRINTED_MAX; i++)
        buffer_printf(text, "%s%.*s", i ? ", " : "",
                      SLICE_ARG(symbol_text(turn->symbols, command->nodes.items[i].node)));
    if (command->nodes.count > NAMES_PRINTED_MAX)
        buffer_printf(text, " and %u other(s)", command->nodes.count - NAMES_PRINTED_MAX);
}

// "Underutilized/<uuid>: replace: nodepools=[a,b]: [n1, n2] -> [1 replacement] (savings: $0.12)"
static void describe(Command *command, const Turn *turn) {
    Buffer text = {0};

    buffer_printf(&text, "%s/%.*s: %s: nodepools=[", command_reason(command),
                  SLICE_ARG(symbol_text(turn->symbols, command->uuid)), command_decision(command));
    print_pools(turn, command, &text);
    buffer_append(&text, SLICE("]: ["));
    print_nodes(turn, command, &text);
    buffer_append(&text, SLICE("]"));
    if (command->replacements)
        buffer_printf(&text, " -> [%u replacement%s]", command->replacements, command->replacements > 1 ? "s" : "");
    buffer_printf(&text, " (savings: $%.2f)", command->saving_per_hour);
    command->text = arena_slice(&command->arena, buffer_slice(&text));
    buffer_free(&text);
}

static void hold_proposed(Command *command, const ProposedClaim *claim) {
    symbol_hold(&command->holder, claim->pool);
    for (vec_each(const Symbol, name, &claim->types))
        symbol_hold(&command->holder, *name);
    for (uint32_t i = 0; i < claim->labels.count; i++) {
        symbol_hold(&command->holder, claim->labels.items[i].key);
        symbol_hold(&command->holder, claim->labels.items[i].value);
    }
}

static void copy_replacements(Command *command, const DisruptCommand *found) {
    for (vec_each(const PlannedClaim, claim, &found->replacements)) {
        vec_push(&command->arena, &command->proposed, proposed_claim_make(&command->arena, claim));
        hold_proposed(command, vec_last(&command->proposed));
    }
}

static void copy_places(Command *command, const DisruptCommand *found) {
    for (vec_each(const DisruptPlace, place, &found->places)) {
        symbol_hold(&command->holder, place->ns);
        symbol_hold(&command->holder, place->name);
        symbol_hold(&command->holder, place->node);
        vec_push(&command->arena, &command->places, *place);
    }
}

static Slice new_uuid(Turn *turn) {
    uint64_t high = random_u64(turn->random), low = random_u64(turn->random);

    return uuid_print(turn->arena, high, low);
}

static Slice cause_of(Command *command, const DisruptFacts *facts, const DisruptCommand *found) {
    const Symbols *symbols = &facts->cluster->symbols;
    const Node *node = facts->nodes.items[found->nodes.items[0]].node;
    const Condition *condition = condition_get(&node->conditions, symbols, slice_of(found->repair->condition));

    return arena_printf(&command->arena, "rebooting for %s/%.*s", found->repair->condition,
                        SLICE_ARG(condition ? symbol_text(symbols, condition->reason) : SLICE("")));
}

Command *commands_add(CommandList *list, Turn *turn, const DisruptFacts *facts, const DisruptCommand *found) {
    Command *command = commands_add_empty(list, turn, new_uuid(turn));

    command->method = found->method;
    command->replacements = found->replacements.count;
    command->pods = found->pods;
    command->bound_ns = found->bound_ns;
    command->reboots = found->reboots;
    if (found->reboots)
        command->cause = cause_of(command, facts, found);
    command->price_per_hour = found->price_per_hour;
    command->saving_per_hour = found->saving_per_hour;
    for (vec_each(const uint32_t, at, &found->nodes)) {
        const NodeView *view = &facts->nodes.items[*at];

        command_add_node(command, (CommandNode){.claim_uid = view->claim->meta.uid,
                                                .claim = view->claim->meta.name,
                                                .node = view->node->meta.name});
        command_add_pool(command, view->pool);
    }
    copy_replacements(command, found);
    copy_places(command, found);
    describe(command, turn);
    return command;
}
