// A fleet for the claims of a plan.
//
// EC2 is asked again, with another token, when claims left before it was asked, when it has lost a template (once), or
// when the request was too large (with fewer types). Each of these can happen a few times, so rounds are counted.
#include "cloud/aws/fleet/ending.h"
#include "cloud/aws/launch/failure.h"
#include "cloud/aws/provider/launching/launching.h"
#include "cloud/aws/template/interfaces.h"

#include <stdlib.h>

enum { ROUNDS_MAX = 12, LOOKUPS_MAX = 4 };

static const int64_t LOOKUP_PAUSE_NS = NS_PER_S;
static const int64_t LOOKUPS_NS = 8 * NS_PER_S; // all of them together

// A round: one request.
typedef struct {
    LaunchCall *call;
    LaunchPlan *plan;
    Fleet fleet;
    ZoneSubnetVec subnets;
    Ec2CreateFleetInput input;
    bool *lost_template; // in this round or an earlier one
} FleetRound;

typedef enum { ROUND_ENDS, ROUND_AGAIN } RoundEnd;

// --- the request

static void fill_fleet(FleetRound *round) {
    Arena *scratch = &round->call->scratch;
    const LaunchPlan *plan = round->plan;

    round->fleet = (Fleet){
        .symbols = &round->call->provider->symbols,
        .class = &plan->class->snapshot->class,
        .owner = plan->facts.owner,
        .choice = &plan->choice,
        .subnets = &round->subnets,
        .groups = &plan->groups,
        .placement_group_id = plan->facts.placement_group_id,
        .has_partitions = plan->class->snapshot->placement_partitions > 0,
        .partition = plan->partition,
        .min_values_relaxed = plan->min_values_relaxed,
        .price_overlay = plan->price_overlay,
    };
    for (vec_each(const Ec2CreateLaunchTemplateInput, template, &plan->templates))
        vec_push(scratch, &round->fleet.template_names, template->launch_template_name);
    for (vec_each(LaunchItem *const, item, &plan->items)) {
        vec_push(scratch, &round->fleet.claims, (*item)->uid);
        if ((*item)->former.token.len)
            vec_push(scratch, &round->fleet.spent, (*item)->former.token);
    }
}

// Subnets are charged with what those instances take, and nothing else.
static void settle_subnets(FleetRound *round, const SubnetUseVec *used) {
    ProviderLaunches *launches = round->call->launches;
    int64_t now_ns = provider_now(round->call->provider).now.ns;

    pthread_mutex_lock(&launches->lock);
    subnets_settle(&launches->subnets, &round->subnets, used, now_ns);
    pthread_mutex_unlock(&launches->lock);
}

static ErrCode ensure_templates(const FleetRound *round, CloudError *error) {
    LaunchCall *call = round->call;
    SliceVec made = {0};
    ErrCode code = templates_ensure(&call->launches->templates, call->provider->client, &round->plan->templates,
                                    &call->scratch, &made, error);

    for (vec_each(const Slice, name, &made))
        provider_log(call->provider, AWS_LOG_DEBUG, "created launch template", round->plan->class->snapshot->name,
                     "%.*s", SLICE_ARG(*name));
    return code;
}

// There are no instances.
static void discharge_subnets(FleetRound *round) {
    const SubnetUseVec nowhere = {0};

    settle_subnets(round, &nowhere);
}

static bool is_ipv6(const FleetRound *round) {
    return template_is_ipv6(round->plan->facts.dns_ip);
}

static ErrCode prepare(FleetRound *round, CloudError *error) {
    LaunchCall *call = round->call;
    LaunchPlan *plan = round->plan;
    ProviderLaunches *launches = call->launches;
    const SubnetWish wish = {.subnets = &plan->class->snapshot->class.subnets,
                             .types = &plan->choice.types,
                             .instances = plan->items.count,
                             .is_ipv6 = is_ipv6(round),
                             .now_ns = provider_now(call->provider).now.ns};
    ErrCode code;

    TRY(ensure_templates(round, error));
    pthread_mutex_lock(&launches->lock);
    code = subnets_choose(&launches->subnets, &call->scratch, &wish, &round->subnets, error);
    pthread_mutex_unlock(&launches->lock);
    if (code != OK)
        return code;
    fill_fleet(round);
    code = fleet_request(&call->scratch, &round->fleet, &round->input, error);
    if (code != OK)
        discharge_subnets(round);
    return code;
}

