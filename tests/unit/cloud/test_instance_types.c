// Instance types of an EC2NodeClass: labels, capacity, overhead and offerings as Karpenter computes them. The numbers
// are those of Karpenter's published list of instance types (AL2023, nothing configured) unless a comment says how
// they come about.
#include "cloud/aws/instance_types.h"
#include "harness/test.h"

#include <stdio.h>

static const int64_t MIB = 1 << 20, GIB = 1 << 30;

typedef struct {
    Arena arena;
    Symbols symbols;
    Ec2Catalogue catalogue;
    EC2NodeClass class;
    Ec2TypeOptions options;
    InstanceTypeVec types;
} World;

static World world;

static void begin(void) {
    world = (World){.options = EC2_TYPE_OPTIONS(SLICE("us-east-1"))};
    names_init(&world.symbols);
    world.class.ami_family = SLICE("AL2023");
    world.class.meta.name = symbol_intern(&world.symbols, SLICE("default"));
    world.class.meta.file = SLICE("class.yaml");
    world.class.meta.line = 7;
    assert_int_equal(
        ec2_catalogue_parse(&world.arena, SLICE("ec2.tsv"), ec2_catalogue_embedded(), &world.catalogue, NULL), OK);
}

static void end(void) {
    symbols_free(&world.symbols);
    arena_free(&world.arena);
}

BEFORE_EACH(begin);
AFTER_EACH(end);

static Symbol symbol(const char *text) {
    return symbol_intern(&world.symbols, slice_of(text));
}

static void compute(void) {
    Err err = {0};

    if (ec2_instance_types(&world.arena, &world.symbols, &world.catalogue, &world.options, &world.class, &world.types,
                           &err) != OK)
        fail_msg("%s", err.text);
}

static void assert_refused(ErrCode code, const char *message) {
    Err err = {0};

    assert_int_equal(ec2_instance_types(&world.arena, &world.symbols, &world.catalogue, &world.options, &world.class,
                                        &world.types, &err),
                     code);
    if (!slice_starts_with(slice_of(err.text), slice_of(message)))
        fail_msg("expected \"%s…\", got \"%s\"", message, err.text);
}

static const InstanceType *type_of(const char *name) {
    for (uint32_t i = 0; i < world.types.count; i++) {
        if (world.types.items[i].name == symbol(name))
            return &world.types.items[i];
    }
    fail_msg("no type %s", name);
    return NULL;
}

static int64_t capacity(const char *type, const char *resource) {
    return resources_get(&type_of(type)->capacity, symbol(resource));
}

static int64_t allocatable(const char *type, const char *resource) {
    Resources amounts = instance_type_allocatable(&world.arena, &world.symbols, type_of(type), NULL);

    return resources_get(&amounts, symbol(resource));
}

// The values of a label, joined by spaces in the order of the symbols; "-" when DoesNotExist.
static void assert_label(const char *type, const char *key, const char *expected) {
    const Requirement *requirement = requirements_get(&type_of(type)->requirements, symbol(key));
    Slice got = SLICE("-");

    assert_non_null(requirement);
    assert_false(requirement->complement);
    for (uint32_t i = 0; i < requirement->values.count; i++)
        got = arena_printf(&world.arena, "%.*s%s%.*s", i ? (int)got.len : 0, got.ptr, i ? " " : "",
                           SLICE_ARG(symbol_text(&world.symbols, requirement->values.items[i])));
    if (!slice_eq_text(got, expected))
        fail_msg("%s %s: expected \"%s\", got \"%.*s\"", type, key, expected, SLICE_ARG(got));
}

static const Offering *offering_of(const char *type, const char *zone, Symbol capacity_type) {
    const OfferingVec *offerings = &type_of(type)->offerings;

    for (uint32_t i = 0; i < offerings->count; i++) {
        if (offerings->items[i].zone == symbol(zone) && offerings->items[i].capacity_type == capacity_type)
            return &offerings->items[i];
    }
    fail_msg("%s has no such offering in %s", type, zone);
    return NULL;
}

