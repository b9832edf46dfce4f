#include "cloud/aws/ami_family.h"

#define WINDOWS(year, build)                                                                                           \
    {                                                                                                                  \
        .name = SLICE_INIT("Windows" year), .honours_pods_per_core = true, .windows_build = SLICE_INIT(build),         \
        .ephemeral_device = SLICE_INIT("/dev/sda1"), .default_storage_gib = 50, .default_volume_count = 1              \
    }
#define AMAZON_LINUX(name_)                                                                                            \
    {                                                                                                                  \
        .name = SLICE_INIT(name_), .reserves_by_eni_pods = true, .honours_pods_per_core = true,                        \
        .limits_pods_by_eni = true, .ephemeral_device = SLICE_INIT("/dev/xvda"), .default_storage_gib = 20,            \
        .default_volume_count = 1                                                                                      \
    }

static const AmiFamily families[] = {
    AMAZON_LINUX("AL2023"),
    AMAZON_LINUX("AL2"),
    {.name = SLICE_INIT("Bottlerocket"),
     .limits_pods_by_eni = true,
     .ephemeral_device = SLICE_INIT("/dev/xvdb"),
     .default_storage_gib = 20,
     .default_volume_count = 2},
    {.name = SLICE_INIT("Custom"),
     .reserves_by_eni_pods = true,
     .honours_pods_per_core = true,
     .limits_pods_by_eni = true,
     .is_custom = true,
     .default_storage_gib = 20,
     .default_volume_count = 1},
    WINDOWS("2019", "10.0.17763"),
    WINDOWS("2022", "10.0.20348"),
    WINDOWS("2025", "10.0.26100"),
};

const AmiFamily *ami_family(Slice name) {
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (slice_eq(families[i].name, name))
            return &families[i];
    }
    return NULL;
}

// Whether `lower` is the lower-case form of `name`: aliases have the family's name in lower case.
static bool is_lower_case_of(Slice lower, Slice name) {
    if (lower.len != name.len)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];

        if (lower.ptr[i] != (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c))
            return false;
    }
    return true;
}

const AmiFamily *ami_family_of_alias(Slice alias) {
    ptrdiff_t at = slice_find(alias, '@');

    for (size_t i = 0; at >= 0 && i < sizeof families / sizeof *families; i++) {
        if (!families[i].is_custom && is_lower_case_of(slice_first(alias, (size_t)at), families[i].name))
            return &families[i];
    }
    return NULL;
}
