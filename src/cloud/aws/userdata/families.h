// User data, a function for each form. Private to this folder; user_data_write chooses.
#pragma once

#include "cloud/aws/userdata/userdata.h"

// As user_data_write.
ErrCode user_data_al2(Arena *arena, const UserDataOptions *options, UserData *ret_data, Err *err);
ErrCode user_data_al2023(Arena *arena, const UserDataOptions *options, UserData *ret_data, Err *err);
ErrCode user_data_bottlerocket(Arena *arena, const UserDataOptions *options, UserData *ret_data, Err *err);
ErrCode user_data_windows(Arena *arena, const UserDataOptions *options, UserData *ret_data, Err *err);