// Memory in MiB; pods are capacity.
TEST(allocatable_is_that_of_karpenters_list) {
    static const struct {
        const char *type;
        int64_t cpu_milli, memory_mib, pods;
    } rows[] = {
        {"m5.large", 1930, 6903, 29},
        {"c7i.2xlarge", 7910, 14162, 58},
        {"a1.medium", 940, 1392, 8},
        {"a1.large", 1930, 3055, 29},
        {"a1.xlarge", 3920, 6525, 58},
        {"t3.micro", 1930, 548, 4},
        {"t4g.small", 1930, 1359, 11},
        {"m4.large", 1930, 7002, 20},
        {"m7g.16xlarge", 63770, 233962, 737},
        {"m8g.medium", 940, 3286, 8},
        {"r7iz.metal-32xl", 127610, 961470, 737},
        {"c8gn.48xlarge", 191450, 356820, 590},
        {"g5.xlarge", 3920, 14162, 58},
        {"p5.48xlarge", 191450, 1938410, 100},
        {"inf2.24xlarge", 95690, 355262, 737},
        {"trn1.32xlarge", 127610, 481894, 247},
        {"u-6tb1.56xlarge", 223370, 5811134, 737},
    };

    compute();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(allocatable(rows[i].type, "cpu"), rows[i].cpu_milli);
        assert_int_equal(allocatable(rows[i].type, "memory"), rows[i].memory_mib * MIB);
        assert_int_equal(allocatable(rows[i].type, "pods"), rows[i].pods);
    }
}

// aws.md 13 row 2: the steps of m5.large.
TEST(m5_large_step_by_step) {
    const Resources *overhead;

    compute();
    overhead = &type_of("m5.large")->overhead;
    assert_int_equal(capacity("m5.large", "memory"), 7577 * MIB);
    assert_int_equal(resources_get(overhead, NAME_MEMORY), (574 + 100) * MIB);
    assert_int_equal(resources_get(overhead, NAME_CPU), 70);
    assert_int_equal(capacity("m5.large", "ephemeral-storage"), 20 * GIB);
    assert_int_equal(resources_get(overhead, NAME_EPHEMERAL_STORAGE), GIB + 2 * GIB); // 1Gi + 10 % of 20Gi
    assert_int_equal(capacity("m5.large", "vpc.amazonaws.com/pod-eni"), 9);
}

// R094: the machine of a seed's log.
TEST(a_c7i_2xlarge_is_that_of_the_seed) {
    compute();
    assert_int_equal(allocatable("c7i.2xlarge", "cpu"), 7910);
    assert_int_equal(allocatable("c7i.2xlarge", "memory"), 14162 * MIB);
    assert_int_equal(allocatable("c7i.2xlarge", "ephemeral-storage"), 17 * GIB);
    assert_int_equal(allocatable("c7i.2xlarge", "pods"), 58);
    assert_int_equal(allocatable("c7i.2xlarge", "vpc.amazonaws.com/pod-eni"), 38);
}

// R093: security groups for pods need a type with branch interfaces.
TEST(branch_interfaces_are_a_resource_of_types_that_have_them) {
    static const struct {
        const char *type;
        int64_t count;
    } rows[] = {{"m5.large", 9}, {"c7i.2xlarge", 38}, {"c5.xlarge", 18}, {"t3.large", 0}, {"m4.large", 0}};

    compute();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(capacity(rows[i].type, "vpc.amazonaws.com/pod-eni"), rows[i].count);
}

// aws.md 13 row 4.
TEST(reserved_cpu_follows_the_bands) {
    static const struct {
        const char *type;
        int64_t cpus, reserved_milli;
    } rows[] = {{"a1.medium", 1, 60},  {"m5.large", 2, 70},     {"m5.xlarge", 4, 80},
                {"m5.2xlarge", 8, 90}, {"m5.4xlarge", 16, 110}, {"m5.24xlarge", 96, 310}};

    compute();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(capacity(rows[i].type, "cpu"), rows[i].cpus * 1000);
        assert_int_equal(resources_get(&type_of(rows[i].type)->overhead, NAME_CPU), rows[i].reserved_milli);
    }
}

