// Reservations and placement groups.
#include "cloud/aws/lookup/reserved.h"

#include "cloud/aws/events/reservations.h"
#include "cloud/aws/filters.h"

#include <stdlib.h>

enum { PAGE = 1000, PARTITIONS_MAX = 7 };

typedef struct {
    Arena *arena;
    Symbols *symbols;
    int64_t wall_ns;
    ReservationsFound *found;
} ReservationPages;

static bool is_known_word(Slice word, const char *one, const char *other) {
    return slice_eq_text(word, one) || slice_eq_text(word, other);
}

static bool is_understood(const Ec2CapacityReservation *reservation) {
    return reservation->capacity_reservation_id.len && reservation->instance_type.len &&
           reservation->availability_zone.len &&
           is_known_word(reservation->instance_match_criteria, "open", "targeted") &&
           (!reservation->reservation_type.len ||
            is_known_word(reservation->reservation_type, "default", "capacity-block"));
}

static bool is_listed(const CapacityReservationVec *list, Symbol id) {
    for (vec_each(const CapacityReservation, other, list)) {
        if (other->id == id)
            return true;
    }
    return false;
}

static void take_reservation(ReservationPages *pages, const Ec2CapacityReservation *reservation) {
    ReservationsFound *found = pages->found;
    CapacityReservation read;

    if (!is_understood(reservation)) {
        found->skipped++;
        return;
    }
    read = reservation_read(pages->arena, pages->symbols, reservation, pages->wall_ns);
    if (is_listed(&found->found, read.id))
        return;
    vec_push(pages->arena, &found->found, read);
    if (read.end_ns > pages->wall_ns && (!found->next_end_ns || read.end_ns < found->next_end_ns))
        found->next_end_ns = read.end_ns;
}

static bool take_page(void *context, const void *output) {
    const Ec2DescribeCapacityReservationsOutput *page = output;

    for (vec_each(const Ec2CapacityReservation, reservation, &page->capacity_reservations))
        take_reservation(context, reservation);
    return true;
}

static Ec2DescribeCapacityReservationsInput request_of(Arena *arena, const Ec2SelectorTerm *term) {
    Ec2DescribeCapacityReservationsInput input = {0};

    ec2_filter_add(arena, &input.filters, SLICE("state"), SLICE("active"));
    if (term->id.len) { // EC2 refuses a number of results beside ids
        vec_push(arena, &input.capacity_reservation_ids, term->id);
        return input;
    }
    if (term->owner_id.len)
        ec2_filter_add(arena, &input.filters, SLICE("owner-id"), term->owner_id);
    if (term->match_criteria.len)
        ec2_filter_add(arena, &input.filters, SLICE("instance-match-criteria"), term->match_criteria);
    ec2_filter_add_tags(arena, &input.filters, &term->tags);
    input.max_results = aws_integer(PAGE);
    return input;
}

static int by_id(const void *a, const void *b, void *symbols) {
    return symbol_cmp(symbols, ((const CapacityReservation *)a)->id, ((const CapacityReservation *)b)->id);
}

ErrCode lookup_reservations(AwsClient *client, Arena *arena, Symbols *symbols, const Ec2SelectorTermVec *terms,
                            int64_t wall_ns, ReservationsFound *ret_found, Err *err) {
    ReservationsFound found = {0};
    ReservationPages pages = {arena, symbols, wall_ns, &found};
    AwsPageVisitor visitor = {take_page, &pages};

    for (vec_each(const Ec2SelectorTerm, term, terms)) {
        Ec2DescribeCapacityReservationsInput input = request_of(arena, term);
        AwsOutcome outcome = {0};
        ErrCode code =
            aws_pages(client, arena, &ec2_describe_capacity_reservations, &input, NULL, &visitor, &outcome, err);

        if (code != OK && outcome.kind != AWS_NOT_FOUND)
            return code;
    }
    if (found.found.count)
        qsort_r(found.found.items, found.found.count, sizeof *found.found.items, by_id, symbols);
    *ret_found = found;
    return OK;
}

static uint32_t partitions_of(const Ec2PlacementGroup *group) {
    AwsInteger count = group->partition_count;

    if (!slice_eq_text(group->strategy, "partition") || !count.has || count.value < 0)
        return 0;
    return count.value < PARTITIONS_MAX ? (uint32_t)count.value : PARTITIONS_MAX;
}

ErrCode lookup_placement_group(AwsClient *client, Arena *arena, const PlacementGroupSelector *selector,
                               PlacementGroup *ret_group, AwsOutcome *ret_outcome, Err *err) {
    Ec2DescribePlacementGroupsInput input = {0};
    Ec2DescribePlacementGroupsOutput output;

    ec2_filter_add(arena, &input.filters, SLICE("state"), SLICE("available"));
    if (selector->id.len)
        vec_push(arena, &input.group_ids, selector->id);
    else
        vec_push(arena, &input.group_names, selector->name);
    TRY(aws_call(client, arena, &ec2_describe_placement_groups, &input, NULL, &output, ret_outcome, err));
    for (vec_each(const Ec2PlacementGroup, group, &output.placement_groups)) {
        if (!group->group_id.len)
            continue;
        *ret_group = (PlacementGroup){arena_slice(arena, group->group_id), partitions_of(group)};
        return OK;
    }
    return err_set(err, ERR_NOT_FOUND, "there is no available placement group of that name");
}
