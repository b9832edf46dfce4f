// Launches, terminations, lookups and lists for several jobs in one call, on the worker's thread.
#include "engine/gather/gathered_call.h"

#include "engine/intent_copy.h"

// What a job is told of which the provider says nothing.
static CloudResult *unanswered(Arena *arena, uint32_t count) {
    CloudResult *results = arena_array(arena, CloudResult, count);

    for (uint32_t i = 0; i < count; i++)
        results[i].code = cloud_fail(&results[i].error, ERR_IO, "the provider did not answer");
    return results;
}

static void launch_all(EngineJob *job, CloudResult *ret_results) {
    const CloudLaunch **launches = arena_array(&job->arena, const CloudLaunch *, job->count);
    uint32_t count = 0;

    for (const EngineJob *member = job->gathered; member; member = job_next_gathered(member))
        launches[count++] = &member->steps->launch;
    cloud_launch_many(job->shared->cloud, &job->arena, launches, count, ret_results);
}

static const Symbol *provider_ids(EngineJob *job) {
    Symbol *ids = arena_array(&job->arena, Symbol, job->count);

    for (uint32_t i = 0; i < job->count; i++)
        ids[i] = job->intents[i].provider_id;
    return ids;
}

static void call_all(EngineJob *job, CloudResult *ret_results) {
    Cloud cloud = job->shared->cloud;

    if (job->intents->type == INTENT_LAUNCH)
        launch_all(job, ret_results);
    else if (job->intents->type == INTENT_TERMINATE)
        cloud_terminate_many(cloud, &job->arena, provider_ids(job), job->count, ret_results);
    else
        cloud_get_many(cloud, &job->arena, provider_ids(job), job->count, ret_results);
}

static void deal_failure(EngineJob *member, const CloudError *error) {
    member->completions->cloud_error = arena_copy(&member->arena, error, sizeof *error);
}

static void deal(EngineJob *member, const CloudResult *result) {
    Completion *completion = member->completions;

    completion->code = result->code;
    if (result->code != OK)
        deal_failure(member, &result->error);
    else if (member->intents->type != INTENT_TERMINATE)
        completion->instance = instance_copy(&member->arena, &result->instance);
}

// The first has the list itself, the others have copies of it.
static void list_for_all(EngineJob *job) {
    CloudInstanceVec *instances = arena_new(&job->gathered->arena, CloudInstanceVec);
    CloudError error = {0};
    ErrCode code = cloud_list(job->shared->cloud, &job->gathered->arena, instances, &error);

    for (EngineJob *member = job->gathered; member; member = job_next_gathered(member)) {
        Completion *completion = member->completions;

        completion->code = code;
        if (code != OK)
            deal_failure(member, &error);
        else
            completion->instances = member == job->gathered ? instances : instances_copy(&member->arena, instances);
    }
}

static void call_for_all(EngineJob *job) {
    CloudResult *results = unanswered(&job->arena, job->count);
    uint32_t next = 0;

    call_all(job, results);
    for (EngineJob *member = job->gathered; member; member = job_next_gathered(member))
        deal(member, &results[next++]);
}

void gathered_call(EngineJob *job) {
    if (job->intents->type == INTENT_LIST_INSTANCES)
        list_for_all(job);
    else
        call_for_all(job);
}
