// AMI families: the differences between operating systems in how a node's capacity is computed. Behaviour: reference
// aws.md 4.2, 4.3 and the matrix in 5.4.
#pragma once

#include "base/slice.h"

typedef struct {
    Slice name;                // spec.amiFamily
    bool reserves_by_eni_pods; // kube-reserved memory follows the ENI limit, not the actual number of pods
    bool honours_pods_per_core;
    bool limits_pods_by_eni; // else 110 pods
    bool is_custom;
    Slice windows_build;           // node.kubernetes.io/windows-build; empty: Linux
    Slice ephemeral_device;        // the block device of pods' ephemeral storage; empty: unknown
    int64_t default_storage_gib;   // its size when the EC2NodeClass gives none
    uint32_t default_volume_count; // block devices when the EC2NodeClass names none
} AmiFamily;

// The family of that name, or NULL.
const AmiFamily *ami_family(Slice name);
// The family of an alias like "al2023@latest", or NULL; "custom@…" has none.
const AmiFamily *ami_family_of_alias(Slice alias);

// The names of all families, for messages.
#define AMI_FAMILY_NAMES "AL2, AL2023, Bottlerocket, Custom, Windows2019, Windows2022 or Windows2025"
