// Which subnet a launch uses, and addresses in flight: upstream's areas "cloud provider" (subnet choice) and "subnets"
// (pkg/cloudprovider/suite_test.go, pkg/providers/subnet/suite_test.go). Reference aws.md 3.3.
#include "cloud/aws/launch/subnet_choice.h"
#include "cloud/support/offers.h"
#include "harness/test.h"

typedef struct {
    TestLaunch *launch;
    SubnetBook book;
    SubnetStatusVec status;
    ZoneSubnetVec chosen;
    bool is_ipv6;
    int64_t now_ns;
} Net;

// Of "subnet-1:a:100 subnet-2:b:50": id, zone, free addresses as described.
static void describe(Net *net, const char *text) {
    SliceVec subnets = test_parts(&net->launch->arena, slice_of(text), ' ');
    Ec2SubnetVec found = {0};

    net->status = (SubnetStatusVec){0};
    for (vec_each(const Slice, subnet, &subnets)) {
        SliceVec parts = test_parts(&net->launch->arena, *subnet, ':');
        int64_t addresses = 0;

        assert_true(parts.count == 3 && slice_to_int64(parts.items[2], &addresses));
        vec_push(&net->launch->arena, &net->status,
                 (SubnetStatus){.id = symbol_intern(&net->launch->symbols, parts.items[0]),
                                .zone = symbol_intern(&net->launch->symbols, parts.items[1])});
        vec_push(&net->launch->arena, &found,
                 (Ec2Subnet){.subnet_id = parts.items[0], .available_ip_address_count = aws_integer(addresses)});
    }
    subnet_book_refresh(&net->book, &net->launch->symbols, &found);
}

static Net net_of(const char *subnets, const char *types) {
    Net net = {.launch = test_launch(types, "")};

    describe(&net, subnets);
    return net;
}

static void net_free(Net *net) {
    subnet_book_free(&net->book);
    test_launch_free(net->launch);
}

static void choose(Net *net, uint32_t instances) {
    const SubnetWish wish = {&net->status, &net->launch->types, instances, net->is_ipv6, net->now_ns};

    assert_int_equal(subnets_choose(&net->book, &net->launch->arena, &wish, &net->chosen, NULL), OK);
}

// `used`: types and subnets of the instances, "m5.large/s-1 t3.small/s-1".
static void settle(Net *net, const char *used) {
    SliceVec instances = test_parts(&net->launch->arena, slice_of(used), ' ');
    SubnetUseVec uses = {0};

    for (vec_each(const Slice, instance, &instances)) {
        SliceVec parts = test_parts(&net->launch->arena, *instance, '/');

        vec_push(&net->launch->arena, &uses,
                 subnet_use(&net->launch->symbols, &net->launch->types, parts.items[0], parts.items[1], net->is_ipv6));
    }
    subnets_settle(&net->book, &net->chosen, &uses, net->now_ns);
}

// "a:subnet-1 b:subnet-2", and behind it the book: " 71 50".
static void assert_net(Net *net, const char *chosen, const char *book) {
    Arena *arena = &net->launch->arena;
    Slice text = SLICE(""), addresses = SLICE("");

    for (vec_each(const ZoneSubnet, subnet, &net->chosen))
        text = arena_printf(arena, "%.*s%s%.*s:%.*s", SLICE_ARG(text), text.len ? " " : "",
                            SLICE_ARG(symbol_text(&net->launch->symbols, subnet->zone)),
                            SLICE_ARG(symbol_text(&net->launch->symbols, subnet->id)));
    for (vec_each(const SubnetStatus, subnet, &net->status))
        addresses = arena_printf(arena, "%.*s%s%lld", SLICE_ARG(addresses), addresses.len ? " " : "",
                                 (long long)subnet_book_addresses(&net->book, subnet->id));
    assert_string_equal(arena_text(arena, text), chosen);
    assert_string_equal(arena_text(arena, addresses), book);
}

#define TYPES "m5.large pods=29: o:a:1 o:b:1; t3.small pods=11: o:a:1"

typedef struct {
    const char *name, *subnets, *types;
    uint32_t instances;
    const char *chosen, *book;  // after the choice
    const char *used, *settled; // the subnets of what was launched, the book after that
} Row;

