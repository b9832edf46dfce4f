// The parts of a NodeClass: what each asks AWS, and when it asks again.
#include "cloud/aws/lookup/network.h"
#include "cloud/aws/provider/class/profiles.h"
#include "cloud/aws/provider/class/steps.h"
#include "cloud/aws/provider/launches.h"
#include "text/json.h"

static const int64_t NOTHING_FOUND_NS = NS_PER_MIN, RESERVATIONS_NS = NS_PER_MIN, PLACEMENT_NS = NS_PER_MIN,
                     PROFILE_NS = 15 * NS_PER_MIN, NO_ROLE_NS = NS_PER_MIN;

static ClassAnswer is_true(int64_t for_ns) {
    return (ClassAnswer){.status = "True", .for_ns = for_ns};
}

static ClassAnswer is_false(Slice reason, Slice message, int64_t for_ns) {
    return (ClassAnswer){.status = "False", .reason = reason, .message = message, .for_ns = for_ns};
}

// --- images

static ErrCode ask_images(ClassTurn *turn, Arena *arena, ClassAnswer *ret_answer, Err *err) {
    AwsProvider *provider = turn->provider;
    ImageLookup lookup = {provider->client, &provider->classes->parameters, &provider->symbols, turn->facts.minor,
                          turn->now};
    ImagesFound found;

    TRY(lookup_images(&lookup, arena, &turn->class, &found, err));
    if (found.complaint.len) {
        *ret_answer = is_false(SLICE("UnsupportedAlias"), found.complaint, provider->config.settings.ami_refresh_ns);
    } else if (!found.amis.count) {
        *ret_answer = is_false(SLICE("AMINotFound"), SLICE("AMISelector did not match any AMIs"), NOTHING_FOUND_NS);
    } else {
        *ret_answer = is_true(provider->config.settings.ami_refresh_ns);
        ret_answer->amis = found.amis;
    }
    return OK;
}

// --- reservations, placement group

static ErrCode ask_reservations(ClassTurn *turn, Arena *arena, ClassAnswer *ret_answer, Err *err) {
    AwsProvider *provider = turn->provider;
    ReservationsFound found = {0};
    ClassAnswer answer = is_true(RESERVATIONS_NS);
    int64_t left_ns;

    TRY(lookup_reservations(provider->client, arena, &provider->symbols, &turn->class.launch.reservation_terms,
                            turn->now.wall_ns, &found, err));
    if (found.skipped)
        provider_log(provider, AWS_LOG_ERROR, "capacity reservations are passed over", slice_of(turn->record->name),
                     "%u of a type or with match criteria that are not known", found.skipped);
    left_ns = found.next_end_ns - turn->now.wall_ns;
    if (found.next_end_ns && left_ns < answer.for_ns)
        answer.for_ns = left_ns;
    answer.reservations = found.found;
    *ret_answer = answer;
    return OK;
}

// A failure that says something of the class, not of the moment.
static bool is_final(ErrCode code, const AwsOutcome *outcome) {
    return outcome->fault.status != 0 && (code == ERR_INVALID || code == ERR_NOT_FOUND || outcome->kind == AWS_DENIED);
}

static ErrCode ask_placement_group(ClassTurn *turn, Arena *arena, ClassAnswer *ret_answer, Err *err) {
    const PlacementGroupSelector *selector = &turn->class.launch.placement_group;
    AwsOutcome outcome = {0};
    PlacementGroup group = {0};
    ErrCode code;
    Err fault;

    *ret_answer = is_true(PLACEMENT_NS);
    if (!selector->name.len && !selector->id.len)
        return OK;
    code = lookup_placement_group(turn->provider->client, arena, selector, &group, &outcome, &fault);
    if (code == OK) {
        ret_answer->placement = group;
        return OK;
    }
    if (code == ERR_NOT_FOUND && !outcome.fault.status)
        *ret_answer = is_false(SLICE("PlacementGroupNotFound"),
                               SLICE("PlacementGroupSelector did not match any placement group"), PLACEMENT_NS);
    else if (is_final(code, &outcome))
        *ret_answer =
            is_false(SLICE("PlacementGroupResolutionFailed"), // without the request's id, which is never the same
                     arena_printf(arena, "%.*s: %.*s", SLICE_ARG(outcome.fault.code), SLICE_ARG(outcome.fault.message)),
                     PLACEMENT_NS);
    else
        return err_set(err, code, "%s", fault.text);
    return OK;
}

// --- subnets, security groups

static ErrCode ask_subnets(ClassTurn *turn, Arena *arena, ClassAnswer *ret_answer, Err *err) {
    AwsProvider *provider = turn->provider;
    Symbols *symbols = &provider->symbols;
    Ec2SubnetVec found = {0};

    TRY(lookup_subnets(provider->client, arena, &turn->class.launch.subnet_terms, &found, err));
    if (!found.count) {
        *ret_answer =
            is_false(SLICE("SubnetsNotFound"), SLICE("SubnetSelector did not match any Subnets"), NOTHING_FOUND_NS);
        return OK;
    }
    provider_subnets_seen(provider, &found);
    *ret_answer = is_true(provider->config.settings.subnet_refresh_ns);
    for (vec_each(const Ec2Subnet, subnet, &found))
        vec_push(arena, &ret_answer->subnets,
                 (SubnetStatus){symbol_intern(symbols, subnet->subnet_id),
                                symbol_intern(symbols, subnet->availability_zone),
                                symbol_intern(symbols, subnet->availability_zone_id)});
    return OK;
}