TEST(labels_are_those_of_karpenters_list) {
    compute();
    assert_label("m5.large", "node.kubernetes.io/instance-type", "m5.large");
    assert_label("m5.large", "kubernetes.io/arch", "amd64");
    assert_label("m5.large", "kubernetes.io/os", "linux");
    assert_label("m5.large", "node.kubernetes.io/windows-build", "-");
    assert_label("m5.large", "topology.kubernetes.io/region", "us-east-1");
    assert_label("m5.large", "karpenter.sh/capacity-type", "on-demand spot");
    assert_label("m5.large", "karpenter.k8s.aws/instance-category", "m");
    assert_label("m5.large", "karpenter.k8s.aws/instance-generation", "5");
    assert_label("m5.large", "karpenter.k8s.aws/instance-family", "m5");
    assert_label("m5.large", "karpenter.k8s.aws/instance-size", "large");
    assert_label("m5.large", "karpenter.k8s.aws/instance-capability-flex", "false");
    assert_label("m5.large", "karpenter.k8s.aws/instance-cpu", "2");
    assert_label("m5.large", "karpenter.k8s.aws/instance-memory", "8192");
    assert_label("m5.large", "karpenter.k8s.aws/instance-cpu-manufacturer", "intel");
    assert_label("m5.large", "karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz", "3100");
    assert_label("m5.large", "karpenter.k8s.aws/instance-ebs-bandwidth", "4750");
    assert_label("m5.large", "karpenter.k8s.aws/instance-network-bandwidth", "750");
    assert_label("m5.large", "karpenter.k8s.aws/instance-local-nvme", "-");
    assert_label("m5.large", "karpenter.k8s.aws/instance-gpu-name", "-");
    assert_label("m5.large", "karpenter.k8s.aws/instance-accelerator-count", "-");
    assert_label("m5.large", "karpenter.k8s.aws/instance-hypervisor", "nitro");
    assert_label("m5.large", "karpenter.k8s.aws/instance-encryption-in-transit-supported", "false");
    assert_label("m5.large", "karpenter.k8s.aws/instance-tenancy", "default dedicated");
    assert_label("m5.large", "karpenter.k8s.aws/capacity-reservation-id", "-");
    assert_label("c7i-flex.large", "karpenter.k8s.aws/instance-capability-flex", "true");
    assert_label("c7i-flex.large", "karpenter.k8s.aws/instance-generation", "7");
    assert_label("u-6tb1.56xlarge", "karpenter.k8s.aws/instance-category", "u");
    assert_label("u-6tb1.56xlarge", "karpenter.k8s.aws/instance-generation", "1");
    assert_label("u7i-12tb.224xlarge", "karpenter.k8s.aws/instance-generation", "7");
    assert_label("m5.metal", "karpenter.k8s.aws/instance-hypervisor", "");
}

TEST(accelerators_are_labels_and_resources) {
    compute();
    assert_label("p4d.24xlarge", "karpenter.k8s.aws/instance-gpu-name", "a100");
    assert_label("p4d.24xlarge", "karpenter.k8s.aws/instance-gpu-manufacturer", "nvidia");
    assert_label("p4d.24xlarge", "karpenter.k8s.aws/instance-gpu-count", "8");
    assert_label("p4d.24xlarge", "karpenter.k8s.aws/instance-gpu-memory", "40960");
    assert_label("p4d.24xlarge", "karpenter.k8s.aws/instance-local-nvme", "8000");
    assert_label("inf2.24xlarge", "karpenter.k8s.aws/instance-accelerator-name", "inferentia2");
    assert_label("inf2.24xlarge", "karpenter.k8s.aws/instance-accelerator-manufacturer", "aws");
    assert_label("inf2.24xlarge", "karpenter.k8s.aws/instance-accelerator-count", "6");
    assert_int_equal(capacity("p4d.24xlarge", "nvidia.com/gpu"), 8);
    assert_int_equal(capacity("p4d.24xlarge", "vpc.amazonaws.com/efa"), 4);
    assert_int_equal(capacity("inf2.24xlarge", "aws.amazon.com/neuron"), 6);
    assert_int_equal(capacity("inf2.24xlarge", "aws.amazon.com/neuroncore"), 2 * 6);
    assert_int_equal(capacity("m5.large", "nvidia.com/gpu"), 0);
}

