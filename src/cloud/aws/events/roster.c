// Instances by their provider ids.
#include "cloud/aws/events/roster.h"

#include "base/alloc.h"
#include "model/names.h"

void roster_init(Roster *roster, const Symbols *symbols) {
    *roster = (Roster){.holder.table = symbols->table};
}

// Frees a holder's memory without releasing its symbols, because their table may have been freed.
static void drop(SymbolHolder *holder) {
    Arena arena = {0};

    symbol_holder_list(holder, arena_array(&arena, Symbol, holder->count));
    arena_free(&arena);
}

void roster_free(Roster *roster) {
    drop(&roster->holder);
    free(roster->items);
}

static void hold(SymbolHolder *holder, const RosterInstance *instance) {
    const Symbol symbols[] = {instance->provider_id, instance->instance_type, instance->zone, instance->capacity_type,
                              instance->reservation};

    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        if (symbols[i] != NAME_EMPTY)
            symbol_hold(holder, symbols[i]);
    }
}

static void push(Roster *roster, const RosterInstance *instance) {
    GROW(roster->items, roster->capacity, roster->count + 1);
    roster->items[roster->count++] = *instance;
    hold(&roster->holder, instance);
}

static RosterInstance read_instance(const CloudInstance *instance, Mono launched) {
    Symbol reservation = labels_get(&instance->labels, NAME_RESERVATION_ID);

    return (RosterInstance){
        .provider_id = instance->provider_id,
        .instance_type = instance->instance_type,
        .zone = instance->zone,
        .capacity_type = instance->capacity_type,
        .reservation = reservation == INDEX_NONE ? NAME_EMPTY : reservation,
        .launched = launched,
    };
}

void roster_list(Roster *roster, const CloudInstanceVec *instances, Mono now) {
    Roster former = *roster;
    Arena scratch = {0};
    IndexMap listed = {0};

    *roster = (Roster){.holder.table = former.holder.table, .is_listed = true};
    for (vec_each(const CloudInstance, instance, instances)) {
        RosterInstance read = read_instance(instance, (Mono){0});

        push(roster, &read);
        u64_map_put(&scratch, &listed, read.provider_id, 0);
    }
    for (uint32_t i = 0; i < former.count; i++) {
        const RosterInstance *instance = &former.items[i];

        if (mono_since(now, instance->launched) < ROSTER_NEW_FOR_NS &&
            u64_map_get(&listed, instance->provider_id) == INDEX_NONE)
            push(roster, instance);
    }
    symbol_holder_free(&former.holder);
    free(former.items);
    arena_free(&scratch);
}

void roster_add(Roster *roster, const CloudInstance *instance, Mono now) {
    RosterInstance read = read_instance(instance, now);

    push(roster, &read);
}

KnownInstances roster_known(const Roster *roster, Arena *arena, const Symbols *symbols) {
    CloudInstanceVec *instances = arena_new(arena, CloudInstanceVec);

    for (uint32_t i = 0; i < roster->count; i++) {
        const RosterInstance *known = &roster->items[i];
        CloudInstance *instance = vec_add(arena, instances);

        instance->provider_id = known->provider_id;
        instance->instance_type = known->instance_type;
        instance->zone = known->zone;
        instance->capacity_type = known->capacity_type;
        if (known->reservation != NAME_EMPTY)
            labels_set(arena, &instance->labels, NAME_RESERVATION_ID, known->reservation);
    }
    return known_instances(arena, symbols, instances);
}
