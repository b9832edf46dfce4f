// Views of the simulated cloud: the memory of unavailable offerings, shared vectors that do not change, and when new
// ones are made.
#include "sim/cloud/market.h"
#include "sim/cloud/translate.h"
#include "sim/cloud/view_marks.h"
#include "sim/support/cloudlet.h"

#define M5_LARGE  "{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}"
#define ON_DEMAND M5_LARGE ", {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}"
#define ZONE_A    "{key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a]}"

static const SimFilter m5_large_a = {SLICE_INIT("m5.large"), SLICE_INIT("us-east-1a"), SLICE_INIT("on-demand")};

static bool is_available(Cloudlet *cloudlet) {
    return cloudlet_offering(cloudlet, "m5.large", "us-east-1a", "on-demand")->available;
}

// A launch without capacity, so that this view remembers it.
static void learn_of_no_capacity(Cloudlet *cloudlet) {
    CloudInstance instance;

    assert_int_equal(sim_cloud_fault_ice(cloudlet->cloud, m5_large_a, true), 1);
    assert_int_equal(cloudlet_launch(cloudlet, cloudlet_claim(cloudlet, ON_DEMAND ", " ZONE_A, "1"), &instance, NULL),
                     ERR_CAPACITY);
    sim_cloud_fault_ice(cloudlet->cloud, m5_large_a, false);
}

static void start_anew(Cloudlet *cloudlet) {
    sim_view_free(cloudlet->view);
    cloudlet->view = sim_view_new(cloudlet->cloud, state_symbols(cloudlet->state));
    cloudlet->table = sim_view_cloud(cloudlet->view);
}

// aws.md 2.3. Even if there is capacity again.
TEST(no_capacity_is_remembered_for_three_minutes) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    CloudInstance instance;

    learn_of_no_capacity(cloudlet);
    cluster_run(cloudlet->world, MINUTES(3) - 1);
    assert_false(is_available(cloudlet));
    assert_int_equal(cloudlet_launch(cloudlet, cloudlet_claim(cloudlet, ON_DEMAND ", " ZONE_A, "1"), &instance, NULL),
                     ERR_CAPACITY);
    cluster_run(cloudlet->world, 1);
    assert_true(is_available(cloudlet));
    cloudlet_one(cloudlet, ON_DEMAND ", " ZONE_A);
    cloudlet_free(cloudlet);
}

TEST(how_long_it_is_remembered_can_be_set) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.unavailable_ns = SECONDS(20)});

    learn_of_no_capacity(cloudlet);
    cluster_run(cloudlet->world, SECONDS(20) - 1);
    assert_false(is_available(cloudlet));
    cluster_run(cloudlet->world, 1);
    assert_true(is_available(cloudlet));
    cloudlet_free(cloudlet);
}

// It was marked again before the first mark expired: the later mark counts.
TEST(a_second_failure_begins_the_time_anew) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});

    learn_of_no_capacity(cloudlet);
    cluster_run(cloudlet->world, MINUTES(2));
    cloud_view_mark_unavailable(
        cloudlet->view,
        cloud_market_find_pool(cloudlet->cloud, symbol_find(world_symbols(cloudlet->world), SLICE("m5.large")),
                               symbol_find(world_symbols(cloudlet->world), SLICE("us-east-1a")), NAME_ON_DEMAND));
    cluster_run(cloudlet->world, MINUTES(2));
    assert_false(is_available(cloudlet));
    cluster_run(cloudlet->world, MINUTES(1));
    assert_true(is_available(cloudlet));
    cloudlet_free(cloudlet);
}

TEST(the_memory_is_gone_with_the_process) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});

    learn_of_no_capacity(cloudlet);
    assert_false(is_available(cloudlet));
    start_anew(cloudlet);
    assert_true(is_available(cloudlet));
    cloudlet_free(cloudlet);
}

TEST(another_process_knows_nothing_of_it) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    SimView *mine = cloudlet->view, *other = sim_view_new(cloudlet->cloud, state_symbols(cloudlet->state));

    learn_of_no_capacity(cloudlet);
    cloudlet->table = sim_view_cloud(other);
    assert_true(is_available(cloudlet));
    cloudlet->table = sim_view_cloud(mine);
    assert_false(is_available(cloudlet));
    sim_view_free(other);
    cloudlet_free(cloudlet);
}

