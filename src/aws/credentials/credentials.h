// Credentials: those of a source, kept until they are due, and renewed before they end.
//
// They are renewed five minutes before their end, less a random part of a minute; of a short life at its half. Whoever
// finds them due asks the source; others go on with the old ones meanwhile, and wait only where there are none that
// hold. A renewal that fails is no failure as long as the old ones hold: it is tried again with growing pauses.
// Reference aws.md 8. Threads: any.
#pragma once

#include "aws/credentials/source.h"

typedef struct AwsCredentials AwsCredentials;

// Takes the source over. `seed`: of the random part.
AwsCredentials *aws_credentials_new(AwsSource *source, const AwsTransport *transport, uint64_t seed);
// Wipes them, when nobody takes any more. NULL is fine.
void aws_credentials_free(AwsCredentials *credentials);

// What clients take from. Errors: those of the source, with its name.
AwsIdentity aws_credentials_identity(AwsCredentials *credentials);

// The source's name: "web identity".
const char *aws_credentials_source(const AwsCredentials *credentials);
