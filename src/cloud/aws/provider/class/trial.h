// What the dry runs of a NodeClass try: types, a subnet for each zone, a launch template. Reference aws.md 7.1.
#pragma once

#include "cloud/aws/launch/fleet_request.h"
#include "cloud/aws/provider/class/record.h"
#include "cloud/aws/template/groups.h"

// What is tried: the class's cheapest types, as a launch would choose them, on demand.
typedef struct {
    ClassTurn *turn;
    Arena *arena;   // of the trial
    Arena *answers; // of what is answered
    Symbols symbols;
    const ClassSnapshot *snapshot;
    LaunchChoice choice;
    TemplateGroupVec groups; // one
    ZoneSubnetVec subnets;
    Slice cidr;
    Ec2CreateLaunchTemplateInput template;
    size_t user_data_bytes;
    Labels labels;
} ClassTry;

// Chooses and writes what is tried, from `turn`, `arena`, `symbols` and `snapshot`. ERR_IO: something is not known yet.
// ERR_INVALID: no type, no image that fits, or user data that cannot be written.
ErrCode class_try_prepare(ClassTry *trial, Err *err);
Ec2Owner class_try_owner(const ClassTry *trial);