// --- instances

static int by_uid(const void *a, const void *b) {
    return slice_cmp((*(LaunchItem *const *)a)->uid, (*(LaunchItem *const *)b)->uid);
}

static LaunchRecord record_of(const FleetRound *round, uint32_t rank) {
    return (LaunchRecord){round->input.client_token, rank, round->plan->items.count};
}

// The claims may have an instance of this launch from now on.
static void note_open(FleetRound *round) {
    for (uint32_t i = 0; i < round->plan->items.count; i++) {
        const LaunchRecord record = record_of(round, i);

        launch_note(round->call, round->plan->items.items[i], &record, false);
    }
}

// The claims that are not done have no instance of this launch, and will get none.
static void note_spent(FleetRound *round) {
    for (uint32_t i = 0; i < round->plan->items.count; i++) {
        LaunchItem *item = round->plan->items.items[i];
        const LaunchRecord record = record_of(round, i);

        if (item->is_done)
            continue;
        launch_note(round->call, item, &record, true);
        item->former = record;
    }
}

// Claims with a result leave.
static void drop_done(LaunchItemVec *items) {
    uint32_t kept = 0;

    for (uint32_t i = 0; i < items->count; i++) {
        if (!items->items[i]->is_done)
            items->items[kept++] = items->items[i];
    }
    items->count = kept;
}

static LaunchItem *item_of(const FleetRound *round, Slice uid) {
    const LaunchItem key = {.uid = uid}, *wanted = &key;
    const LaunchItemVec *items = &round->plan->items;
    LaunchItem **found = NULL;

    if (uid.len && items->count)
        found = bsearch(&wanted, items->items, items->count, sizeof(LaunchItem *), by_uid);
    return found ? *found : NULL;
}

// Ends instances that no claim asked for. What fails here is ended as what nobody owns.
static void end_surplus(FleetRound *round, const SliceVec *ids) {
    const AwsProvider *provider = round->call->provider;
    Ending *endings = arena_array(&round->call->scratch, Ending, ids->count);

    instances_end(provider->client, ids, endings);
    for (uint32_t i = 0; i < ids->count; i++) {
        if (endings[i].code != OK && endings[i].code != ERR_NOT_FOUND)
            provider_log(provider, AWS_LOG_ERROR,
                         "failed ending an instance that was launched beyond what was asked for", ids->items[i], "%s",
                         endings[i].err.text);
    }
}

// Without ids that are empty or come twice, which would give a claim's instance to another one.
static void clean_ids(Arena *arena, Ec2CreateFleetOutput *output) {
    SliceVec seen = {0};

    for (vec_each(Ec2FleetInstances, launched, &output->instances)) {
        uint32_t kept = 0;

        for (uint32_t i = 0; i < launched->instance_ids.count; i++) {
            Slice id = launched->instance_ids.items[i];
            bool is_new = id.len > 0;

            for (vec_each(const Slice, other, &seen))
                is_new = is_new && !slice_eq(*other, id);
            if (!is_new)
                continue;
            vec_push(arena, &seen, id);
            launched->instance_ids.items[kept++] = id;
        }
        launched->instance_ids.count = kept;
    }
}

static void give_instances(FleetRound *round, const FleetReading *reading) {
    LaunchCall *call = round->call;
    SliceVec surplus = {0};

    for (vec_each(const FleetInstance, instance, &reading->instances)) {
        LaunchItem *item = item_of(round, instance->claim);
        InstanceFacts facts = instance_launched(&round->fleet, instance, provider_now(call->provider).wall_ns);

        if (item)
            launch_succeed(call, item, &facts);
        else
            vec_push(&call->scratch, &surplus, instance->id);
    }
    if (surplus.count)
        end_surplus(round, &surplus);
}

