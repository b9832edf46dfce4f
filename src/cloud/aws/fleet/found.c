// Pages of DescribeInstances.
#include "cloud/aws/fleet/found.h"

#include <stdlib.h>

enum { FILTER_VALUES_MAX = 200 };

typedef struct {
    Arena *arena;
    const InstanceFinder *finder;
    FoundInstanceVec found;
} Finding;

// --- one

FoundInstance found_instance_copy(Arena *arena, const FoundInstance *found) {
    FoundInstance copy = *found;
    Slice *const texts[] = {&copy.facts.id,
                            &copy.facts.image_id,
                            &copy.facts.type,
                            &copy.facts.zone,
                            &copy.facts.subnet_id,
                            &copy.facts.tenancy,
                            &copy.facts.reservation_id,
                            &copy.facts.reservation_type,
                            &copy.facts.placement_group_id,
                            &copy.facts.pool,
                            &copy.facts.claim,
                            &copy.facts.launch,
                            &copy.facts.provisioner,
                            &copy.facts.end_code,
                            &copy.facts.end_message,
                            &copy.node_class};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = arena_slice(arena, *texts[i]);
    copy.security_groups = (SliceVec){0};
    for (vec_each(const Slice, id, &found->security_groups))
        vec_push(arena, &copy.security_groups, arena_slice(arena, *id));
    return copy;
}

static void read_tags(const Ec2Instance *instance, FoundInstance *found) {
    for (vec_each(const Ec2Tag, tag, &instance->tags)) {
        if (slice_eq_text(tag->key, "karpenter.k8s.aws/ec2nodeclass"))
            found->node_class = tag->value;
        found->has_name |= slice_eq_text(tag->key, "Name");
        found->has_claim |= slice_eq_text(tag->key, "karpenter.sh/nodeclaim");
        found->has_cluster |= slice_eq_text(tag->key, "eks:eks-cluster-name");
    }
}

static void add(Finding *finding, const Ec2Instance *instance) {
    const InstanceFinder *finder = finding->finder;
    FoundInstance found = {.facts = instance_described(instance, finder->reserved_capacity, finder->cluster)};
    Arena scratch = {0};

    if (!found.facts.id.len)
        return;
    for (vec_each(const Ec2GroupIdentifier, group, &instance->security_groups))
        vec_push(&scratch, &found.security_groups, group->group_id);
    read_tags(instance, &found);
    vec_push(finding->arena, &finding->found, found_instance_copy(finding->arena, &found));
    arena_free(&scratch);
}

static bool take_page(void *context, const void *output) {
    const Ec2DescribeInstancesOutput *page = output;

    for (vec_each(const Ec2Reservation, reservation, &page->reservations)) {
        for (vec_each(const Ec2Instance, instance, &reservation->instances))
            add(context, instance);
    }
    return true;
}

// --- several

static int by_id(const void *a, const void *b) {
    return slice_cmp(((const FoundInstance *)a)->facts.id, ((const FoundInstance *)b)->facts.id);
}

// Sorts by id; of an instance that came twice the first stays.
static void sort(FoundInstanceVec *found) {
    uint32_t kept = 0;

    if (found->count)
        qsort(found->items, found->count, sizeof *found->items, by_id);
    for (uint32_t i = 0; i < found->count; i++) {
        if (!kept || !slice_eq(found->items[i].facts.id, found->items[kept - 1].facts.id))
            found->items[kept++] = found->items[i];
    }
    found->count = kept;
}

ErrCode instances_find(const InstanceFinder *finder, Arena *arena, const Ec2DescribeInstancesInput *input,
                       FoundInstanceVec *ret_found, AwsOutcome *ret_outcome, Err *err) {
    Finding finding = {.arena = arena, .finder = finder};
    const AwsPageVisitor visitor = {take_page, &finding};

    TRY(aws_pages(finder->client, arena, &ec2_describe_instances, input, finder->options, &visitor, ret_outcome, err));
    sort(&finding.found);
    *ret_found = finding.found;
    return OK;
}

// --- by id

// The ids as values of a filter instead.
static Ec2DescribeInstancesInput by_filter(Arena *arena, const SliceVec *ids, uint32_t from) {
    Ec2DescribeInstancesInput input = {0};
    Ec2Filter filter = {.name = SLICE("instance-id")};

    for (uint32_t i = from; i < ids->count && i < from + FILTER_VALUES_MAX; i++)
        vec_push(arena, &filter.values, ids->items[i]);
    vec_push(arena, &input.filters, filter);
    input.max_results = aws_integer(1000);
    return input;
}

static ErrCode find_by_filter(const InstanceFinder *finder, Arena *arena, const SliceVec *ids,
                              FoundInstanceVec *ret_found, AwsOutcome *ret_outcome, Err *err) {
    FoundInstanceVec all = {0};

    for (uint32_t from = 0; from < ids->count; from += FILTER_VALUES_MAX) {
        Ec2DescribeInstancesInput input = by_filter(arena, ids, from);
        FoundInstanceVec some = {0};

        TRY(instances_find(finder, arena, &input, &some, ret_outcome, err));
        for (vec_each(const FoundInstance, found, &some))
            vec_push(arena, &all, *found);
    }
    sort(&all);
    *ret_found = all;
    return OK;
}

// Whether an id is why the request failed.
static bool is_about_ids(const AwsOutcome *outcome) {
    return outcome->kind == AWS_NOT_FOUND || slice_eq_text(outcome->fault.code, "InvalidInstanceID.Malformed");
}

ErrCode instances_find_ids(const InstanceFinder *finder, Arena *arena, const SliceVec *ids, FoundInstanceVec *ret_found,
                           AwsOutcome *ret_outcome, Err *err) {
    Ec2DescribeInstancesInput input = {.instance_ids = *ids}; // in any state: of one that has ended EC2 says why
    AwsOutcome outcome = {0};
    ErrCode code;

    if (!ids->count) {
        *ret_found = (FoundInstanceVec){0};
        return OK;
    }
    code = instances_find(finder, arena, &input, ret_found, &outcome, err);
    if (code != OK && is_about_ids(&outcome))
        code = find_by_filter(finder, arena, ids, ret_found, &outcome, err);
    if (ret_outcome)
        *ret_outcome = outcome;
    return code;
}

const FoundInstance *instances_found(const FoundInstanceVec *found, Slice id) {
    uint32_t from = 0, to = found->count;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        int order = slice_cmp(found->items[middle].facts.id, id);

        if (order == 0)
            return &found->items[middle];
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}
