// Instance profiles that tenon makes for the role of a NodeClass. Reference aws.md 6.3.
//
// The name follows from the class and the role, so that whoever makes a profile finds what a process made that died in
// the middle, and a role that comes back finds its profile again.
#pragma once

#include "aws/call/pages.h"
#include "aws/service/iam.h"
#include "model/ec2_node_class.h"

typedef struct {
    Slice cluster, region;
    Slice class_name, class_uid;
    Slice role;               // as the class has it, perhaps with a path
    const TextEntryVec *tags; // the user's
} ProfileWish;

// Names, and the paths of all of the cluster's and of one class's profiles.
Slice profile_name(Arena *arena, const ProfileWish *wish);
Slice profile_legacy_name(Arena *arena, const ProfileWish *wish);
Slice profile_cluster_path(Arena *arena, const ProfileWish *wish);
Slice profile_class_path(Arena *arena, const ProfileWish *wish);

// What IAM calls the role: what follows the last '/'.
Slice profile_role_name(Slice role);

// Sees to it that there is a profile with the role: `current` (of the status, empty: none) if it is one, else that of
// profile_name, which is made, or gets the role. What could not be completed is deleted again, as well as may be.
// ERR_NOT_FOUND: there is no such role. ERR_CONFLICT: a profile of that name is somebody else's. Further: as aws_call.
// Texts are in `arena`.
ErrCode profile_ensure(AwsClient *client, Arena *arena, const ProfileWish *wish, Slice current, Slice *ret_name,
                       Err *err);

// Takes its roles out of a profile and deletes it. OK: it is gone. Errors: as aws_call.
ErrCode profile_delete(AwsClient *client, Arena *arena, Slice name, Err *err);

// All profiles below a path; of a service that answers others, too, only these. Errors: as aws_pages.
ErrCode profile_list(AwsClient *client, Arena *arena, Slice path, SliceVec *ret_names, Err *err);

// Whether IAM takes the text as the name of a profile.
bool profile_name_is_valid(Slice name);
