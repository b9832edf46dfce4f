// Sources of credentials: an environment, a profile, a token of a pod, an instance's metadata.
#pragma once

#include "aws/call/client.h"
#include "aws/settings/settings.h"

// What a source gave. Lives in the arena of the fetch.
typedef struct {
    AwsKeys keys;
    int64_t expires_ns; // INT64_MAX: never
} AwsFetched;

typedef struct AwsSource AwsSource;

struct AwsSource {
    const char *name; // for messages: "web identity"
    // Asks for credentials, at this machine's time `wall_ns`. Blocks; one thread at a time. Messages have no secrets.
    ErrCode (*fetch)(AwsSource *self, Arena *arena, int64_t wall_ns, AwsFetched *ret_fetched, Err *err);
    void (*free)(AwsSource *self);
};

// What sources are made of. Everything in it outlives them.
typedef struct {
    const AwsSettings *settings;
    AwsTransport transport;
    Slice region;  // where STS is asked
    uint64_t seed; // of waits
} AwsSourceMakings;

// A client of STS for a source, with these credentials (take NULL: none).
AwsClient *aws_source_sts(const AwsSourceMakings *makings, AwsIdentity identity);

static inline void aws_source_free(AwsSource *source) {
    if (source)
        source->free(source);
}
