// What EC2 is to be asked for each claim, and which claims are asked for together.
//
// Claims with equal wishes have one plan, and plans that come to the same are joined: of claims that differ in what
// their pods request, the same instance types may be left.
#include "base/buffer.h"
#include "base/map.h"
#include "cloud/aws/launch/failure.h"
#include "cloud/aws/provider/launching/launching.h"
#include "cloud/aws/userdata/node_identity.h"

// Plans by a text.
typedef struct {
    SliceVec texts;
    LaunchPlanVec plans; // of each text; NULL: it cannot be made
    IndexMap by_text;
} PlanIndex;

typedef struct {
    LaunchCall *call;
    PlanIndex wishes;       // by what claims wish
    PlanIndex requests;     // by what EC2 is asked
    Vec(CloudError) errors; // of each wish
} Planning;

static uint32_t index_find(const PlanIndex *index, Slice text) {
    uint32_t cursor = 0, at;

    while ((at = index_map_next(&index->by_text, slice_hash(text), &cursor)) != INDEX_NONE) {
        if (at < index->texts.count && slice_eq(index->texts.items[at], text))
            return at;
    }
    return INDEX_NONE;
}

static void index_add(Arena *arena, PlanIndex *index, Slice text, LaunchPlan *plan) {
    index_map_add(arena, &index->by_text, slice_hash(text), index->texts.count);
    vec_push(arena, &index->texts, arena_slice(arena, text));
    vec_push(arena, &index->plans, plan);
}

// --- the wish of a claim, as bytes

static void put_number(Buffer *text, int64_t number) {
    buffer_append(text, (Slice){(const char *)&number, sizeof number});
}

static void put_requirements(Buffer *text, const Requirements *set) {
    put_number(text, set->count);
    for (uint32_t i = 0; i < set->count; i++) {
        const Requirement *requirement = &set->items[i];

        put_number(text, requirement->key);
        put_number(text, requirement->complement | requirement->has_gte << 1 | requirement->has_lte << 2);
        put_number(text, requirement->gte);
        put_number(text, requirement->lte);
        put_number(text, requirement->min_values);
        put_number(text, requirement->values.count);
        if (requirement->values.count)
            buffer_append(text,
                          (Slice){(const char *)requirement->values.items, requirement->values.count * sizeof(Symbol)});
    }
}

static void put_labels(Buffer *text, const Labels *labels) {
    put_number(text, labels->count);
    for (uint32_t i = 0; i < labels->count; i++) {
        put_number(text, labels->items[i].key);
        put_number(text, labels->items[i].value);
    }
}

static void put_resources(Buffer *text, const Resources *list) {
    put_number(text, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        put_number(text, list->items[i].resource);
        put_number(text, list->items[i].amount);
    }
}

static void put_taints(Buffer *text, const TaintVec *taints) {
    put_number(text, taints->count);
    for (vec_each(const Taint, taint, taints)) {
        put_number(text, taint->key);
        put_number(text, taint->value);
        put_number(text, taint->effect);
    }
}

static Slice annotation(const LaunchCall *call, const NodeClaim *claim, const char *key, bool *ret_has) {
    const Symbols *symbols = &call->provider->symbols;
    Symbol name = symbol_find(symbols, slice_of(key));
    Symbol value = name == INDEX_NONE ? INDEX_NONE : labels_get(&claim->meta.annotations, name);

    *ret_has = value != INDEX_NONE;
    return *ret_has ? symbol_text(symbols, value) : (Slice){0};
}

static bool is_relaxed(const LaunchCall *call, const NodeClaim *claim) {
    bool has;

    return slice_eq_text(annotation(call, claim, "karpenter.sh/nodeclaim-min-values-relaxed", &has), "true");
}

static bool has_overlay(const LaunchCall *call, const NodeClaim *claim) {
    bool has;

    (void)annotation(call, claim, "karpenter.sh/price-overlay-applied", &has);
    return has;
}

// All of the claim that a plan is made of.
static void put_wish(const LaunchCall *call, const LaunchItem *item, Buffer *text) {
    const NodeClaim *claim = item->launch->claim;

    buffer_append(text, item->class->name);
    buffer_append_char(text, '\0');
    put_requirements(text, &item->launch->requirements);
    put_resources(text, &claim->requests);
    put_labels(text, &claim->meta.labels);
    put_taints(text, &claim->spec.taints);
    put_taints(text, &claim->spec.startup_taints);
    put_number(text, is_relaxed(call, claim) | has_overlay(call, claim) << 1);
}

// --- the plan of a wish

// The least partition of the placement group that the claim allows by name; 0: EC2 chooses.
static uint32_t partition_of(const LaunchCall *call, const CloudLaunch *launch) {
    const Symbols *symbols = &call->provider->symbols;
    Symbol key = symbol_find(symbols, SLICE("karpenter.k8s.aws/placement-group-partition"));
    const Requirement *wanted = key == INDEX_NONE ? NULL : requirements_get(&launch->requirements, key);
    uint32_t least = 0;

    for (uint32_t i = 0; wanted && !wanted->complement && i < wanted->values.count; i++) {
        int64_t number = 0;

        if (slice_to_int64(symbol_text(symbols, wanted->values.items[i]), &number) && number > 0 && number < 1000 &&
            (!least || number < least))
            least = (uint32_t)number;
    }
    return least;
}

