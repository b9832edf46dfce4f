// Instance profiles: made for classes, deleted with them, collected when nothing needs them. Reference aws.md 6.3, 7.4.
#pragma once

#include "cloud/aws/provider/class/record.h"

// As profile_ensure, for the class of the turn; what it was and what it will be is not collected for an hour.
ErrCode class_profile(ClassTurn *turn, Arena *arena, Slice *ret_name, Err *err);
// Deletes the profiles that were made for a class. ERR_*: some could not be.
ErrCode provider_profiles_delete(AwsProvider *provider, Arena *arena, Slice class_name, Slice uid, CloudError *error);
// CLOUD_REFRESH_PROFILES: deletes those of this cluster that no class and no NodeClaim names.
ErrCode provider_profiles_refresh(AwsProvider *provider, CloudError *error);
