// Single instances: restarted, tagged, compared with their class.
#include "aws/service/ec2_instance.h"
#include "cloud/aws/drift.h"
#include "cloud/aws/nodeclass_hash.h"
#include "cloud/aws/provider/found_book.h"
#include "cloud/aws/provider/instance_ids.h"
#include "cloud/aws/provider/instances.h"
#include "cloud/aws/provider/neighbours.h"
#include "model/pool_name.h"

// A list that drift is found by: instances are listed every two minutes.
static const int64_t LIST_STANDS_NS = 10 * NS_PER_MIN;
// A claim that is not older may have an instance that was launched since: clocks differ by minutes.
static const int64_t YOUNG_NS = 30 * NS_PER_MIN;
static const int64_t LOOK_NS = 10 * NS_PER_MS; // while another caller makes a list

static ErrCode fail_id(const InstanceId *id, CloudError *error) {
    return cloud_fail(error, ERR_INVALID, "no instance of EC2 has the provider id \"%.*s\"",
                      SLICE_ARG(id->provider_id));
}

// Looks one up in EC2. ERR_NOT_FOUND: it is gone.
static ErrCode look_up(AwsProvider *provider, Arena *arena, Slice id, FoundInstance *ret_found, CloudError *error) {
    const AwsProviderSettings *settings = &provider->config.settings;
    const InstanceFinder finder = {provider->client, NULL, settings->reserved_capacity, settings->cluster_name};
    FoundInstanceVec found = {0};
    SliceVec ids = {0};
    Err err = {0};

    vec_push(arena, &ids, id);
    if (instances_find_ids(&finder, arena, &ids, &found, NULL, &err) != OK)
        return provider_fail(error, "looking the instance up", NULL, &err);
    if (!found.count || !slice_eq(found.items[0].facts.id, id) || found.items[0].facts.ended)
        return cloud_fail(error, ERR_NOT_FOUND, "there is no instance %.*s", SLICE_ARG(id));
    *ret_found = found.items[0];
    return OK;
}

// --- restarted

ErrCode provider_reboot(AwsProvider *provider, Symbol provider_id, Slice operation, CloudError *error) {
    InstanceId id = instance_id_of(provider, provider_id);
    Ec2RebootInstancesInput input = {0};
    AwsOutcome outcome = {0};
    Arena arena = {0};
    Err err = {0};
    ErrCode code;

    (void)operation; // EC2 takes no token: a restart asked for twice is one, while the first has not ended
    if (!id.id.len)
        return fail_id(&id, error);
    vec_push(&arena, &input.instance_ids, id.id);
    code = aws_call(provider->client, &arena, &ec2_reboot_instances, &input, NULL, NULL, &outcome, &err);
    if (code != OK)
        code = provider_fail(error, "rebooting the instance", &outcome, &err);
    arena_free(&arena);
    return code;
}

// --- tagged

// An instance of Karpenter up to v0.27 has been linked (ctl/claim/link.h): from now on lists are to show it.
static void add_owners(Arena *arena, const AwsProvider *provider, const NodeClaim *claim, Ec2TagVec *tags) {
    Symbol pool = labels_get(&claim->meta.labels, NAME_NODEPOOL);
    Slice name = pool == INDEX_NONE ? SLICE("") : symbol_text(&provider->symbols, pool);

    vec_push(arena, tags, (Ec2Tag){SLICE("karpenter.sh/nodepool"), name});
    vec_push(arena, tags,
             (Ec2Tag){SLICE("karpenter.k8s.aws/ec2nodeclass"),
                      symbol_text(&provider->symbols, claim->spec.node_class.name)});
    if (pool_provisioner(name).len)
        vec_push(arena, tags, (Ec2Tag){SLICE("karpenter.sh/managed-by"), provider->config.settings.cluster_name});
}

