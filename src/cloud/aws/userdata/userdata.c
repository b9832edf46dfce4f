// User data by family.
#include "cloud/aws/userdata/families.h"

ErrCode user_data_write(Arena *arena, const UserDataOptions *options, UserData *ret_data, Err *err) {
    const AmiFamily *family = options->family;

    if (family->is_custom) {
        *ret_data = (UserData){.text = options->custom};
        return OK;
    }
    if (family->windows_build.len)
        return user_data_windows(arena, options, ret_data, err);
    if (slice_eq_text(family->name, "Bottlerocket"))
        return user_data_bottlerocket(arena, options, ret_data, err);
    if (slice_eq_text(family->name, "AL2023"))
        return user_data_al2023(arena, options, ret_data, err);
    return user_data_al2(arena, options, ret_data, err);
}
