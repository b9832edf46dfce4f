// Instances that EC2 calls impaired, or has scheduled something for: from the answers of DescribeInstanceStatus to
// facts.
//
// A failed check counts once it has lasted for two minutes, an event at once; the state of attached volumes does not
// count. Unlike upstream, events that are over, which EC2 lists for another week, do not count, and a failed check of
// which EC2 does not say since when lasts since it was first seen. Behaviour: reference aws.md 2.1, 7.8.
#pragma once

#include "aws/service/ec2_status.h"
#include "cloud/aws/events/known.h"

enum { HEALTH_IMPAIRED_S = 120 };

// category, its name in metrics, whether the instance is past a drain: it is forcefully ended, not only deleted.
#define HEALTH_CATEGORIES(X)                                                                                           \
    X(INSTANCE, "instance_status", true)                                                                               \
    X(SYSTEM, "system_status", true)                                                                                   \
    X(EVENT, "event_status", false)

typedef enum {
#define X(name, text, is_forceful) HEALTH_##name,
    HEALTH_CATEGORIES(X)
#undef X
        HEALTH_CATEGORY_COUNT
} HealthCategory;

const char *health_category_text(HealthCategory category);
bool health_category_is_forceful(HealthCategory category);

// What is wrong with an instance, and has been for long enough.
typedef struct {
    Slice instance_id;
    Symbol provider_id;
    HealthCategory category;
    int64_t since_ns; // impaired since, or an event first seen, since 1970
    bool is_new;      // the first fact of this episode: it is counted in metrics
} HealthFact;
typedef Vec(HealthFact) HealthFactVec;

// What is wrong at present, for long enough or not. {0}: nothing.
typedef struct {
    Slice instance_id;
    HealthCategory category;
    int64_t since_ns;
    bool was_told;
} HealthEpisode;
typedef Vec(HealthEpisode) HealthEpisodeVec;

typedef struct {
    Arena memory;
    HealthEpisodeVec episodes; // sorted by instance id, then category; each once
} HealthWatch;

void health_watch_free(HealthWatch *watch);

// The requests of one look, each to be followed through all its pages: failed instance checks, failed system checks,
// scheduled events. They have no page size, which would exclude nothing but what AWS refuses with them.
typedef Vec(Ec2DescribeInstanceStatusInput) HealthQueryVec;
HealthQueryVec health_queries(Arena *arena);

// Takes the statuses of all pages of all requests of one look, in any order, instances repeated or not, and gives the
// facts that hold now, by instance id, then category, in `arena`. Instances that are not known do not count. What is no
// longer there is over: when it comes again it is a new episode. So a look that failed in part is not to be given.
// O(n log n).
HealthFactVec health_watch_look(HealthWatch *watch, Arena *arena, const KnownInstances *known,
                                const Ec2InstanceStatusVec *statuses, int64_t wall_ns);