TEST(kubelet_settings_change_pods_and_overhead) {
    KubeletSettings *kubelet = &world.class.kubelet;

    *kubelet = (KubeletSettings){.has_max_pods = true, .max_pods = 110, .has_pods_per_core = true, .pods_per_core = 8};
    resources_set(&world.arena, &kubelet->kube_reserved, NAME_CPU, 200);
    resources_set(&world.arena, &kubelet->system_reserved, NAME_MEMORY, 64 * MIB);
    labels_set(&world.arena, &kubelet->eviction_hard, symbol("memory.available"), symbol("5%"));
    labels_set(&world.arena, &kubelet->eviction_hard, symbol("nodefs.available"), symbol("3Gi"));
    compute();
    assert_int_equal(capacity("m5.large", "pods"), 16);
    assert_int_equal(capacity("m5.24xlarge", "pods"), 110);
    assert_int_equal(resources_get(&type_of("m5.large")->overhead, NAME_CPU), 200);
    // 574Mi of the ENI limit, whatever maxPods says, 64Mi of the system, 5 % of 7577Mi rounded up to a byte
    assert_int_equal(resources_get(&type_of("m5.large")->overhead, NAME_MEMORY),
                     (574 + 64) * MIB + (7577 * MIB * 5 + 99) / 100);
    assert_int_equal(resources_get(&type_of("m5.large")->overhead, NAME_EPHEMERAL_STORAGE), GIB + 3 * GIB);
}

TEST(a_threshold_of_100_percent_is_off) {
    labels_set(&world.arena, &world.class.kubelet.eviction_hard, symbol("memory.available"), symbol("100%"));
    compute();
    assert_int_equal(resources_get(&type_of("m5.large")->overhead, NAME_MEMORY), 574 * MIB);
}

TEST(reserved_interfaces_and_memory_overhead_are_settings) {
    world.options.reserved_enis = 1;
    world.options.vm_memory_overhead_percent = 0;
    compute();
    assert_int_equal(capacity("m5.large", "pods"), 2 * 9 + 2);
    assert_int_equal(capacity("m5.large", "memory"), 8192 * MIB);
    assert_int_equal(capacity("m6g.large", "memory"), (8192 - 64) * MIB);
    // kube-reserved still counts every interface
    assert_int_equal(resources_get(&type_of("m5.large")->overhead, NAME_MEMORY), (574 + 100) * MIB);
    world.options.reserved_enis = 99;
    compute();
    assert_int_equal(capacity("m5.large", "pods"), 0);
}

TEST(families_differ) {
    world.class.ami_family = SLICE("Bottlerocket");
    world.class.kubelet =
        (KubeletSettings){.has_max_pods = true, .max_pods = 50, .has_pods_per_core = true, .pods_per_core = 1};
    compute();
    assert_int_equal(capacity("m5.large", "pods"), 50); // podsPerCore is not for Bottlerocket
    assert_int_equal(resources_get(&type_of("m5.large")->overhead, NAME_MEMORY), (11 * 50 + 255 + 100) * MIB);

    world.class.ami_family = SLICE("Windows2022");
    world.class.kubelet = (KubeletSettings){0};
    compute();
    assert_int_equal(capacity("m5.large", "pods"), 110);
    assert_int_equal(capacity("m5.large", "ephemeral-storage"), 50 * GIB);
    assert_int_equal(capacity("m5.large", "vpc.amazonaws.com/PrivateIPv4Address"), 9);
    assert_label("m5.large", "kubernetes.io/os", "windows");
    assert_label("m5.large", "node.kubernetes.io/windows-build", "10.0.20348");
    assert_label("m6g.large", "kubernetes.io/os", "-");
}

