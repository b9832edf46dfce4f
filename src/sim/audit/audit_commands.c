// Commands by their records, and claims.
#include "sim/audit/audit_commands.h"

#include "model/names.h"
#include "sim/audit/audit_facts.h"
#include "text/duration.h"

// How long the writes that start a command take at most; one without replacements is over then, too.
static const int64_t START_NS = 10 * NS_PER_S;

// --- claims

AuditClaim *audit_claim(Audit *audit, const NodeClaim *claim) {
    uint32_t slot = u64_map_get(&audit->claim_slots, claim->meta.uid);
    AuditClaim *made;

    if (slot != INDEX_NONE)
        return audit->claims.items[slot];
    made = arena_new(&audit->arena, AuditClaim);
    *made = (AuditClaim){.uid = claim->meta.uid, .name = claim->meta.name};
    symbol_hold(&audit->symbols, made->uid);
    symbol_hold(&audit->symbols, made->name);
    u64_map_put(&audit->arena, &audit->claim_slots, made->uid, audit->claims.count);
    vec_push(&audit->arena, &audit->claims, made);
    return made;
}

int64_t audit_price(const Audit *audit, const AuditClaim *claim) {
    const Symbols *symbols = world_symbols(audit->world);
    uint32_t number = sim_cloud_find_instance(audit->cloud, claim->provider_id);
    const SimInstance *instance = number == UINT32_MAX ? NULL : sim_cloud_instance(audit->cloud, number);

    if (!instance)
        return -1;
    return sim_cloud_known_price(audit->cloud, symbol_text(symbols, instance->instance_type),
                                 symbol_text(symbols, instance->zone), symbol_text(symbols, instance->capacity_type));
}

// --- records

// "<uuid>/candidate/awaits-<n>", perhaps with more behind it, or "<uuid>/replacement/joins".
static bool read_record(Slice text, AuditRecord *ret_record) {
    static const Slice awaits = SLICE_INIT("candidate/awaits-");
    ptrdiff_t slash = slice_find(text, '/');
    int64_t number = 0;
    Slice rest;

    if (slash <= 0)
        return false;
    *ret_record = (AuditRecord){.uuid = slice_first(text, (size_t)slash)};
    rest = slice_from(text, (size_t)slash + 1);
    if (!slice_starts_with(rest, awaits))
        return slice_eq(rest, SLICE("replacement/joins"));
    rest = slice_from(rest, awaits.len);
    slash = slice_find(rest, '/');
    if (!slice_to_int64(slash < 0 ? rest : slice_first(rest, (size_t)slash), &number) || number < 0 ||
        number > UINT16_MAX)
        return false;
    ret_record->is_candidate = true;
    ret_record->awaited = (uint32_t)number;
    return true;
}

bool audit_record(const Audit *audit, const ObjectMeta *meta, AuditRecord *ret_record) {
    const Symbols *symbols = world_symbols(audit->world);
    Symbol key = symbol_find(symbols, SLICE("tenon.sh/command"));
    Symbol text = key == INDEX_NONE ? INDEX_NONE : labels_get(&meta->annotations, key);

    return text != INDEX_NONE && read_record(symbol_text(symbols, text), ret_record);
}

// --- commands

AuditCommand *audit_command(Audit *audit, Slice uuid) {
    Symbols symbols = {.table = audit->symbols.table, .holder = &audit->symbols};
    Symbol name = symbol_intern(&symbols, uuid);
    uint32_t slot = u64_map_get(&audit->command_slots, name);
    AuditCommand *made;

    if (slot != INDEX_NONE)
        return audit->commands.items[slot];
    made = arena_new(&audit->arena, AuditCommand);
    *made = (AuditCommand){.uuid = name, .reason = DISRUPTION_REASON_COUNT};
    u64_map_put(&audit->arena, &audit->command_slots, name, audit->commands.count);
    vec_push(&audit->arena, &audit->commands, made);
    return made;
}

void audit_command_add(Audit *audit, AuditCommand *command, AuditClaim *candidate, uint32_t awaited) {
    int64_t price_nano = audit_price(audit, candidate);

    if (!command->begun_ns)
        command->begun_ns = world_now_ns(audit->world);
    command->awaited = awaited;
    command->price_nano = price_nano < 0 || command->price_nano < 0 ? -1 : command->price_nano + price_nano;
    candidate->candidate_of = command;
    vec_push(&audit->arena, &command->candidates, candidate);
}

void audit_command_leave(AuditClaim *candidate) {
    AuditClaimVec *all = &candidate->candidate_of->candidates;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < all->count; i++) {
        if (all->items[i] != candidate)
            all->items[kept++] = all->items[i];
    }
    all->count = kept;
    candidate->candidate_of = NULL;
}

void audit_command_add_replacement(Audit *audit, AuditCommand *command, AuditClaim *replacement) {
    replacement->replacement_of = command;
    vec_push(&audit->arena, &command->replacements, replacement);
}

uint32_t audit_command_living(const AuditCommand *command) {
    uint32_t count = 0;

    for (vec_each(AuditClaim *const, replacement, &command->replacements))
        count += !(*replacement)->lost_ns;
    return count;
}

uint32_t audit_command_ready(const Audit *audit, const AuditCommand *command) {
    uint32_t count = 0;

    for (vec_each(AuditClaim *const, replacement, &command->replacements)) {
        const AuditClaim *claim = *replacement;

        count += claim->initialized_ns && (!claim->lost_ns || !audit_is_old(audit, claim->lost_ns));
    }
    return count;
}

bool audit_command_lives(const Audit *audit, const AuditCommand *command) {
    if (command->awaited && audit_command_living(command) >= command->awaited)
        return true;
    return command->begun_ns >= audit->excused_ns && world_now_ns(audit->world) - command->begun_ns < START_NS;
}