// --- new vectors

static const InstanceType *find_type(Cloudlet *cloudlet, const InstanceTypeVec *types, const char *name) {
    for (vec_each(InstanceType, type, types)) {
        if (type->name == cloudlet_symbol(cloudlet, name))
            return type;
    }
    fail_msg("no type %s", name);
    return NULL;
}

TEST(one_price_makes_the_offerings_of_one_type_anew) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    const InstanceTypeVec *before = cloudlet_types(cloudlet), *after;
    uint32_t changed = 0;

    assert_true(before->count > 700);
    assert_ptr_equal(before, cloudlet_types(cloudlet));
    assert_int_equal(sim_cloud_fault_price(cloudlet->cloud, m5_large_a, 150), 1);
    after = cloudlet_types(cloudlet);
    assert_ptr_not_equal(before, after);
    assert_ptr_equal(after, cloudlet_types(cloudlet));
    for (uint32_t i = 0; i < after->count; i++) {
        changed += before->items[i].offerings.items != after->items[i].offerings.items;
        assert_ptr_equal(before->items[i].requirements.items, after->items[i].requirements.items);
        assert_ptr_equal(before->items[i].capacity.items, after->items[i].capacity.items);
    }
    assert_int_equal(changed, 1);
    assert_ptr_not_equal(find_type(cloudlet, before, "m5.large")->offerings.items,
                         find_type(cloudlet, after, "m5.large")->offerings.items);
    sim_cloud_fault_price(cloudlet->cloud, m5_large_a, 150); // the same again: nothing changed
    assert_ptr_equal(after, cloudlet_types(cloudlet));
    cloudlet_free(cloudlet);
}

// A solve that began before still reads the old vector, which does not change.
TEST(what_was_given_out_stays_as_it_was) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.price_step_ns = MINUTES(5), .price_swing_percent = 30});
    const InstanceTypeVec *before = cloudlet_types(cloudlet);
    const Offering *offering = cloudlet_offering(cloudlet, "m5.large", "us-east-1a", "spot");
    double price = offering->price_per_hour;
    uint32_t changes = 0;

    for (uint32_t i = 0; i < 5; i++) {
        cluster_run(cloudlet->world, MINUTES(5));
        changes += cloudlet_types(cloudlet) != before;
        assert_true(offering->price_per_hour == price);
    }
    assert_int_equal(changes, 5);
    cloudlet_free(cloudlet);
}

// If there are more changes than the log holds between two reads, all are found, and the log stays small.
TEST(a_view_that_was_not_read_for_long_is_complete) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.price_step_ns = MINUTES(1), .price_swing_percent = 30});
    const InstanceTypeVec *types;

    cloudlet_types(cloudlet);
    sim_cloud_fault_price(cloudlet->cloud, m5_large_a, 150);
    cluster_run(cloudlet->world, MINUTES(60));
    assert_true(cloudlet->cloud->changed_pools.begin > 0);
    assert_true(cloudlet->cloud->changed_pools.pools.capacity <= 8 * cloudlet->cloud->pools.count);
    assert_true(cloudlet_offering(cloudlet, "m5.large", "us-east-1a", "on-demand")->price_per_hour == 0.144);
    types = cloudlet_types(cloudlet);
    for (vec_each(const InstanceType, type, types)) {
        for (vec_each(const Offering, offering, &type->offerings)) {
            int64_t nano = sim_cloud_price(cloudlet->cloud, symbol_text(state_symbols(cloudlet->state), type->name),
                                           symbol_text(state_symbols(cloudlet->state), offering->zone),
                                           symbol_text(state_symbols(cloudlet->state), offering->capacity_type));

            if (nano >= 0 && offering->available)
                assert_true(offering->price_per_hour - (double)nano / 1e9 < 1e-9 &&
                            (double)nano / 1e9 - offering->price_per_hour < 1e-9);
        }
    }
    cloudlet_free(cloudlet);
}

