// Renewal of credentials.
//
// What a source has just given is used, whenever it says that it ends: if that is past, this machine's clock is wrong,
// which the first call will show, or the metadata service has trouble, and EC2 takes its credentials for a while
// longer.
#include "aws/credentials/credentials.h"

#include "base/alloc.h"
#include "base/random.h"

#include <pthread.h>

enum { PAUSE_LOG2_MAX = 6, LIFE_PARTS = 4 };
#define AHEAD_NS     (5 * NS_PER_MIN)
#define JITTER_S     60
#define PAUSE_MAX_NS (30 * NS_PER_S)
#define LONGER_NS    (10 * NS_PER_MIN)

struct AwsCredentials {
    AwsSource *source;
    AwsTransport transport;
    pthread_mutex_t lock;
    pthread_cond_t news; // a renewal ended
    AwsGrant *grant;     // NULL: none
    int64_t due_ns;      // service's time from which it is renewed
    Mono pause_ends;     // before that the source is not asked again
    bool is_asking;
    uint64_t asked;    // how many renewals have ended
    uint32_t failures; // in a row
    Err error;         // of the last
    Random random;
};

AwsCredentials *aws_credentials_new(AwsSource *source, const AwsTransport *transport, uint64_t seed) {
    AwsCredentials *made = NEW(AwsCredentials);

    made->source = source;
    made->transport = *transport;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->news, NULL);
    random_seed(&made->random, seed);
    return made;
}

void aws_credentials_free(AwsCredentials *credentials) {
    if (!credentials)
        return;
    aws_source_free(credentials->source);
    aws_grant_drop(credentials->grant);
    pthread_cond_destroy(&credentials->news);
    pthread_mutex_destroy(&credentials->lock);
    free(credentials);
}

const char *aws_credentials_source(const AwsCredentials *credentials) {
    return credentials->source->name;
}

static Moment now_of(const AwsCredentials *credentials) {
    return credentials->transport.now(credentials->transport.self);
}

// --- all of the following is called under the lock

static bool holds(const AwsCredentials *credentials, int64_t wall_ns) {
    return credentials->grant && aws_grant_expires_ns(credentials->grant) > wall_ns;
}

static bool is_due(const AwsCredentials *credentials, int64_t wall_ns) {
    return wall_ns >= credentials->due_ns && mono_reached(now_of(credentials).now, credentials->pause_ends);
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// Keeps what was fetched, and reckons when it is due.
static void keep(AwsCredentials *credentials, const AwsFetched *fetched, int64_t wall_ns) {
    int64_t ends_ns = fetched->expires_ns > wall_ns ? fetched->expires_ns : wall_ns + LONGER_NS;
    int64_t life_ns = ends_ns - wall_ns, jitter_ns = random_below(&credentials->random, JITTER_S) * NS_PER_S;

    aws_grant_drop(credentials->grant);
    credentials->grant = aws_grant_new(&fetched->keys, ends_ns);
    credentials->failures = 0;
    credentials->due_ns = ends_ns == INT64_MAX ? INT64_MAX : ends_ns - least(AHEAD_NS - jitter_ns, life_ns / 2);
    // A source may go on giving what it has: it is not asked at each call then.
    credentials->pause_ends = mono_after(now_of(credentials).now, least(PAUSE_MAX_NS, life_ns / LIFE_PARTS));
}

// Remembers a failure: seconds until the next try, doubling while the old ones hold; one second when there are none.
static void remember(AwsCredentials *credentials, const Err *error, int64_t wall_ns) {
    uint32_t doublings = credentials->failures < PAUSE_LOG2_MAX ? credentials->failures : PAUSE_LOG2_MAX;
    int64_t pause_ns = holds(credentials, wall_ns) ? NS_PER_S << doublings : NS_PER_S;

    credentials->failures++;
    credentials->error = *error;
    credentials->pause_ends = mono_after(now_of(credentials).now, least(pause_ns, PAUSE_MAX_NS));
}

// Asks the source, without the lock meanwhile.
static void ask(AwsCredentials *credentials, int64_t wall_ns) {
    Arena scratch = {0};
    AwsFetched fetched;
    Err error = {0};
    ErrCode code;

    credentials->is_asking = true;
    pthread_mutex_unlock(&credentials->lock);
    code = credentials->source->fetch(credentials->source, &scratch, wall_ns, &fetched, &error);
    pthread_mutex_lock(&credentials->lock);
    if (code == OK) {
        keep(credentials, &fetched, wall_ns);
    } else {
        err_prefix(&error, "credentials (%s)", credentials->source->name);
        remember(credentials, &error, wall_ns);
    }
    arena_wipe(&scratch);
    credentials->is_asking = false;
    credentials->asked++;
    pthread_cond_broadcast(&credentials->news);
}

static void await_news(AwsCredentials *credentials) {
    uint64_t asked = credentials->asked;

    while (credentials->asked == asked)
        pthread_cond_wait(&credentials->news, &credentials->lock);
}

// Whether the source is to be asked now.
static bool needs_asking(const AwsCredentials *credentials, int64_t wall_ns) {
    if (holds(credentials, wall_ns))
        return is_due(credentials, wall_ns);
    return !credentials->failures || mono_reached(now_of(credentials).now, credentials->pause_ends);
}

// Sees to it that there are credentials that hold, or that the last renewal was a failure.
static void provide(AwsCredentials *credentials, int64_t wall_ns) {
    while (credentials->is_asking && !holds(credentials, wall_ns))
        await_news(credentials);
    if (!credentials->is_asking && needs_asking(credentials, wall_ns))
        ask(credentials, wall_ns);
}

// --- the identity

static ErrCode take(void *self, int64_t wall_ns, const AwsGrant *refused, AwsGrant **ret_grant, Err *err) {
    AwsCredentials *credentials = self;
    ErrCode code = OK;

    pthread_mutex_lock(&credentials->lock);
    if (refused && credentials->grant == refused) { // nobody has renewed them yet
        aws_grant_drop(credentials->grant);
        credentials->grant = NULL;
    }
    provide(credentials, wall_ns);
    if (holds(credentials, wall_ns))
        *ret_grant = aws_grant_hold(credentials->grant);
    else
        code = err_set(err, credentials->error.code, "%s", credentials->error.text);
    pthread_mutex_unlock(&credentials->lock);
    return code;
}

AwsIdentity aws_credentials_identity(AwsCredentials *credentials) {
    return (AwsIdentity){take, credentials};
}