static void set_device(const char *name, const char *size, bool root) {
    BlockDeviceMapping device = {.device_name = slice_of(name), .root_volume = root, .volume_size = slice_of(size)};

    vec_push(&world.arena, &world.class.block_devices, device);
}

// R019: as large as the disk of the pods.
TEST(storage_follows_block_devices) {
    set_device("/dev/sdb", "300Gi", false);
    set_device("/dev/xvda", "100Gi", false);
    set_device("/dev/sdc", "500G", false);
    compute();
    assert_int_equal(capacity("m5.large", "ephemeral-storage"), 100 * GIB);

    world.class.ami_family = SLICE("Custom"); // the last one
    compute();
    assert_int_equal(capacity("m5.large", "ephemeral-storage"), 500000000000);

    set_device("/dev/sdd", "70Gi", true);
    set_device("/dev/sde", "", false);
    compute();
    assert_int_equal(capacity("m5.large", "ephemeral-storage"), 70 * GIB);
}

TEST(raid0_takes_the_local_disks) {
    set_device("/dev/xvda", "100Gi", true);
    world.class.instance_store_policy = SLICE("RAID0");
    compute();
    assert_int_equal(capacity("p4d.24xlarge", "ephemeral-storage"), 8000 * INT64_C(1000000000));
    assert_int_equal(capacity("m5.large", "ephemeral-storage"), 100 * GIB);
}

// m5.large: 27 attachments, 1 boot volume, and the second network interface. m7i.large: dedicated attachments.
TEST(volume_limits_leave_room_for_boot_volumes) {
    const VolumeLimit *limit;

    compute();
    limit = &type_of("m5.large")->volume_limits.items[0];
    assert_int_equal(limit->driver, symbol("ebs.csi.aws.com"));
    assert_int_equal(limit->count, 25);
    assert_int_equal(type_of("m7i.large")->volume_limits.items[0].count, 31);
    set_device("/dev/xvda", "20Gi", true);
    set_device("/dev/xvdb", "20Gi", false);
    set_device("/dev/xvdc", "20Gi", false);
    compute();
    assert_int_equal(type_of("m5.large")->volume_limits.items[0].count, 23);
}

// R109: a type is looked for by region, zone and capacity type.
TEST(offerings_carry_prices_of_the_region) {
    const Offering *on_demand, *spot;

    compute();
    on_demand = offering_of("m5.large", "us-east-1b", NAME_ON_DEMAND);
    spot = offering_of("m5.large", "us-east-1b", NAME_SPOT);
    assert_true(on_demand->available && spot->available);
    assert_true(on_demand->price_per_hour == 0.096);
    assert_true(spot->price_per_hour > 0.01 && spot->price_per_hour < 0.05);
    assert_false(offering_of("m5.large", "us-east-1e", NAME_ON_DEMAND)->available); // not offered there
    assert_int_equal(type_of("m5.large")->offerings.count, 12);
    assert_int_equal(on_demand->requirements.count, 6);
    assert_int_equal(requirements_get(&on_demand->requirements, NAME_ZONE_ID)->values.items[0], symbol("use1-az4"));

    world.options.region = SLICE("ap-northeast-2");
    compute();
    assert_true(offering_of("m5.large", "ap-northeast-2a", NAME_ON_DEMAND)->price_per_hour == 0.118);
}

static void add_subnet(const char *zone, const char *zone_id) {
    SubnetStatus subnet = {symbol("subnet-1"), symbol(zone), zone_id ? symbol(zone_id) : NAME_EMPTY};

    vec_push(&world.arena, &world.class.subnets, subnet);
}

