// Capacity reservations and the placement group that a NodeClass names, asked of EC2. Reference aws.md 2.1, 3.6, 7.1.
#pragma once

#include "aws/call/pages.h"
#include "model/ec2_node_class.h"

typedef struct {
    CapacityReservationVec found; // by id, each once
    uint32_t skipped;             // of a type or with match criteria that tenon does not know
    int64_t next_end_ns;          // wall time at which the first of them ends; 0: none does
} ReservationsFound;

// The active reservations of all terms at that wall time; a term by id that EC2 does not know finds nothing. A request
// for each term. Texts in `arena`. Errors: of aws_pages; all or nothing.
ErrCode lookup_reservations(AwsClient *client, Arena *arena, Symbols *symbols, const Ec2SelectorTermVec *terms,
                            int64_t wall_ns, ReservationsFound *ret_found, Err *err);

typedef struct {
    Slice id;
    uint32_t partitions; // of the strategy "partition", else 0
} PlacementGroup;

// The available placement group of that name or id. ERR_NOT_FOUND: EC2's answer has none. Further: as aws_call, with
// the outcome; of an unknown name EC2 makes a fault.
ErrCode lookup_placement_group(AwsClient *client, Arena *arena, const PlacementGroupSelector *selector,
                               PlacementGroup *ret_group, AwsOutcome *ret_outcome, Err *err);
