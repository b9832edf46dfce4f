// Lists and lookups, and ends.
#include "cloud/aws/provider/instances.h"

#include "cloud/aws/fleet/ending.h"
#include "cloud/aws/launch/early_end.h"
#include "cloud/aws/launch/instance_query.h"
#include "cloud/aws/provider/found_book.h"
#include "cloud/aws/provider/instance_ids.h"
#include "cloud/aws/provider/launches.h"
#include "cloud/aws/provider/neighbours.h"
#include "cloud/aws/provider/publish.h"

ProviderInstances *provider_instances_new(AwsProvider *provider) {
    ProviderInstances *made = NEW(ProviderInstances);

    made->provider = provider;
    CHECK(pthread_mutex_init(&made->lock, NULL) == 0, "no mutex");
    return made;
}

void provider_instances_free(ProviderInstances *instances) {
    arena_free(&instances->arena);
    pthread_mutex_destroy(&instances->lock);
    free(instances);
}

// --- lists

ErrCode provider_list(AwsProvider *provider, Arena *arena, CloudInstanceVec *ret_instances, CloudError *error) {
    const AwsProviderSettings *settings = &provider->config.settings;
    const InstanceFinder finder = {provider->client, NULL, settings->reserved_capacity, settings->cluster_name};
    CloudInstanceVec instances = {0};
    FoundInstanceVec found = {0};
    AwsOutcome outcome = {0};
    Arena scratch = {0};
    Err err = {0};
    Ec2DescribeInstancesInput input = instances_list(&scratch, settings->cluster_name);
    Mono asked = provider_now(provider).now;
    ErrCode code = instances_find(&finder, &scratch, &input, &found, &outcome, &err);

    if (code == OK) {
        for (vec_each(const FoundInstance, instance, &found))
            vec_push(arena, &instances, provider_instance(provider, arena, &instance->facts, instance->node_class));
        provider_found_put(provider, &found, asked);
        provider->neighbours->listed(provider, &instances);
        *ret_instances = instances;
    } else {
        code = provider_fail(error, "listing instances", &outcome, &err);
    }
    arena_free(&scratch);
    return code;
}

// --- lookups

// An instance is gone: its reservation, if the last list had it in one, has room for another.
static void note_gone(AwsProvider *provider, Slice id) {
    FoundInstance known;
    Arena arena = {0};

    if (provider_found_get(provider, &arena, id, &known) && known.facts.capacity_type == NAME_RESERVED)
        provider->neighbours->reservation_ended(provider, symbol_intern(&provider->symbols, known.facts.reservation_id),
                                                id);
    arena_free(&arena);
}

static void fail_result(CloudResult *result, ErrCode code, const char *format, Slice text) {
    CloudError error;

    cloud_fail(&error, code, "%s%.*s", format, SLICE_ARG(text));
    *result = (CloudResult){.code = code, .error = error};
}

// Answers of the zones that the cluster is shifted away from, by what was last known; the other ids are to be asked
// for.
static SliceVec ids_to_ask(AwsProvider *provider, Arena *scratch, Arena *arena, const InstanceIdVec *ids,
                           CloudResult *results) {
    SliceVec asked = {0};

    for (uint32_t i = 0; i < ids->count; i++) {
        const InstanceId *id = &ids->items[i];
        FoundInstance known;

        if (!id->id.len) {
            fail_result(&results[i], ERR_INVALID, "no instance of EC2 has the provider id ", id->provider_id);
        } else if (instance_zone_is_left(provider, id) && provider_found_get(provider, scratch, id->id, &known)) {
            results[i].instance = provider_instance(provider, arena, &known.facts, known.node_class);
        } else {
            results[i].code = ERR_IO; // until there is an answer
            vec_push(scratch, &asked, id->id);
        }
    }
    return asked;
}

// An instance that EC2 shows as ended, which is gone even if it was launched lately.
static void answer_ended(AwsProvider *provider, const FoundInstance *ended, CloudResult *result) {
    const ProviderNeighbours *others = provider->neighbours;
    const ClassSnapshot *snapshot = ended->node_class.len ? others->class_hold(provider, ended->node_class) : NULL;

    note_gone(provider, ended->facts.id);
    *result = (CloudResult){0};
    result->code = instance_end(&result->error, &ended->facts, snapshot ? &snapshot->class : NULL);
    others->class_release(snapshot);
}