TEST(only_zones_with_subnets_are_available) {
    add_subnet("us-east-1b", "use1-az1");
    add_subnet("us-east-1c", NULL);
    add_subnet("us-east-1b", "use1-az1");
    compute();
    assert_label("m5.large", "topology.kubernetes.io/zone", "us-east-1b us-east-1c");
    // the account's own id where the status has one, else the catalogue's
    assert_label("m5.large", "topology.k8s.aws/zone-id", "use1-az1 use1-az6");
    assert_true(offering_of("m5.large", "us-east-1b", NAME_SPOT)->available);
    assert_false(offering_of("m5.large", "us-east-1a", NAME_SPOT)->available);
}

TEST(a1_does_not_run_al2023) {
    compute();
    assert_false(offering_of("a1.large", "us-east-1a", NAME_ON_DEMAND)->available);
    world.class.ami_family = SLICE("AL2");
    compute();
    assert_true(offering_of("a1.large", "us-east-1a", NAME_ON_DEMAND)->available);
}

TEST(a_type_without_price_is_unavailable) {
    compute();
    assert_false(offering_of("r9g.large", "us-east-1b", NAME_ON_DEMAND)->available);
}

static void add_reservation(const char *id, const char *zone, int32_t count, const char *type, const char *state_) {
    CapacityReservation reservation = {.id = symbol(id),
                                       .zone = symbol(zone),
                                       .instance_type = symbol("m5.large"),
                                       .type = symbol(type),
                                       .state = symbol(state_),
                                       .available_count = count};

    vec_push(&world.arena, &world.class.reservations, reservation);
}

TEST(reservations_are_offerings_of_their_type) {
    const OfferingVec *offerings;

    add_reservation("cr-1", "us-east-1b", 3, "default", "active");
    add_reservation("cr-2", "us-east-1b", 2, "capacity-block", "expiring");
    add_reservation("cr-3", "us-east-1c", 0, "default", "active");
    add_reservation("cr-4", "us-east-1c", -1, "default", "active");
    compute();
    assert_label("m5.large", "karpenter.k8s.aws/capacity-reservation-id", "cr-1 cr-2 cr-3 cr-4");
    assert_label("m5.large", "karpenter.k8s.aws/capacity-reservation-interruptible", "false");
    assert_label("m5.xlarge", "karpenter.k8s.aws/capacity-reservation-id", "-");
    assert_int_equal(type_of("m5.xlarge")->offerings.count, 12);
    offerings = &type_of("m5.large")->offerings;
    assert_int_equal(offerings->count, 16);
    assert_true(offerings->items[12].available);
    assert_int_equal(offerings->items[12].capacity_type, NAME_RESERVED);
    assert_int_equal(offerings->items[12].reservation_id, symbol("cr-1"));
    assert_int_equal(offerings->items[12].reservation_capacity, 3);
    assert_true(offerings->items[12].price_per_hour == 0.096 / 10000000);
    assert_false(offerings->items[13].available); // expiring
    assert_true(offerings->items[14].available);  // full, which is not unavailable: changes.md 3
    assert_int_equal(offerings->items[14].reservation_capacity, 0);
    assert_int_equal(offerings->items[15].reservation_capacity, 0);
    assert_true(requirements_get(&type_of("m5.large")->requirements, NAME_CAPACITY_TYPE)->values.count == 3);
}

static void add_interface(const char *type, int32_t card, int32_t device) {
    NetworkInterface interface = {symbol(type), card, device};

    vec_push(&world.arena, &world.class.network_interfaces, interface);
}

TEST(network_interfaces_limit_types) {
    add_interface("interface", 0, 0);
    add_interface("efa-only", 0, 1);
    add_interface("efa-only", 1, 1);
    compute();
    assert_int_equal(capacity("p4d.24xlarge", "vpc.amazonaws.com/efa"), 2);
    assert_int_equal(capacity("p4d.24xlarge", "pods"), 14 * 49 + 2); // 15 on the first card, one is efa-only
    assert_true(offering_of("p4d.24xlarge", "us-east-1b", NAME_ON_DEMAND)->available ||
                offering_of("p4d.24xlarge", "us-east-1c", NAME_ON_DEMAND)->available);
    assert_false(offering_of("m5.large", "us-east-1b", NAME_ON_DEMAND)->available); // one card, no EFA
}