static ErrCode find_cidr(LaunchCall *call, const LaunchPlan *plan, Slice *ret_cidr, CloudError *error) {
    *ret_cidr = call->cluster.service_cidr;
    if (ret_cidr->len || !slice_eq_text(plan->class->family->name, "AL2023"))
        return OK;
    TRY(call->provider->neighbours->service_cidr(call->provider, &call->scratch, ret_cidr, error));
    call->cluster.service_cidr = *ret_cidr;
    return OK;
}

static ErrCode find_facts(LaunchCall *call, const CloudLaunch *launch, LaunchPlan *plan, CloudError *error) {
    const AwsProvider *provider = call->provider;
    const AwsProviderSettings *settings = &provider->config.settings;
    const ClassSnapshot *snapshot = plan->class->snapshot;
    const NodeClaim *claim = launch->claim;
    Slice cidr = {0};

    if (!call->cluster.endpoint.len)
        return cloud_fail(error, ERR_IO, "the endpoint of the cluster is not known yet");
    TRY(find_cidr(call, plan, &cidr, error));
    plan->facts = (TemplateFacts){
        .symbols = &provider->symbols,
        .class = &snapshot->class,
        .family = plan->class->family,
        .owner = {settings->cluster_name, plan->pool, plan->class->name},
        .region = provider->region,
        .cluster_endpoint = call->cluster.endpoint,
        .ca_bundle = call->cluster.ca_bundle,
        .service_cidr = cidr,
        .dns_ip = call->cluster.dns_ip,
        .labels = node_labels(&call->scratch, &provider->symbols, &claim->meta.labels, plan->choice.capacity_type,
                              plan->class->family),
        .taints = node_taints(&call->scratch, &provider->symbols, &claim->spec.taints, &claim->spec.startup_taints),
        .capacity_type = plan->choice.capacity_type,
        .tenancy = plan->choice.tenancy,
        .placement_group_id = snapshot->placement_group_id,
        .partition = {plan->partition, plan->partition > 0},
        .reserved_capacity = settings->reserved_capacity,
    };
    return OK;
}

// Groups and their templates, of the types of the choice.
static ErrCode find_templates(LaunchCall *call, LaunchPlan *plan, CloudError *error) {
    AwsProvider *provider = call->provider;
    const TemplateGrouping grouping = {&provider->symbols, &plan->class->snapshot->class, plan->choice.capacity_type,
                                       plan->requests_efa};
    InstanceTypeRefVec types = {0};

    for (vec_each(const InstanceType, type, &plan->choice.types))
        vec_push(&call->scratch, &types, type);
    plan->groups = template_groups(&call->scratch, &grouping, &types);
    plan->templates = (TemplateInputVec){0};
    for (vec_each(const TemplateGroup, group, &plan->groups)) {
        Ec2CreateLaunchTemplateInput input;
        size_t bytes;
        Err err = {0};
        ErrCode code = template_write(&call->scratch, &plan->facts, &group->key, &input, &bytes, &err);

        if (code != OK)
            return launch_failure(error, code, slice_of(err.text));
        if (provider->config.counts.user_data)
            provider->config.counts.user_data(provider->config.counts.context, plan->class->name, bytes);
        vec_push(&call->scratch, &plan->templates, input);
    }
    return OK;
}

// Chooses in memory of its own, of which only what was chosen is kept: the filters copy more than a thousand types.
static ErrCode choose(LaunchCall *call, const LaunchWish *wish, const InstanceTypeVec *types, LaunchChoice *ret_choice,
                      CloudError *error) {
    LaunchChoice choice = {0};
    InstanceTypeVec kept = {0};
    Arena arena = {0};
    ErrCode code = launch_choose(&arena, wish, types, &choice, error);

    for (vec_each(const InstanceType, type, &choice.types)) {
        InstanceType copy = *type;

        copy.offerings.items =
            arena_copy(&call->scratch, type->offerings.items, type->offerings.count * sizeof *type->offerings.items);
        copy.offerings.capacity = type->offerings.count;
        vec_push(&call->scratch, &kept, copy);
    }
    arena_free(&arena);
    choice.types = kept;
    if (code == OK)
        *ret_choice = choice;
    return code;
}

static bool has_min_values(const Requirements *requirements) {
    for (uint32_t i = 0; i < requirements->count; i++) {
        if (requirements->items[i].min_values > 0)
            return true;
    }
    return false;
}

