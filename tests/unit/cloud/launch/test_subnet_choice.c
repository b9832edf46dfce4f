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
    assert_int_equal(subnets_choose(&net->book, &net->launch->arena, &net->status, &net->launch->types, instances,
                                    &net->chosen, NULL),
                     OK);
}

// `used`: ids of the instances' subnets, between spaces.
static void settle(Net *net, uint32_t instances, const char *used) {
    SliceVec ids = test_parts(&net->launch->arena, slice_of(used), ' ');
    SymbolVec symbols = {0};

    for (vec_each(const Slice, id, &ids))
        vec_push(&net->launch->arena, &symbols, symbol_intern(&net->launch->symbols, *id));
    subnets_settle(&net->book, &net->chosen, instances, &symbols);
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
    {"subnets: R015: the subnet with most free addresses", "s-1:a:10 s-2:a:100", TYPES, 1, "a:s-2", "10 89", "s-2",
     "10 89"},
    {"subnets: of equal ones the first", "s-1:a:100 s-2:a:100", TYPES, 1, "a:s-1", "89 100", "s-1", "89 100"},
    {"subnets: one for each zone", "s-1:a:100 s-2:b:50 s-3:a:7", TYPES, 1, "a:s-1 b:s-2", "89 21 7", "s-1", "89 50 7"},
    {"cloud provider: in flight: the smallest type of the zone counts", "s-1:a:100 s-2:b:100", TYPES, 1, "a:s-1 b:s-2",
     "89 71", "s-2", "100 71"},
    {"cloud provider: in flight: nothing for a zone without a type", "s-1:c:100", TYPES, 1, "c:s-1", "100", "", "100"},
    {"cloud provider: in flight: for each instance of a fleet", "s-1:a:100 s-2:b:200", TYPES, 3, "a:s-1 b:s-2",
     "67 113", "s-1 s-2 s-1", "78 171"},
    {"cloud provider: in flight: a failed fleet returns all", "s-1:a:100 s-2:b:100", TYPES, 2, "a:s-1 b:s-2", "78 42",
     "", "100 100"},
    {"cloud provider: in flight: a fleet that succeeded in part returns the rest", "s-1:a:100", TYPES, 3, "a:s-1", "67",
     "s-1", "89"},
    {"cloud provider: in flight: another launch's subnet is not ours", "s-1:a:100", TYPES, 1, "a:s-1", "89", "s-9",
     "100"},
    {"cloud provider: in flight: less than nothing", "s-1:a:5", TYPES, 1, "a:s-1", "-6", "s-1", "-6"},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

TEST_EACH(const Row, row, addresses_are_counted_while_launches_are_under_way, list_rows) {
    Net net = net_of(row->subnets, row->types);

    choose(&net, row->instances);
    assert_net(&net, row->chosen, row->book);
    settle(&net, row->instances, row->used);
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

TEST(subnets_a_description_forgets_what_is_in_flight) {
    Net net = net_of("s-1:a:100", TYPES);

    choose(&net, 1);
    describe(&net, "s-1:a:90");
    assert_net(&net, "a:s-1", "90");
    settle(&net, 1, ""); // failed, but EC2 has counted since
    assert_net(&net, "a:s-1", "90");
    net_free(&net);
}

TEST(subnets_without_addresses_are_empty_until_the_next_description) {
    Net net = net_of("s-1:a:100 s-2:a:3", TYPES);

    choose(&net, 1);
    subnet_book_empty(&net.book, net.status.items[0].id);
    settle(&net, 1, "");
    choose(&net, 1);
    assert_net(&net, "a:s-2", "0 -8");
    describe(&net, "s-1:a:100 s-2:a:3");
    choose(&net, 1);
    assert_net(&net, "a:s-1", "89 3");
    net_free(&net);
}

TEST(subnets_are_missing_from_the_status) {
    Net net = net_of("", TYPES);
    CloudError error = {0};

    assert_int_equal(
        subnets_choose(&net.book, &net.launch->arena, &net.status, &net.launch->types, 1, &net.chosen, &error),
        ERR_INVALID);
    assert_string_equal(error.reason, "SubnetResolutionFailed");
    net_free(&net);
}