TEST(nested_virtualization_enclaves_and_connection_tracking_limit_types) {
    world.class.nested_virtualization = true;
    compute();
    assert_false(offering_of("m5.large", "us-east-1b", NAME_ON_DEMAND)->available);
    assert_true(offering_of("m8i.large", "us-east-1b", NAME_ON_DEMAND)->available);
    world.class.nested_virtualization = false;
    world.class.launch.enclaves = (OptionalBool){.value = true, .has = true};
    compute();
    assert_true(offering_of("m5.xlarge", "us-east-1b", NAME_ON_DEMAND)->available);
    assert_false(offering_of("t3.nano", "us-east-1b", NAME_ON_DEMAND)->available);
    world.class.launch.enclaves = (OptionalBool){0};
    world.class.has_connection_tracking = true;
    compute();
    assert_true(offering_of("m5.large", "us-east-1b", NAME_ON_DEMAND)->available);
    assert_false(offering_of("m5.metal", "us-east-1b", NAME_ON_DEMAND)->available);
    assert_false(offering_of("m4.large", "us-east-1b", NAME_ON_DEMAND)->available);
}

// Every region gives types, each with the same keys, positive allocatable amounts, and an offering in its zones.
TEST(every_region_works) {
    uint32_t keys = 0;

    for (uint32_t r = 0; r < world.catalogue.regions.count; r++) {
        world.options.region = world.catalogue.regions.items[r].name;
        compute();
        assert_true(world.types.count > 200);
        keys = keys ? keys : world.types.items[0].requirements.count;
        for (uint32_t i = 0; i < world.types.count; i++) {
            const InstanceType *type = &world.types.items[i];
            Resources amounts = instance_type_allocatable(&world.arena, &world.symbols, type, NULL);

            assert_int_equal(type->requirements.count, keys);
            assert_true(resources_get(&amounts, NAME_CPU) > 0);
            assert_true(resources_get(&amounts, NAME_PODS) > 0);
            assert_true(type->offerings.count > 0);
            assert_true(requirements_get(&type->requirements, NAME_ZONE)->values.count > 0);
        }
    }
    print_message("%u regions, %u labels per type\n", world.catalogue.regions.count, keys);
}

TEST(wrong_input_is_refused) {
    world.options.region = SLICE("mars-east-1");
    assert_refused(ERR_NOT_FOUND, "region \"mars-east-1\" is not in the catalogue; give one of: us-east-1, af-south-1");
    world.options.region = SLICE("us-east-1");

    world.class.ami_family = SLICE("Gentoo");
    assert_refused(ERR_INVALID, "EC2NodeClass default: spec.amiFamily: expected AL2, AL2023, Bottlerocket, Custom, "
                                "Windows2019, Windows2022 or Windows2025, got \"Gentoo\" (class.yaml:7)");
    world.class.ami_family = SLICE("AL2");

    set_device("/dev/xvda", "large", false);
    assert_refused(ERR_INVALID, "EC2NodeClass default: spec.blockDeviceMappings[0].ebs.volumeSize: expected a quantity "
                                "such as \"20Gi\", got \"large\" (class.yaml:7)");
    world.class.block_devices.count = 0;

    labels_set(&world.arena, &world.class.kubelet.eviction_hard, symbol("memory.available"), symbol("101%"));
    assert_refused(ERR_INVALID,
                   "EC2NodeClass default: spec.kubelet.evictionHard[memory.available]: expected a quantity "
                   "(\"100Mi\") or a percentage from 0% to 100%, got \"101%\" (class.yaml:7)");
    world.class.kubelet.eviction_hard.count = 0;

    add_subnet("eu-west-1a", NULL);
    assert_refused(ERR_INVALID, "EC2NodeClass default: status.subnets: expected a zone of region us-east-1, got "
                                "eu-west-1a; give the region that the subnets are in (class.yaml:7)");
}