static const Row rows[] = {
    {"subnets: R015: the subnet with most free addresses", "s-1:a:10 s-2:a:100", TYPES, 1, "a:s-2", "10 89",
     "t3.small/s-2", "10 89"},
    {"subnets: of equal ones the first", "s-1:a:100 s-2:a:100", TYPES, 1, "a:s-1", "89 100", "t3.small/s-1", "89 100"},
    {"subnets: one for each zone", "s-1:a:100 s-2:b:50 s-3:a:7", TYPES, 1, "a:s-1 b:s-2", "89 21 7", "t3.small/s-1",
     "89 50 7"},
    {"cloud provider: in flight: the smallest type of the zone counts", "s-1:a:100 s-2:b:100", TYPES, 1, "a:s-1 b:s-2",
     "89 71", "m5.large/s-2", "100 71"},
    {"cloud provider: in flight: nothing for a zone without a type", "s-1:c:100", TYPES, 1, "c:s-1", "100", "", "100"},
    {"cloud provider: in flight: for each instance of a fleet", "s-1:a:100 s-2:b:200", TYPES, 3, "a:s-1 b:s-2",
     "67 113", "t3.small/s-1 m5.large/s-2 t3.small/s-1", "78 171"},
    {"cloud provider: in flight: a failed fleet returns all", "s-1:a:100 s-2:b:100", TYPES, 2, "a:s-1 b:s-2", "78 42",
     "", "100 100"},
    {"cloud provider: in flight: a fleet that succeeded in part returns the rest", "s-1:a:100", TYPES, 3, "a:s-1", "67",
     "t3.small/s-1", "89"},
    {"cloud provider: in flight: another launch's subnet is not ours", "s-1:a:100", TYPES, 1, "a:s-1", "89",
     "t3.small/s-9", "100"},
    {"cloud provider: in flight: less than nothing", "s-1:a:5", TYPES, 1, "a:s-1", "-6", "t3.small/s-1", "-6"},
    // aws#5234: what the pods of the instances take that there are, whatever was the least
    {"tenon: addresses of pods: those of the type that came", "s-1:a:100", TYPES, 2, "a:s-1", "78",
     "m5.large/s-1 m5.large/s-1", "42"},
    {"tenon: addresses of pods: of types that differ", "s-1:a:100", TYPES, 2, "a:s-1", "78",
     "m5.large/s-1 t3.small/s-1", "60"},
    {"tenon: addresses of pods: one at least, of a type that nobody knows", "s-1:a:100", TYPES, 1, "a:s-1", "89",
     "x9.huge/s-1", "99"},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

TEST_EACH(const Row, row, addresses_are_counted_while_launches_are_under_way, list_rows) {
    Net net = net_of(row->subnets, row->types);

    choose(&net, row->instances);
    assert_net(&net, row->chosen, row->book);
    settle(&net, row->used);
    assert_net(&net, row->chosen, row->settled);
    net_free(&net);
}

TEST(subnets_the_next_launch_goes_where_the_first_did_not) {
    Net net = net_of("s-1:a:100 s-2:a:95", TYPES);

    choose(&net, 1);
    assert_net(&net, "a:s-1", "89 95");
    choose(&net, 1);
    assert_net(&net, "a:s-2", "89 84");
    net_free(&net);
}

// aws#5234: EC2 counts the addresses that are taken; those of pods are over the next minutes.
TEST(subnets_a_description_does_not_forget_what_is_to_be_taken) {
    Net net = net_of("s-1:a:100", TYPES);

    choose(&net, 1);
    describe(&net, "s-1:a:99"); // the instance has one
    assert_net(&net, "a:s-1", "88");
    settle(&net, "m5.large/s-1");
    assert_net(&net, "a:s-1", "70");
    net.now_ns = SUBNET_CHARGED_NS - 1;
    subnet_book_sweep(&net.book, net.now_ns);
    assert_net(&net, "a:s-1", "70");
    describe(&net, "s-1:a:80"); // the pods run
    subnet_book_sweep(&net.book, SUBNET_CHARGED_NS);
    assert_net(&net, "a:s-1", "80");
    net_free(&net);
}

// A launch of which nobody heard again holds nothing for ever.
TEST(subnets_what_is_never_settled_ends) {
    Net net = net_of("s-1:a:100", TYPES);

    for (uint32_t i = 0; i < 100; i++) {
        choose(&net, 1);
        net.now_ns += SUBNET_CHARGED_NS;
    }
    assert_int_equal(net.book.charges.count, 1);
    assert_net(&net, "a:s-1", "89");
    net_free(&net);
}

TEST(subnets_have_as_many_addresses_as_subnets_can) {
    Net net = net_of("s-1:a:-9223372036854775807 s-2:a:9223372036854775807", TYPES);

    choose(&net, 1);
    assert_net(&net, "a:s-2", "0 16777205");
    net_free(&net);
}

// Pods of an IPv6 cluster have addresses of their own; instances take one.
TEST(subnets_pods_of_ipv6_take_nothing) {
    Net net = net_of("s-1:a:100", TYPES);

    net.is_ipv6 = true;
    choose(&net, 3);
    assert_net(&net, "a:s-1", "97");
    settle(&net, "m5.large/s-1 m5.large/s-1");
    assert_net(&net, "a:s-1", "98");
    net_free(&net);
}

TEST(subnets_without_addresses_are_empty_until_the_next_description) {
    Net net = net_of("s-1:a:100 s-2:a:3", TYPES);

    choose(&net, 1);
    subnet_book_empty(&net.book, net.status.items[0].id);
    settle(&net, "");
    choose(&net, 1);
    assert_net(&net, "a:s-2", "0 -8");
    settle(&net, "");
    describe(&net, "s-1:a:100 s-2:a:3");
    choose(&net, 1);
    assert_net(&net, "a:s-1", "89 3");
    net_free(&net);
}

TEST(subnets_of_a_zone_hold_what_one_of_them_does) {
    Net net = net_of("s-1:a:100 s-2:a:30 s-3:b:5", TYPES);
    Symbol a = net.status.items[0].zone, b = net.status.items[2].zone;

    assert_true(subnets_can_hold(&net.book, &net.status, a, 100));
    assert_false(subnets_can_hold(&net.book, &net.status, a, 101)); // no fleet uses two
    assert_false(subnets_can_hold(&net.book, &net.status, b, 6));
    choose(&net, 1);
    assert_false(subnets_can_hold(&net.book, &net.status, a, 90));
    subnet_book_free(&net.book); // nothing is known: no limits
    assert_true(subnets_can_hold(&net.book, &net.status, b, 6));
    net_free(&net);
}

TEST(subnets_are_missing_from_the_status) {
    Net net = net_of("", TYPES);
    const SubnetWish wish = {&net.status, &net.launch->types, 1, false, 0};
    CloudError error = {0};

    assert_int_equal(subnets_choose(&net.book, &net.launch->arena, &wish, &net.chosen, &error), ERR_INVALID);
    assert_string_equal(error.reason, "SubnetResolutionFailed");
    net_free(&net);
}