// --- what an answer says besides

static void mark(FleetRound *round, const FleetReading *reading) {
    AwsProvider *provider = round->call->provider;

    if (reading->marks.count)
        provider->neighbours->mark(provider, &reading->marks);
    for (vec_each(const Symbol, id, &reading->empty_reservations))
        provider->neighbours->reservation_full(provider, *id);
}

static void empty_subnets(FleetRound *round, const FleetReading *reading) {
    ProviderLaunches *launches = round->call->launches;

    pthread_mutex_lock(&launches->lock);
    for (vec_each(const Symbol, id, &reading->empty_subnets))
        subnet_book_empty(&launches->subnets, *id);
    pthread_mutex_unlock(&launches->lock);
}

static CloudError error_of(const FleetReading *reading) {
    CloudError error = reading->error;

    if (error.err.code == OK)
        launch_failure(&error, ERR_IO, SLICE("too few instances returned"));
    if (reading->spot_role_is_denied)
        err_prefix(&error.err,
                   "spot instances need a service-linked role, which may not be made for tenon; run \"aws iam "
                   "create-service-linked-role --aws-service-name spot.amazonaws.com\" once for the account");
    return error;
}

static RoundEnd conclude(FleetRound *round, const FleetReading *reading) {
    LaunchCall *call = round->call;
    uint32_t asked = round->plan->items.count;
    SubnetUseVec used =
        fleet_used_subnets(&call->scratch, &call->provider->symbols, &round->fleet, reading, is_ipv6(round));
    CloudError error = error_of(reading);

    mark(round, reading);
    empty_subnets(round, reading);
    settle_subnets(round, &used);
    give_instances(round, reading);
    note_spent(round);
    drop_done(&round->plan->items);
    if (reading->failures.count)
        provider_log(call->provider, AWS_LOG_ERROR, "failed launching instances", reading->failures.items[0].reason,
                     "%u errors for %u instances: %s", reading->failures.count, asked, error.err.text);
    if (reading->template_is_lost && !*round->lost_template) {
        *round->lost_template = true;
        templates_forget(&call->launches->templates, &round->fleet.template_names);
        return ROUND_AGAIN;
    }
    launch_fail_all(&round->plan->items, &error);
    return ROUND_ENDS;
}

// --- an outcome that is not known

// Looks for the instances until all are there, or the time is over.
static ErrCode look_for(FleetRound *round, FoundInstanceVec *ret_found, Err *err) {
    LaunchCall *call = round->call;
    AwsClient *client = call->provider->client;
    const AwsCallOptions options = {.deadline = mono_after(aws_client_now(client).now, LOOKUPS_NS)};
    ErrCode code = OK;

    for (uint32_t i = 0; i < LOOKUPS_MAX; i++) {
        if (i && !aws_client_rest(client, LOOKUP_PAUSE_NS))
            break;
        code = launch_find_token(call, round->input.client_token, &options, ret_found, err);
        if (code == OK && ret_found->count >= round->plan->items.count)
            break;
    }
    return code;
}

static void give_found(FleetRound *round, const FoundInstanceVec *found) {
    LaunchCall *call = round->call;
    uint32_t asked = round->plan->items.count;
    SubnetUseVec used = {0};
    SliceVec surplus = {0};

    for (uint32_t i = 0; i < found->count; i++) {
        const InstanceFacts *facts = &found->items[i].facts;

        vec_push(&call->scratch, &used,
                 subnet_use(&call->provider->symbols, &round->plan->choice.types, facts->type, facts->subnet_id,
                            is_ipv6(round)));
        if (i < asked)
            launch_succeed(call, round->plan->items.items[i], facts);
        else
            vec_push(&call->scratch, &surplus, facts->id);
    }
    settle_subnets(round, &used);
    drop_done(&round->plan->items);
    if (surplus.count)
        end_surplus(round, &surplus);
}