static Ec2TagVec missing_tags(Arena *arena, const AwsProvider *provider, const NodeClaim *claim,
                              const FoundInstance *found) {
    Slice node = symbol_text(&provider->symbols, claim->node_name);
    Ec2TagVec tags = {0};

    if (!found->has_name && node.len)
        vec_push(arena, &tags, (Ec2Tag){SLICE("Name"), node});
    if (!found->has_claim)
        vec_push(arena, &tags,
                 (Ec2Tag){SLICE("karpenter.sh/nodeclaim"), symbol_text(&provider->symbols, claim->meta.name)});
    if (!found->has_cluster)
        vec_push(arena, &tags, (Ec2Tag){SLICE("eks:eks-cluster-name"), provider->config.settings.cluster_name});
    if (!found->facts.pool.len || !found->node_class.len)
        add_owners(arena, provider, claim, &tags);
    return tags;
}

static ErrCode tag(AwsProvider *provider, Arena *arena, const NodeClaim *claim, const InstanceId *id,
                   CloudError *error) {
    Ec2CreateTagsInput input = {0};
    FoundInstance found = {0};
    AwsOutcome outcome = {0};
    Err err = {0};

    TRY(look_up(provider, arena, id->id, &found, error));
    input.tags = missing_tags(arena, provider, claim, &found);
    if (!input.tags.count)
        return OK;
    vec_push(arena, &input.resources, id->id);
    if (aws_call(provider->client, arena, &ec2_create_tags, &input, NULL, NULL, &outcome, &err) != OK)
        return provider_fail(error, "tagging the instance", &outcome, &err);
    return OK;
}

ErrCode provider_tag(AwsProvider *provider, const NodeClaim *claim, CloudError *error) {
    InstanceId id = instance_id_of(provider, claim->provider_id);
    Arena arena = {0};
    ErrCode code;

    if (!id.id.len)
        return fail_id(&id, error);
    if (instance_zone_is_left(provider, &id))
        return cloud_fail(error, ERR_IO, "the cluster is shifted away from the instance's zone %.*s",
                          SLICE_ARG(id.zone));
    code = tag(provider, &arena, claim, &id, error);
    arena_free(&arena);
    return code;
}

// --- compared

static Slice note_of(const AwsProvider *provider, const Labels *notes, const char *key) {
    Symbol name = symbol_find(&provider->symbols, slice_of(key));
    Symbol value = name == INDEX_NONE ? INDEX_NONE : labels_get(notes, name);

    return value == INDEX_NONE ? (Slice){0} : symbol_text(&provider->symbols, value);
}

static Slice hash_reason(const AwsProvider *provider, const NodeClaim *claim, const ClassSnapshot *snapshot) {
    const Labels *notes = &claim->meta.annotations;
    const DriftHashes hashes = {note_of(provider, notes, "karpenter.k8s.aws/ec2nodeclass-hash"),
                                note_of(provider, notes, "karpenter.k8s.aws/ec2nodeclass-hash-version"), snapshot->hash,
                                SLICE(EC2_NODE_CLASS_HASH_VERSION)};

    return drift_by_hash(&hashes);
}

// The reason by an instance as it was found.
static ErrCode facts_reason(AwsProvider *provider, Arena *arena, const NodeClaim *claim, const ClassSnapshot *snapshot,
                            const FoundInstance *found, Slice *ret_reason, CloudError *error) {
    const InstanceTypeVec *types = provider->neighbours->types(provider, snapshot->name);
    Symbol name = symbol_intern(&provider->symbols, found->facts.type);
    const InstanceType *type = types ? instance_type_find(types, name) : NULL;
    const DriftInstance instance = {
        .image_id = found->facts.image_id,
        .subnet_id = found->facts.subnet_id,
        .security_groups = found->security_groups,
        .reservation_id = found->facts.capacity_type == NAME_RESERVED ? found->facts.reservation_id : (Slice){0},
        .claim_placement_group = note_of(provider, &claim->meta.labels, "karpenter.k8s.aws/placement-group-id"),
    };
    Err err = {0};

    if (!type)
        return cloud_fail(error, ERR_IO, "the instance type %.*s is not known yet", SLICE_ARG(found->facts.type));
    if (drift_by_facts(arena, &provider->symbols, &snapshot->class, type, &instance, snapshot->placement_group_id,
                       ret_reason, &err) != OK)
        return cloud_fail(error, err.code, "%s", err.text);
    return OK;
}