// The answer for an id that was asked for.
static void answer(AwsProvider *provider, Arena *arena, const FoundInstanceVec *found, Slice id, CloudResult *result) {
    const FoundInstance *one = instances_found(found, id);

    if (one && one->facts.ended) {
        answer_ended(provider, one, result);
    } else if (one) {
        *result = (CloudResult){.instance = provider_instance(provider, arena, &one->facts, one->node_class)};
    } else if (provider_launched_lately(provider, id)) {
        fail_result(result, ERR_IO, "EC2 does not show the new instance yet: ", id);
    } else {
        note_gone(provider, id);
        fail_result(result, ERR_NOT_FOUND, "there is no instance ", id);
    }
}

void provider_get_many(AwsProvider *provider, Arena *arena, const Symbol *provider_ids, uint32_t count,
                       CloudResult *ret_results) {
    const AwsProviderSettings *settings = &provider->config.settings;
    const InstanceFinder finder = {provider->client, NULL, settings->reserved_capacity, settings->cluster_name};
    FoundInstanceVec found = {0};
    AwsOutcome outcome = {0};
    Arena scratch = {0};
    CloudError error = {0};
    Err err = {0};
    InstanceIdVec ids = instance_ids_of(&scratch, provider, provider_ids, count);
    SliceVec asked;
    ErrCode code;

    memset(ret_results, 0, count * sizeof *ret_results);
    asked = ids_to_ask(provider, &scratch, arena, &ids, ret_results);
    code = instances_find_ids(&finder, &scratch, &asked, &found, &outcome, &err);
    if (code != OK)
        code = provider_fail(&error, "looking instances up", NULL, &err);
    for (uint32_t i = 0; i < count; i++) {
        if (ret_results[i].code == ERR_IO && code != OK)
            ret_results[i] = (CloudResult){.code = code, .error = error};
        else if (ret_results[i].code == ERR_IO)
            answer(provider, arena, &found, ids.items[i].id, &ret_results[i]);
    }
    arena_free(&scratch);
}

// --- ends

static void count_failure(AwsProvider *provider, Slice zone) {
    const AwsProviderCounts *counts = &provider->config.counts;

    if (counts->termination_failed)
        counts->termination_failed(counts->context, zone, provider->neighbours->zone_id(provider, zone));
}

void provider_terminate_many(AwsProvider *provider, Arena *arena, const Symbol *provider_ids, uint32_t count,
                             CloudResult *ret_results) {
    Arena scratch = {0};
    InstanceIdVec ids = instance_ids_of(&scratch, provider, provider_ids, count);
    SliceVec asked = {0};
    U32Vec places = {0}; // of the asked ids
    Ending *endings;

    (void)arena;
    memset(ret_results, 0, count * sizeof *ret_results);
    for (uint32_t i = 0; i < count; i++) {
        if (!ids.items[i].id.len) {
            fail_result(&ret_results[i], ERR_INVALID, "no instance of EC2 has the provider id ",
                        ids.items[i].provider_id);
        } else if (instance_zone_is_left(provider, &ids.items[i])) {
            fail_result(&ret_results[i], ERR_IO, "the cluster is shifted away from the instance's zone ",
                        ids.items[i].zone);
        } else {
            vec_push(&scratch, &asked, ids.items[i].id);
            vec_push(&scratch, &places, i);
        }
    }
    endings = arena_array(&scratch, Ending, asked.count);
    instances_end(provider->client, &asked, endings);
    for (uint32_t i = 0; i < asked.count; i++) {
        if (endings[i].is_unknown && provider_launched_lately(provider, asked.items[i]))
            endings[i].code = ERR_IO;
        if (endings[i].code == ERR_NOT_FOUND)
            note_gone(provider, asked.items[i]);
        if (endings[i].code != OK && endings[i].code != ERR_NOT_FOUND)
            count_failure(provider, ids.items[places.items[i]].zone);
        if (endings[i].code != OK)
            fail_result(&ret_results[places.items[i]], endings[i].code, "terminating: ", slice_of(endings[i].err.text));
    }
    arena_free(&scratch);
}
