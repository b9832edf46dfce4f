// Launch templates: what EC2 is told of the instances of a launch. Reference aws.md 3.5; corrections of 1.15.
//
// A template is made for the instance types of a launch that start from one image with equal settings (groups.h). Its
// name is a hash of all that it contains, so that equal launches share it, whoever makes it.
#pragma once

#include "aws/service/ec2_launch_template.h"
#include "cloud/aws/nodeclass/class_tags.h"
#include "cloud/aws/userdata/userdata.h"
#include "model/objects.h"

// What is the same for all templates of a launch.
typedef struct {
    const Symbols *symbols;
    const EC2NodeClass *class; // as the API server has it, with its status
    const AmiFamily *family;   // of the class
    Ec2Owner owner;            // for the tags
    Slice region;
    Slice cluster_endpoint, ca_bundle, service_cidr, dns_ip; // as in UserDataOptions
    TextEntryVec labels;                                     // of node_labels
    NodeTaintVec taints;                                     // of node_taints
    Symbol capacity_type;
    Slice tenancy;            // "default", "dedicated"
    Slice placement_group_id; // empty: none
    OptionalInt partition;    // of the placement group
    bool reserved_capacity;   // feature gate ReservedCapacity: whether anything is said of capacity reservations
} TemplateFacts;

// The reservation that a template is for; id empty: none.
typedef struct {
    Slice id;
    Slice type; // "default", "capacity-block"
    bool interruptible;
} TemplateReservation;

// What a template differs in from the others of its launch.
typedef struct {
    Slice image_id;
    int64_t max_pods;
    uint32_t efa_count; // interfaces of the type "efa"; 0: the claim asks for none
    TemplateReservation reservation;
} TemplateKey;

// The request that makes the template, but for its client token; texts are shared or in `arena`. ret_user_data_bytes:
// before Base64, at most 16,384 for EC2. O(length). ERR_INVALID: as user_data_write; a volume size that is no quantity.
ErrCode template_write(Arena *arena, const TemplateFacts *facts, const TemplateKey *key,
                       Ec2CreateLaunchTemplateInput *ret_input, size_t *ret_user_data_bytes, Err *err);
