// Where the ids of the images stand that AWS makes for an alias: parameters of the Systems Manager. Reference
// aws.md 5.1, 5.2.
#pragma once

#include "cloud/aws/ami_family.h"

#include "base/vec.h"

// What an image is made for; each is a set of requirements on instance types.
typedef enum {
    AMI_STANDARD = 1 << 0, // no GPU, no accelerator
    AMI_NVIDIA = 1 << 1,   // some GPU
    AMI_NEURON = 1 << 2,   // some accelerator
    AMI_WINDOWS = 1 << 3,  // the family's build of Windows
} AmiVariant;

enum { AMI_VARIANTS = 4 };

typedef struct {
    Slice path;
    uint32_t variants; // that the image serves
    bool is_mutable;   // what it holds changes with each release
} AmiParameter;
typedef Vec(AmiParameter) AmiParameterVec;

// Why the alias's family has no images for Kubernetes 1.<minor>; empty: it has (condition AMIsReady, reason
// UnsupportedAlias).
Slice ami_alias_complaint(Arena *arena, const AmiFamily *family, uint32_t minor);

// The parameters to ask for. `version`: what the alias has behind '@'; "latest" for the newest. Custom has none. The
// texts are in `arena`. O(1).
AmiParameterVec ami_parameters(Arena *arena, const AmiFamily *family, Slice version, uint32_t minor);