static ErrCode make_plan(LaunchCall *call, const LaunchItem *item, LaunchPlan *plan, CloudError *error) {
    AwsProvider *provider = call->provider;
    const NodeClaim *claim = item->launch->claim;
    const LaunchWish wish = {&provider->symbols, &item->launch->requirements, &claim->requests,
                             provider->config.settings.min_values_strict};
    Symbol pool = labels_get(&claim->meta.labels, NAME_NODEPOOL);
    Symbol efa = symbol_find(&provider->symbols, SLICE("vpc.amazonaws.com/efa"));

    plan->class = item->class;
    plan->pool = pool == INDEX_NONE ? (Slice){0} : symbol_text(&provider->symbols, pool);
    plan->requests_efa = efa != INDEX_NONE && resources_get(&claim->requests, efa) > 0;
    plan->min_values_relaxed = is_relaxed(call, claim);
    plan->price_overlay = has_overlay(call, claim);
    plan->has_min_values = has_min_values(&item->launch->requirements);
    if (item->class->snapshot->placement_partitions)
        plan->partition = partition_of(call, item->launch);
    TRY(choose(call, &wish, &item->class->types, &plan->choice, error));
    TRY(find_facts(call, item->launch, plan, error));
    return find_templates(call, plan, error);
}

bool launch_plan_halve(LaunchCall *call, LaunchPlan *plan) {
    uint32_t count = plan->choice.types.count;

    if (count < 2)
        return false;
    plan->choice.types.count = count / 2;
    for (vec_each(const InstanceType, type, &plan->choice.types)) {
        for (vec_each(Offering, offering, &type->offerings))
            offering->available = true;
    }
    return find_templates(call, plan, NULL) == OK;
}

// --- plans that come to the same

// All of a plan that EC2 sees: templates say what of the class, labels and taints matters.
static void put_request(const LaunchPlan *plan, Buffer *text) {
    buffer_append(text, plan->class->name);
    buffer_append_char(text, '\0');
    buffer_append(text, plan->pool);
    buffer_append_char(text, '\0');
    put_number(text, plan->choice.capacity_type);
    put_number(text, plan->partition);
    put_number(text, plan->min_values_relaxed | plan->price_overlay << 1);
    for (uint32_t i = 0; i < plan->groups.count && i < plan->templates.count; i++) {
        buffer_append(text, plan->templates.items[i].launch_template_name);
        buffer_append_char(text, '\0');
        for (vec_each(const InstanceType *const, type, &plan->groups.items[i].types)) {
            put_number(text, (*type)->name);
            put_number(text, (*type)->offerings.count);
            for (vec_each(const Offering, offering, &(*type)->offerings)) {
                put_number(text, (int64_t)offering->zone << 32 | offering->reservation_id);
                buffer_append(text, (Slice){(const char *)&offering->price_per_hour, sizeof(double)});
            }
        }
    }
}

static LaunchPlan *join(Planning *planning, LaunchPlan *plan) {
    Arena *arena = &planning->call->scratch;
    Buffer text = {0};
    uint32_t at;

    put_request(plan, &text);
    at = index_find(&planning->requests, buffer_slice(&text));
    if (at == INDEX_NONE) {
        index_add(arena, &planning->requests, buffer_slice(&text), plan);
    } else {
        LaunchPlan *equal = planning->requests.plans.items[at];

        equal->has_min_values |= plan->has_min_values;
        plan = equal;
    }
    buffer_free(&text);
    return plan;
}

static void warn_inflexible(const LaunchCall *call, const LaunchItem *item, const LaunchPlan *plan) {
    if (plan->choice.is_inflexible)
        provider_log(call->provider, AWS_LOG_INFO, "at least 5 instance types are recommended when spot is allowed",
                     item->name, "%u instance types are left, and the launch is on demand", plan->choice.types.count);
}

// The wish's number, with its plan or error.
static uint32_t plan_wish(Planning *planning, const LaunchItem *item) {
    LaunchCall *call = planning->call;
    Buffer text = {0};
    uint32_t at;

    put_wish(call, item, &text);
    at = index_find(&planning->wishes, buffer_slice(&text));
    if (at == INDEX_NONE) {
        LaunchPlan *plan = arena_new(&call->scratch, LaunchPlan);
        CloudError *error = vec_add(&call->scratch, &planning->errors);

        at = planning->wishes.texts.count;
        if (make_plan(call, item, plan, error) == OK) {
            warn_inflexible(call, item, plan);
            plan = join(planning, plan);
        } else {
            plan = NULL;
        }
        index_add(&call->scratch, &planning->wishes, buffer_slice(&text), plan);
    }
    buffer_free(&text);
    return at;
}

static void plan_item(Planning *planning, LaunchItem *item) {
    uint32_t at;

    if (item->class->closed.err.code != OK) {
        launch_fail(item, &item->class->closed);
        return;
    }
    at = plan_wish(planning, item);
    if (planning->wishes.plans.items[at])
        vec_push(&planning->call->scratch, &planning->wishes.plans.items[at]->items, item);
    else
        launch_fail(item, &planning->errors.items[at]);
}

void launch_make_plans(LaunchCall *call, LaunchPlanVec *ret_plans) {
    Planning planning = {.call = call};

    for (uint32_t i = 0; i < call->count; i++) {
        if (!call->items[i].is_done)
            plan_item(&planning, &call->items[i]);
    }
    *ret_plans = planning.requests.plans;
}
