// Episodes of bad health.
#include "cloud/aws/events/health.h"

#include "base/time.h"

#include <stdlib.h>

static const struct {
    const char *text;
    bool is_forceful;
} categories[HEALTH_CATEGORY_COUNT] = {
#define X(name, text, is_forceful) {text, is_forceful},
    HEALTH_CATEGORIES(X)
#undef X
};

const char *health_category_text(HealthCategory category) {
    return categories[category].text;
}

bool health_category_is_forceful(HealthCategory category) {
    return categories[category].is_forceful;
}

void health_watch_free(HealthWatch *watch) {
    arena_free(&watch->memory);
    *watch = (HealthWatch){0};
}

static Ec2DescribeInstanceStatusInput query(Arena *arena, const char *filter, const char *const *values) {
    Ec2DescribeInstanceStatusInput input = {0};
    Ec2Filter *wanted = vec_add(arena, &input.filters);

    wanted->name = slice_of(filter);
    for (; *values; values++)
        vec_push(arena, &wanted->values, slice_of(*values));
    return input;
}

HealthQueryVec health_queries(Arena *arena) {
    static const char *const impaired[] = {"impaired", NULL};
    static const char *const codes[] = {"instance-reboot",     "system-reboot", "system-maintenance",
                                        "instance-retirement", "instance-stop", NULL};
    HealthQueryVec queries = {0};

    vec_push(arena, &queries, query(arena, "instance-status.status", impaired));
    vec_push(arena, &queries, query(arena, "system-status.status", impaired));
    vec_push(arena, &queries, query(arena, "event.code", codes));
    return queries;
}

static int compare_episodes(const void *a, const void *b) {
    const HealthEpisode *x = a, *y = b;
    int order = slice_cmp(x->instance_id, y->instance_id);

    if (order)
        return order;
    return (x->category > y->category) - (x->category < y->category);
}

static const HealthEpisode *find_episode(const HealthEpisodeVec *episodes, const HealthEpisode *like) {
    if (!episodes->count)
        return NULL;
    return bsearch(like, episodes->items, episodes->count, sizeof *episodes->items, compare_episodes);
}

// One look: what it saw, beside what was known before.
typedef struct {
    const HealthWatch *before;
    Arena *memory; // of what is seen
    HealthEpisodeVec seen;
    int64_t wall_ns;
} Look;

// Something bad is seen; `since_ns` 0: EC2 does not say since when.
static void see(Look *look, Slice instance_id, HealthCategory category, int64_t since_ns) {
    HealthEpisode episode = {.instance_id = instance_id, .category = category};
    const HealthEpisode *earlier = find_episode(&look->before->episodes, &episode);

    episode.was_told = earlier && earlier->was_told;
    if (since_ns)
        episode.since_ns = since_ns;
    else
        episode.since_ns = earlier ? earlier->since_ns : look->wall_ns;
    vec_push(look->memory, &look->seen, episode);
}

static void see_checks(Look *look, Slice instance_id, HealthCategory category, const Ec2StatusSummary *summary) {
    if (!summary)
        return;
    for (vec_each(const Ec2StatusDetail, detail, &summary->details)) {
        if (slice_eq_text(detail->status, "failed"))
            see(look, instance_id, category, detail->impaired_since.has ? detail->impaired_since.ns : 0);
    }
}

static bool event_is_over(const Ec2StatusEvent *event) {
    return slice_starts_with(event->description, SLICE("[Completed]")) ||
           slice_starts_with(event->description, SLICE("[Canceled]"));
}

static void see_status(Look *look, const Ec2InstanceStatus *status) {
    Slice id = arena_slice(look->memory, status->instance_id);

    see_checks(look, id, HEALTH_INSTANCE, status->instance_status);
    see_checks(look, id, HEALTH_SYSTEM, status->system_status);
    for (vec_each(const Ec2StatusEvent, event, &status->events)) {
        if (!event_is_over(event))
            see(look, id, HEALTH_EVENT, 0);
    }
}

// Sorts what was seen and leaves each episode once, since its earliest time.
static void merge_seen(HealthEpisodeVec *seen) {
    uint32_t kept = 0;

    if (seen->count)
        qsort(seen->items, seen->count, sizeof *seen->items, compare_episodes);
    for (uint32_t i = 0; i < seen->count; i++) {
        const HealthEpisode *episode = &seen->items[i];

        if (kept && compare_episodes(&seen->items[kept - 1], episode) == 0) {
            if (episode->since_ns < seen->items[kept - 1].since_ns)
                seen->items[kept - 1].since_ns = episode->since_ns;
            continue;
        }
        seen->items[kept++] = *episode;
    }
    seen->count = kept;
}

static bool counts_now(const HealthEpisode *episode, int64_t wall_ns) {
    return episode->category == HEALTH_EVENT || ns_add(episode->since_ns, HEALTH_IMPAIRED_S * NS_PER_S) <= wall_ns;
}

HealthFactVec health_watch_look(HealthWatch *watch, Arena *arena, const KnownInstances *known,
                                const Ec2InstanceStatusVec *statuses, int64_t wall_ns) {
    Arena memory = {0};
    Look look = {.before = watch, .memory = &memory, .wall_ns = wall_ns};
    HealthFactVec facts = {0};

    for (vec_each(const Ec2InstanceStatus, status, statuses)) {
        if (known_instance_find(known, status->instance_id))
            see_status(&look, status);
    }
    merge_seen(&look.seen);
    for (vec_each(HealthEpisode, episode, &look.seen)) {
        if (!counts_now(episode, wall_ns))
            continue;
        vec_push(arena, &facts,
                 (HealthFact){arena_slice(arena, episode->instance_id),
                              known_instance_find(known, episode->instance_id)->provider_id, episode->category,
                              episode->since_ns, !episode->was_told});
        episode->was_told = true;
    }
    health_watch_free(watch);
    *watch = (HealthWatch){memory, look.seen};
    return facts;
}
