// Instances of EC2 as tenon's: what is known of one, from a description or from the answer that launched it, and the
// labels and resources that its NodeClaim gets. Reference aws.md 3.6 to 3.8.
#pragma once

#include "aws/service/ec2_instance.h"
#include "cloud/aws/launch/fleet_answer.h"

// Texts are shared; empty: unknown, or none.
typedef struct {
    Slice id, image_id, type, zone, subnet_id;
    Symbol capacity_type;
    Slice tenancy; // "default", "dedicated"
    Slice reservation_id, reservation_type;
    bool is_interruptible; // its reservation is
    Slice placement_group_id;
    bool has_partitions;       // of the placement group
    int64_t partition;         // 0: not known (yet)
    bool has_efa;              // an interface of EFA is attached
    Slice pool, claim, launch; // of its tags; of one that was just launched, the last two are empty
    Slice provisioner;         // of this cluster, that launched it; also of an instance from before there were Machines
    int64_t launched_ns;
    bool terminating;            // shutting down, or terminated
    bool ended;                  // terminated
    Slice end_code, end_message; // EC2's StateReason: "Client.InternalError"
} InstanceFacts;

// `reserved_capacity`: gate ReservedCapacity; without it nothing counts as reserved. An instance whose reservation took
// it by being open is on demand. `cluster`: the name of ours. O(tags + interfaces).
InstanceFacts instance_described(const Ec2Instance *instance, bool reserved_capacity, Slice cluster);

// An instance of an answer, which is pending. O(interfaces of the class).
InstanceFacts instance_launched(const Fleet *fleet, const FleetInstance *instance, int64_t now_ns);

// `types`: those of its class; a type that is not among them, or NULL, gives no resources and no labels of the type.
// `class` NULL: it is gone, and with it the ids of zones. The result shares nothing but symbols. O(types + labels).
CloudInstance instance_to_cloud(Arena *arena, Symbols *symbols, const InstanceFacts *facts,
                                const InstanceTypeVec *types, const EC2NodeClass *class);
