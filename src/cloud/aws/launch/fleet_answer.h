// What the answer to CreateFleet means: instances for claims, and what EC2 has none of. Reference aws.md 2.2, 2.6, 3.3.
//
// One answer can have both. Errors count in any case; the claims that got no instance learn why.
#pragma once

#include "cloud/aws/launch/fleet_request.h"
#include "cloud/aws/launch/unavailable.h"

// An instance that was launched. Texts are shared with the answer and the request.
typedef struct {
    Slice claim; // uid; empty: there are more instances than claims, and this one is to be terminated
    Slice id, type, zone, subnet_id, image_id;
    const TemplateGroup *group; // that it is of; NULL: the answer names a template that was not asked for
} FleetInstance;
typedef Vec(FleetInstance) FleetInstanceVec;

// Why EC2 launched nothing of an offering, or of all.
typedef struct {
    Slice reason, zone; // zone empty: none is named
} FleetFailure;
typedef Vec(FleetFailure) FleetFailureVec;

typedef struct {
    FleetInstanceVec instances;
    UnavailableMarkVec marks;     // for the book of what is unavailable
    SymbolVec empty_subnets;      // for the book of subnets: no addresses left
    SymbolVec empty_reservations; // they have no room left
    FleetFailureVec failures;     // of each error, for the metric of failures
    bool template_is_lost;        // no instance, for want of a launch template: try once more with new ones
    bool spot_role_is_denied;     // worth an event of the NodeClaims
    CloudError error;             // of the claims without an instance; code OK: there is none
} FleetReading;

// Instances, by id, go to claims, by uid: whoever finds the instances again by the tag of the token deals them in the
// same way. O((instances + errors) × (types + offerings)). The error's code is ERR_CAPACITY where all that EC2 named is
// want of capacity or of the right to spot; otherwise the launch is to be tried again.
void fleet_answer(Arena *arena, Symbols *symbols, const Fleet *fleet, const Ec2CreateFleetOutput *output,
                  FleetReading *ret_result);

// The same of a call that was refused as a whole, which says nothing of offerings, whatever its code.
void fleet_refused(Arena *arena, const AwsFault *fault, FleetReading *ret_result);

// The subnets of the instances, and what these take, for subnets_settle. O(instances × types).
SubnetUseVec fleet_used_subnets(Arena *arena, Symbols *symbols, const Fleet *fleet, const FleetReading *result,
                                bool is_ipv6);
