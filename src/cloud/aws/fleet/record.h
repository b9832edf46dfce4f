// What a NodeClaim says of its launch, written before EC2 is asked: the annotation tenon.sh/launch, "<client
// token>/<rank>/<claims>". Whoever finds the instances of the token finds the claim's among them.
#pragma once

#include "base/arena.h"
#include "cloud/cloud.h"

// Annotation of NodeClaims; instances have the token as a tag of the same name.
#define LAUNCH_RECORD_KEY CLOUD_LAUNCH_RECORD

typedef struct {
    Slice token;
    uint32_t rank;  // of the claim's uid among those of the launch, from 0
    uint32_t count; // of claims in the launch; 0: not known
} LaunchRecord;

// The annotation's value.
Slice launch_record_print(Arena *arena, const LaunchRecord *record);
// Reads it; the token is shared. False: it is none.
bool launch_record_read(Slice text, LaunchRecord *ret_record);