static ErrCode ask_groups(ClassTurn *turn, Arena *arena, ClassAnswer *ret_answer, Err *err) {
    AwsProvider *provider = turn->provider;
    SecurityGroupStatusVec found = {0};

    TRY(lookup_groups(provider->client, arena, &turn->class.launch.security_group_terms, &found, err));
    if (!found.count) {
        *ret_answer = is_false(SLICE("SecurityGroupsNotFound"),
                               SLICE("SecurityGroupSelector did not match any SecurityGroups"), NOTHING_FOUND_NS);
        return OK;
    }
    *ret_answer = is_true(provider->config.settings.security_group_refresh_ns);
    ret_answer->groups = found;
    return OK;
}

// --- instance profile

// The answer outlives the turn: the profile that the status had is copied, too.
static ErrCode ask_profile(ClassTurn *turn, Arena *arena, ClassAnswer *ret_answer, Err *err) {
    Slice profile = turn->class.launch.instance_profile;

    if (!profile.len)
        TRY(class_profile(turn, arena, &profile, err));
    *ret_answer = is_true(PROFILE_NS);
    ret_answer->profile = arena_slice(arena, profile);
    return OK;
}

// --- the table, in upstream's order

enum { MEMBERS_MAX = 3 };

typedef struct {
    uint32_t condition;
    const char *what;
    ErrCode (*ask)(ClassTurn *turn, Arena *arena, ClassAnswer *ret_answer, Err *err);
    const char *members[MEMBERS_MAX]; // of the spec: what it depends on
    bool by_version;                  // and on the version of Kubernetes
} PartRow;

static const PartRow rows[] = {
    {CLASS_CONDITION_AMIS, "getting amis", ask_images, {"amiSelectorTerms", "amiFamily"}, true},
    {CLASS_CONDITION_RESERVATIONS,
     "getting capacity reservations",
     ask_reservations,
     {"capacityReservationSelectorTerms"},
     false},
    {CLASS_CONDITION_PLACEMENT_GROUP,
     "getting the placement group",
     ask_placement_group,
     {"placementGroupSelector"},
     false},
    {CLASS_CONDITION_SUBNETS, "getting subnets", ask_subnets, {"subnetSelectorTerms"}, false},
    {CLASS_CONDITION_SECURITY_GROUPS, "getting security groups", ask_groups, {"securityGroupSelectorTerms"}, false},
    {CLASS_CONDITION_INSTANCE_PROFILE,
     "resolving the instance profile",
     ask_profile,
     {"role", "instanceProfile"},
     false},
};

bool class_has_condition(const AwsProvider *provider, uint32_t condition) {
    return condition != CLASS_CONDITION_RESERVATIONS || provider->config.settings.reserved_capacity;
}

static uint64_t key_of(const ClassTurn *turn, const PartRow *row) {
    const Value *spec = value_get_text(&turn->object, "spec");
    Buffer text = {0};
    uint64_t key;

    for (uint32_t i = 0; i < MEMBERS_MAX && row->members[i]; i++) {
        const Value *member = value_get(spec, slice_of(row->members[i]));

        if (member)
            json_print(&text, member, false);
        buffer_printf(&text, "\n");
    }
    if (row->by_version)
        buffer_printf(&text, "%u", turn->facts.minor);
    key = slice_hash(buffer_slice(&text));
    buffer_free(&text);
    return key;
}

// What the part has found replaces what the object's status says.
static void put_found(ClassTurn *turn, uint32_t condition, const ClassAnswer *answer) {
    EC2NodeClass *class = &turn->class;

    if (condition == CLASS_CONDITION_AMIS)
        class->found.amis = answer->amis;
    else if (condition == CLASS_CONDITION_RESERVATIONS)
        class->reservations = answer->reservations;
    else if (condition == CLASS_CONDITION_SUBNETS)
        class->subnets = answer->subnets;
    else if (condition == CLASS_CONDITION_SECURITY_GROUPS)
        class->found.security_groups = answer->groups;
    else if (condition == CLASS_CONDITION_INSTANCE_PROFILE)
        class->found.instance_profile = answer->profile;
}

static void ask(ClassTurn *turn, ClassPart *part, const PartRow *row) {
    ClassAnswer answer = {0};
    Arena arena = {0};
    Err err = {0};
    ErrCode code = row->ask(turn, &arena, &answer, &err);

    if (code != OK) {
        bool waits = row->condition == CLASS_CONDITION_INSTANCE_PROFILE && code == ERR_NOT_FOUND;

        arena_free(&arena);
        err_set(&part->failure, code, "%s: %s", row->what, err.text);
        part->due = mono_after(turn->now.now, waits ? NO_ROLE_NS : 0);
        return;
    }
    arena_free(&part->arena);
    part->arena = arena;
    part->answer = answer;
    part->has_answered = true;
    part->failure.code = OK;
    class_tell_found(turn, part, row->condition);
    part->due = mono_after(turn->now.now, answer.for_ns > 0 ? answer.for_ns : 0);
}

static void ask_if_due(ClassTurn *turn, const PartRow *row) {
    ClassPart *part = &turn->record->parts[row->condition];
    uint64_t key = key_of(turn, row);

    if (part->key != key) { // the answer is to another question, so it is none
        part->key = key;
        part->has_answered = false;
        part->due = (Mono){0};
    }
    if (mono_reached(turn->now.now, part->due))
        ask(turn, part, row);
    if (part->has_answered)
        put_found(turn, row->condition, &part->answer);
}

void class_parts_ask(ClassTurn *turn) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (class_has_condition(turn->provider, rows[i].condition))
            ask_if_due(turn, &rows[i]);
    }
}