// Addresses stay taken where it is not known whether there are instances: the next description of the subnets tells.
static RoundEnd find_out(FleetRound *round, const AwsOutcome *outcome, const Err *lost) {
    FoundInstanceVec found = {0};
    CloudError error;
    Err err = {0};
    ErrCode code = look_for(round, &found, &err);

    if (code == OK && found.count >= round->plan->items.count) {
        give_found(round, &found);
        return ROUND_ENDS;
    }
    if (code == OK && !found.count && outcome->kind == AWS_PARAMETERS_DIFFER) {
        discharge_subnets(round);
        note_spent(round); // a new token next time
    } else {
        note_open(round);
    }
    cloud_fail_for(&error, ERR_IO, "LaunchOutcomeUnknown", "whether EC2 has launched instances is not known yet: %s",
                   lost->text);
    launch_fail_all(&round->plan->items, &error);
    return ROUND_ENDS;
}

// --- a round

// EC2 says so where it takes no more bytes (aws#5776).
static bool is_too_large(const AwsOutcome *outcome) {
    return outcome->fault.status == 413 || (slice_eq_text(outcome->fault.code, "InvalidInput") &&
                                            slice_contains(outcome->fault.message, SLICE("too large")));
}

static RoundEnd shrink_or(FleetRound *round, const FleetReading *reading) {
    if (!launch_plan_halve(round->call, round->plan))
        return conclude(round, reading);
    discharge_subnets(round);
    note_spent(round);
    provider_log(round->call->provider, AWS_LOG_INFO, "asking for fewer instance types, as the request was too large",
                 round->plan->class->name, "%u are left", round->plan->choice.types.count);
    return ROUND_AGAIN;
}

static RoundEnd refuse(FleetRound *round, const AwsOutcome *outcome, ErrCode code, const Err *err) {
    FleetReading reading = {0};

    if (outcome->fault.status)
        fleet_refused(&round->call->scratch, &outcome->fault, &reading);
    else
        launch_failure(&reading.error, code, slice_of(err->text));
    if (is_too_large(outcome))
        return shrink_or(round, &reading);
    return conclude(round, &reading);
}

static RoundEnd ask(FleetRound *round) {
    LaunchCall *call = round->call;
    Ec2CreateFleetOutput output = {0};
    FleetReading reading = {0};
    AwsOutcome outcome = {0};
    Err err = {0};
    ErrCode code = aws_call(call->provider->client, &call->scratch, &ec2_create_fleet, &round->input, NULL, &output,
                            &outcome, &err);

    if (code != OK && (outcome.may_be_done || outcome.kind == AWS_PARAMETERS_DIFFER))
        return find_out(round, &outcome, &err);
    if (code != OK)
        return refuse(round, &outcome, code, &err);
    clean_ids(&call->scratch, &output);
    fleet_answer(&call->scratch, &call->provider->symbols, &round->fleet, &output, &reading);
    launch_count_failures(call, round->plan, &reading);
    return conclude(round, &reading);
}

static RoundEnd run_round(LaunchCall *call, LaunchPlan *plan, bool *lost_template) {
    FleetRound round = {.call = call, .plan = plan, .lost_template = lost_template};
    CloudError error = {0};

    if (prepare(&round, &error) != OK) {
        launch_fail_all(&plan->items, &error);
        return ROUND_ENDS;
    }
    if (!launch_write_records(call, &plan->items, round.input.client_token)) {
        discharge_subnets(&round);
        note_spent(&round);
        return ROUND_AGAIN;
    }
    note_open(&round);
    return ask(&round);
}

void launch_fleet(LaunchCall *call, LaunchPlan *plan) {
    bool lost_template = false;
    CloudError error;

    if (plan->items.count)
        qsort(plan->items.items, plan->items.count, sizeof *plan->items.items, by_uid);
    for (uint32_t i = 0; i < ROUNDS_MAX && plan->items.count; i++) {
        if (run_round(call, plan, &lost_template) == ROUND_ENDS)
            return;
    }
    cloud_fail(&error, ERR_IO, "NodeClaims went while their launch was prepared, again and again");
    launch_fail_all(&plan->items, &error);
}
