// What the parts of a NodeClass have found, for the log: when it is something else than before.
#include "cloud/aws/provider/class/steps.h"

enum { NAMED_MAX = 10 };

typedef struct {
    uint64_t digest; // of all ids in any order
    uint32_t count;
    Buffer text; // the first ones
} Named;

static void name(Named *named, Slice id) {
    named->digest += slice_hash(id);
    if (named->count++ < NAMED_MAX)
        buffer_printf(&named->text, "%s%.*s", named->count > 1 ? ", " : "", SLICE_ARG(id));
}

static void name_amis(const ClassTurn *turn, const ClassAnswer *answer, Named *named) {
    (void)turn;
    for (vec_each(const AmiStatus, ami, &answer->amis))
        name(named, ami->id);
}

static void name_reservations(const ClassTurn *turn, const ClassAnswer *answer, Named *named) {
    for (vec_each(const CapacityReservation, reservation, &answer->reservations))
        name(named, symbol_text(&turn->provider->symbols, reservation->id));
}

static void name_placement_group(const ClassTurn *turn, const ClassAnswer *answer, Named *named) {
    (void)turn;
    if (answer->placement.id.len)
        name(named, answer->placement.id);
}

static void name_subnets(const ClassTurn *turn, const ClassAnswer *answer, Named *named) {
    for (vec_each(const SubnetStatus, subnet, &answer->subnets))
        name(named, symbol_text(&turn->provider->symbols, subnet->id));
}

static void name_groups(const ClassTurn *turn, const ClassAnswer *answer, Named *named) {
    (void)turn;
    for (vec_each(const SecurityGroupStatus, group, &answer->groups))
        name(named, group->id);
}

void class_tell_found(const ClassTurn *turn, ClassPart *part, uint32_t condition) {
    static const struct {
        const char *message; // NULL: upstream says nothing
        void (*name)(const ClassTurn *turn, const ClassAnswer *answer, Named *named);
    } rows[CLASS_CONDITION_COUNT] = {
        [CLASS_CONDITION_AMIS] = {"discovered amis", name_amis},
        [CLASS_CONDITION_RESERVATIONS] = {"discovered capacity reservations", name_reservations},
        [CLASS_CONDITION_PLACEMENT_GROUP] = {"discovered placement group", name_placement_group},
        [CLASS_CONDITION_SUBNETS] = {"discovered subnets", name_subnets},
        [CLASS_CONDITION_SECURITY_GROUPS] = {"discovered security groups", name_groups},
    };
    Named named = {0};

    if (!rows[condition].message)
        return;
    rows[condition].name(turn, &part->answer, &named);
    if (named.count > NAMED_MAX)
        buffer_printf(&named.text, " and %u other(s)", named.count - NAMED_MAX);
    if (named.count && named.digest != part->told)
        provider_log(turn->provider, AWS_LOG_DEBUG, rows[condition].message, slice_of(turn->record->name), "%.*s",
                     SLICE_ARG(buffer_slice(&named.text)));
    part->told = named.digest;
    buffer_free(&named.text);
}
