// CreateFleet for claims that want the same. Reference aws.md 3.4, 3.6.
#pragma once

#include "aws/service/ec2_launch.h"
#include "cloud/aws/launch/pipeline.h"
#include "cloud/aws/launch/subnet_choice.h"
#include "cloud/aws/template/groups.h"

// The tag of instances that has the client token of their launch.
#define LAUNCH_TOKEN_TAG "tenon.sh/launch"

// A fleet that is asked for. Borrowed by the request, and by what reads its answer.
typedef struct {
    const Symbols *symbols;
    const EC2NodeClass *class;
    Ec2Owner owner;
    const LaunchChoice *choice;
    const ZoneSubnetVec *subnets;
    const TemplateGroupVec *groups; // of choice->types
    SliceVec template_names;        // of each group; empty: it has none, and is left out
    SliceVec claims;                // uids of the claims: an instance for each
    SliceVec spent;                 // tokens of their former launches, which a new token must differ from
    Slice placement_group_id;       // empty: none
    bool has_partitions;            // the placement group is one of partitions
    uint32_t partition;             // of them; 0: EC2 chooses
    bool min_values_relaxed;        // annotation karpenter.sh/nodeclaim-min-values-relaxed: the context is left out
    bool price_overlay;             // annotation karpenter.sh/price-overlay-applied: by priority, which is the price
} Fleet;

// Writes the request, with its client token (client_token.h), which the instances have as a tag. An offering is an
// override once for a type and zone, in a zone with a subnet; of a group for a reservation, those of that reservation
// with room. Texts are shared or in `arena`. O(groups × (offerings + overrides²) + request). ERR_INVALID: there is no
// override.
ErrCode fleet_request(Arena *arena, const Fleet *fleet, Ec2CreateFleetInput *ret_input, CloudError *error);