// Sees to it that there is a list that was asked for at that moment or later: makes it, or waits for the one that
// another caller makes. Who waits does so by the client, whose time may be the simulation's.
static ErrCode list_since(AwsProvider *provider, Arena *arena, Mono moment, CloudError *error) {
    CloudInstanceVec instances = {0};
    ErrCode code;

    while (!provider_found_since(provider, moment)) {
        if (provider_found_begin(provider)) {
            code = provider_list(provider, arena, &instances, error);
            provider_found_end(provider);
            return code;
        }
        if (!aws_client_rest(provider->client, LOOK_NS))
            return cloud_fail(error, ERR_IO, "stopped while instances were listed");
    }
    return OK;
}

static bool is_young(const AwsProvider *provider, const NodeClaim *claim) {
    return provider_now(provider).wall_ns - claim->meta.created_ns < YOUNG_NS;
}

// Looks for an instance in the last list, or in one that is made: where none stands, and where the list lacks a young
// instance and is older than the class. So the instances of a burst, of a process that has just started, or of a class
// that changed during a burst are not looked up one by one.
static ErrCode find_listed(AwsProvider *provider, Arena *arena, const NodeClaim *claim, const ClassSnapshot *snapshot,
                           Slice id, FoundInstance *ret_found, bool *ret_is_known, CloudError *error) {
    TRY(list_since(provider, arena, mono_after(provider_now(provider).now, -LIST_STANDS_NS), error));
    *ret_is_known = provider_found_get(provider, arena, id, ret_found);
    if (*ret_is_known || !is_young(provider, claim))
        return OK;
    TRY(list_since(provider, arena, snapshot->published, error));
    *ret_is_known = provider_found_get(provider, arena, id, ret_found);
    return OK;
}

// Whether an instance that the list lacks was launched after it, by the class as it still is: then it is as the class
// wants it.
static bool is_launched_by(AwsProvider *provider, const NodeClaim *claim, const ClassSnapshot *snapshot) {
    return is_young(provider, claim) && provider_found_since(provider, snapshot->published);
}

// By what the last list said; a reservation that seems to be left is looked at again, since it may have been open when
// the list was made.
static ErrCode drift(AwsProvider *provider, Arena *arena, const NodeClaim *claim, const ClassSnapshot *snapshot,
                     Slice *ret_reason, CloudError *error) {
    InstanceId id = instance_id_of(provider, claim->provider_id);
    bool is_known = false, is_left = instance_zone_is_left(provider, &id);
    FoundInstance found = {0};

    *ret_reason = hash_reason(provider, claim, snapshot);
    if (ret_reason->len)
        return OK;
    if (!id.id.len)
        return fail_id(&id, error);
    if (is_left)
        is_known = provider_found_get(provider, arena, id.id, &found);
    else
        TRY(find_listed(provider, arena, claim, snapshot, id.id, &found, &is_known, error));
    if (!is_known && is_launched_by(provider, claim, snapshot))
        return OK;
    if (!is_known)
        TRY(look_up(provider, arena, id.id, &found, error));
    TRY(facts_reason(provider, arena, claim, snapshot, &found, ret_reason, error));
    if (!is_known || is_left || !slice_eq_text(*ret_reason, "CapacityReservationDrift"))
        return OK;
    TRY(look_up(provider, arena, id.id, &found, error));
    return facts_reason(provider, arena, claim, snapshot, &found, ret_reason, error);
}

ErrCode provider_is_drifted(AwsProvider *provider, const NodeClaim *claim, Slice *ret_reason, CloudError *error) {
    Slice name = symbol_text(&provider->symbols, claim->spec.node_class.name);
    const ClassSnapshot *snapshot = provider->neighbours->class_hold(provider, name);
    Arena arena = {0};
    Slice reason = {0};
    ErrCode code;

    if (!snapshot)
        return cloud_fail_class(error, ERR_IO, "EC2NodeClass \"%.*s\" is not known yet", SLICE_ARG(name));
    code = drift(provider, &arena, claim, snapshot, &reason, error);
    provider->neighbours->class_release(snapshot);
    arena_free(&arena);
    if (code == OK)
        *ret_reason = reason; // a constant
    return code;
}