TEST(another_node_class_has_types_of_its_own) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    const InstanceTypeVec *before = cloudlet_types(cloudlet), *after;
    int64_t pods = resources_get(&find_type(cloudlet, before, "m5.large")->capacity, NAME_PODS);

    cluster_patch(cloudlet->world, KUBE_EC2_NODE_CLASS, "", "default", KUBE_OBJECT, "{spec: {kubelet: {maxPods: 17}}}");
    world_settle(cloudlet->world);
    after = cloudlet_types(cloudlet);
    assert_ptr_not_equal(before, after);
    assert_int_equal(pods, 29);
    assert_int_equal(resources_get(&find_type(cloudlet, after, "m5.large")->capacity, NAME_PODS), 17);
    assert_int_equal(resources_get(&find_type(cloudlet, before, "m5.large")->capacity, NAME_PODS), 29);
    cloudlet_free(cloudlet);
}

// --- symbols

// Programs with different symbols for the same texts see the same cloud.
TEST(a_view_speaks_the_symbols_of_its_program) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    State *other = state_new();
    Symbols *symbols = state_symbols(other);
    SimView *view;
    CloudInstanceVec instances = {0};
    const SimInstance *shown = cloudlet_instance(cloudlet, cloudlet_one(cloudlet, ON_DEMAND));

    for (uint32_t i = 0; i < 1000; i++)
        symbol_intern(symbols, arena_printf(&cloudlet->arena, "before-%u", i));
    view = sim_view_new(cloudlet->cloud, symbols);
    assert_int_equal(cloud_list(sim_view_cloud(view), &cloudlet->arena, &instances, NULL), OK);
    assert_int_equal(instances.count, 1);
    assert_int_not_equal(instances.items[0].instance_type, shown->instance_type);
    assert_symbol(symbols, instances.items[0].instance_type, "m5.large");
    assert_symbol(symbols, instances.items[0].claim_name, "general-0");
    assert_symbol(symbols, instances.items[0].pool, "general");
    assert_int_equal(instances.items[0].labels.count, shown->labels.count);
    assert_symbol(symbols, labels_get(&instances.items[0].labels, NAME_INSTANCE_TYPE), "m5.large");
    assert_int_equal(resources_get(&instances.items[0].capacity, NAME_CPU), 2000);
    sim_view_free(view);
    state_free(other);
    cloudlet_free(cloudlet);
}

TEST(an_ec2_node_class_is_the_same_in_other_symbols) {
    Symbols from, to;
    Arena arena = {0};
    EC2NodeClass class = {.ami_family = SLICE("AL2023")}, copy;
    Symbol ids[3];

    names_init(&from);
    names_init(&to);
    symbol_intern(&to, SLICE("shifted"));
    for (uint32_t i = 0; i < 3; i++)
        ids[i] = symbol_intern(&from, arena_printf(&arena, "word-%u", i));
    class.meta.name = ids[0];
    vec_push(&arena, &class.subnets, (SubnetStatus){ids[0], ids[1], ids[2]});
    vec_push(&arena, &class.reservations,
             (CapacityReservation){.id = ids[2], .zone = ids[1], .instance_type = ids[0], .available_count = 3});
    resources_set(&arena, &class.kubelet.kube_reserved, NAME_CPU, 250);
    copy = cloud_class_translate(&arena, &from, &to, &class);
    assert_symbol(&to, copy.meta.name, "word-0");
    assert_int_not_equal(copy.meta.name, class.meta.name);
    assert_symbol(&to, copy.subnets.items[0].zone, "word-1");
    assert_symbol(&to, copy.subnets.items[0].zone_id, "word-2");
    assert_symbol(&to, copy.reservations.items[0].id, "word-2");
    assert_int_equal(copy.reservations.items[0].available_count, 3);
    assert_int_equal(resources_get(&copy.kubelet.kube_reserved, NAME_CPU), 250);
    assert_int_equal(cloud_symbol_translate(&from, &to, NAME_CPU), NAME_CPU);
    arena_free(&arena);
    symbols_free(&from);
    symbols_free(&to);
}
