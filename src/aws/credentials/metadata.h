// The instance metadata service, version 2: pages for a token that is asked for first. Reference aws.md 8.
#pragma once

#include "aws/settings/settings.h"
#include "aws/transport/transport.h"

typedef struct AwsMetadata AwsMetadata;

// Borrows the settings.
AwsMetadata *aws_metadata_new(const AwsMetadataSettings *settings, const AwsTransport *transport);
void aws_metadata_free(AwsMetadata *metadata); // NULL is fine; wipes the token

// Reads the page at `path`, "/latest/…", into `arena`. One thread at a time. ERR_NOT_FOUND: no such page; ERR_DENIED:
// switched off, by AWS_EC2_METADATA_DISABLED or the service; ERR_TIMEOUT: no answer, which is how a hop limit of 1
// shows in a pod; ERR_IO.
ErrCode aws_metadata_get(AwsMetadata *metadata, Arena *arena, Slice path, Slice *ret_text, Err *err);

// The region of this instance, in `arena`. Errors: as aws_metadata_get, and ERR_INVALID.
ErrCode aws_metadata_region(AwsMetadata *metadata, Arena *arena, Slice *ret_region, Err *err);
