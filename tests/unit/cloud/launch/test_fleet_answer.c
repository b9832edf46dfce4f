// What the answer to CreateFleet means: upstream's areas "cloud provider" (unavailable offerings, errors),
// "instances and filters" and "batching" (pkg/providers/instance/suite_test.go, pkg/batcher/createfleet_test.go).
// Reference aws.md 2.2, 2.6, 3.3; corrections of 1.15.
#include "cloud/aws/launch/deal.h"
#include "cloud/aws/launch/fleet_answer.h"
#include "cloud/support/fleet.h"
#include "harness/test.h"

// Errors: "Code@type/zone/subnet/template message; …"; instances: "i-2 i-1@type/zone/subnet/template; …". "-": absent.

static const Ec2LaunchTemplateAndOverrides *where_of(Arena *arena, Slice text) {
    Ec2LaunchTemplateAndOverrides *where = arena_new(arena, Ec2LaunchTemplateAndOverrides);
    Ec2LaunchTemplateSpecification *template = arena_new(arena, Ec2LaunchTemplateSpecification);
    Ec2LaunchedOverride *override = arena_new(arena, Ec2LaunchedOverride);
    SliceVec parts = test_parts(arena, text, '/');

    assert_int_equal(parts.count, 4);
    for (vec_each(Slice, part, &parts)) {
        if (slice_eq_text(*part, "-"))
            *part = (Slice){0};
    }
    override->instance_type = parts.items[0];
    override->availability_zone = parts.items[1];
    override->subnet_id = parts.items[2];
    template->launch_template_name = parts.items[3];
    where->overrides = override;
    where->launch_template_specification = template;
    return where;
}

static void add_error(Arena *arena, Ec2CreateFleetOutput *output, Slice text) {
    SliceVec halves = test_parts(arena, text, '@');
    ptrdiff_t space = halves.count > 1 ? slice_find(halves.items[1], ' ') : -1;
    Ec2FleetError *error = vec_add(arena, &output->errors);

    error->error_code = halves.items[0];
    error->error_message = SLICE("no");
    if (halves.count < 2)
        return;
    error->launch_template_and_overrides =
        where_of(arena, space < 0 ? halves.items[1] : slice_first(halves.items[1], (size_t)space));
    if (space >= 0)
        error->error_message = slice_from(halves.items[1], (size_t)space + 1);
}

static void add_instances(Arena *arena, Ec2CreateFleetOutput *output, Slice text) {
    SliceVec halves = test_parts(arena, text, '@');
    Ec2FleetInstances *instances = vec_add(arena, &output->instances);

    assert_int_equal(halves.count, 2);
    instances->instance_ids = test_parts(arena, halves.items[0], ' ');
    instances->launch_template_and_overrides = where_of(arena, halves.items[1]);
    instances->instance_type = instances->launch_template_and_overrides->overrides->instance_type;
}

static Ec2CreateFleetOutput answer_of(Arena *arena, const char *instances, const char *errors) {
    SliceVec launched = test_parts(arena, slice_of(instances), ';'), failed = test_parts(arena, slice_of(errors), ';');
    Ec2CreateFleetOutput output = {0};

    for (vec_each(const Slice, text, &launched))
        add_instances(arena, &output, *text);
    for (vec_each(const Slice, text, &failed))
        add_error(arena, &output, *text);
    return output;
}

// --- a reading as text

static Slice append(Arena *arena, Slice text, Slice more) {
    return arena_printf(arena, "%.*s%s%.*s", SLICE_ARG(text), text.len ? " " : "", SLICE_ARG(more));
}

// "spot/m5.large/a", with a placement group "…@pg-1/2"; "subnet:…", "reservation:…", "all:spot".
static Slice mark_text(Arena *arena, const Symbols *symbols, const UnavailableMark *mark) {
    Slice group = symbol_text(symbols, mark->group);
    Slice text = arena_printf(arena, "%.*s/%.*s/%.*s", SLICE_ARG(symbol_text(symbols, mark->capacity_type)),
                              SLICE_ARG(symbol_text(symbols, mark->type)), SLICE_ARG(symbol_text(symbols, mark->zone)));

    switch ((UnavailableKind)mark->kind) {
    case UNAVAILABLE_CAPACITY_TYPE:
        return arena_printf(arena, "all:%.*s", SLICE_ARG(symbol_text(symbols, mark->capacity_type)));
    case UNAVAILABLE_SUBNET:
        return arena_printf(arena, "subnet:%.*s", SLICE_ARG(symbol_text(symbols, mark->id)));
    case UNAVAILABLE_RESERVATION:
        return arena_printf(arena, "reservation:%.*s", SLICE_ARG(symbol_text(symbols, mark->id)));
    default:
        return group.len ? arena_printf(arena, "%.*s@%.*s/%u", SLICE_ARG(text), SLICE_ARG(group), mark->partition)
                         : text;
    }
}

static const char *marks_text(TestFleet *test, const FleetReading *reading) {
    const Symbols *symbols = &test->launch->symbols;
    Arena *arena = &test->launch->arena;
    Slice text = SLICE("");

    for (vec_each(const UnavailableMark, mark, &reading->marks))
        text = append(arena, text, mark_text(arena, symbols, mark));
    for (vec_each(const Symbol, id, &reading->empty_subnets))
        text = append(arena, text, arena_printf(arena, "empty:%.*s", SLICE_ARG(symbol_text(symbols, *id))));
    for (vec_each(const Symbol, id, &reading->empty_reservations))
        text = append(arena, text, arena_printf(arena, "full:%.*s", SLICE_ARG(symbol_text(symbols, *id))));
    return arena_text(arena, text);
}

static const char *instances_text(TestFleet *test, const FleetReading *reading) {
    Arena *arena = &test->launch->arena;
    Slice text = SLICE("");

    for (vec_each(const FleetInstance, instance, &reading->instances))
        text =
            append(arena, text,
                   arena_printf(arena, "%.*s=%.*s/%.*s/%.*s/%.*s", SLICE_ARG(instance->claim), SLICE_ARG(instance->id),
                                SLICE_ARG(instance->type), SLICE_ARG(instance->zone), SLICE_ARG(instance->subnet_id)));
    return arena_text(arena, text);
}

// --- rows

enum { IN_GROUP = 1, LOST = 2, ROLE = 4 };

typedef struct {
    const char *name, *types;
    uint32_t claims;
    int with; // what the launch has, and which flags the reading has
    const char *instances, *errors;
    const char *dealt, *marks;
    ErrCode code; // of the claims without an instance
    const char *reason;
} Row;

#define CLOUD    "cloud provider: answers: "
#define BATCH    "batching: "
#define SPOT     "m5.large: s:a:1 s:b:1; c5.large: s:a:2"
#define OD       "m5.large: o:a:1"
#define RES      "m5.large: r:a:1:cr-1:3; c5.large: r:b:1:cr-2:3"
#define AT       "@m5.large/a/subnet-a/lt-1"
#define ONE      "i-1" AT
#define ONE_SPOT "uid-1=i-1/m5.large/a/subnet-a"

static const Row rows[] = {
    {BATCH "an instance for the claim", SPOT, 1, 0, ONE, "", ONE_SPOT, "", OK, ""},
    {BATCH "by rank, whatever the order of the answer", SPOT, 3, 0, "i-3 i-1" AT ";i-2@c5.large/a/subnet-a/lt-1", "",
     "uid-1=i-1/m5.large/a/subnet-a uid-2=i-2/c5.large/a/subnet-a uid-3=i-3/m5.large/a/subnet-a", "", OK, ""},
    {BATCH "fewer instances than claims", SPOT, 2, 0, ONE, "InsufficientInstanceCapacity" AT, ONE_SPOT,
     "spot/m5.large/a", ERR_CAPACITY, ""},
    {BATCH "fewer instances than claims, and no errors", SPOT, 2, 0, ONE, "", ONE_SPOT, "", ERR_IO, "LaunchFailed"},
    {BATCH "no instances and no errors", SPOT, 1, 0, "", "", "", "", ERR_IO, "LaunchFailed"},
    {BATCH "more instances than claims", SPOT, 1, 0, "i-1 i-2" AT, "", ONE_SPOT " =i-2/m5.large/a/subnet-a", "", OK,
     ""},
    {BATCH "the subnet and the zone by each other", SPOT, 2, 0, "i-1@m5.large/-/subnet-b/lt-1; i-2@m5.large/b/-/lt-1",
     "", "uid-1=i-1/m5.large/b/subnet-b uid-2=i-2/m5.large/b/subnet-b", "", OK, ""},

    {CLOUD "want of capacity marks the offering", SPOT, 1, 0, "", "InsufficientInstanceCapacity" AT, "",
     "spot/m5.large/a", ERR_CAPACITY, ""},
    {CLOUD "of the capacity type that was asked for", OD, 1, 0, "", "InsufficientInstanceCapacity" AT, "",
     "on-demand/m5.large/a", ERR_CAPACITY, ""},
    {CLOUD "each error marks its own", SPOT, 1, 0, "",
     "InsufficientInstanceCapacity" AT ";InsufficientInstanceCapacity@c5.large/a/subnet-a/lt-1", "",
     "spot/m5.large/a spot/c5.large/a", ERR_CAPACITY, ""},
    {CLOUD "the zone is found by the subnet", SPOT, 1, 0, "", "InsufficientInstanceCapacity@m5.large/-/subnet-b/lt-1",
     "", "spot/m5.large/b", ERR_CAPACITY, ""},
    {CLOUD "without type and zone nothing is marked", SPOT, 1, 0, "", "MaxFleetCountExceeded", "", "", ERR_CAPACITY,
     ""},
    {CLOUD "errors beside an instance are marked", SPOT, 1, 0, ONE,
     "InsufficientInstanceCapacity@m5.large/b/subnet-b/lt-1", ONE_SPOT, "spot/m5.large/b", OK, ""},
    {CLOUD "spot quota is want of capacity", SPOT, 1, 0, "", "MaxSpotInstanceCountExceeded" AT, "", "spot/m5.large/a",
     ERR_CAPACITY, ""},
    {CLOUD "vCPU quota is want of capacity", SPOT, 1, 0, "", "VcpuLimitExceeded" AT, "", "spot/m5.large/a",
     ERR_CAPACITY, ""},
    {CLOUD "an unfulfillable offering is want of capacity", SPOT, 1, 0, "", "UnfulfillableCapacity" AT, "",
     "spot/m5.large/a", ERR_CAPACITY, ""},
    {CLOUD "a type that is not supported there is want of capacity", SPOT, 1, 0, "", "Unsupported" AT, "",
     "spot/m5.large/a", ERR_CAPACITY, ""},
    {CLOUD "a spot price that is too low is want of capacity", SPOT, 1, 0, "", "SpotMaxPriceTooLow" AT, "",
     "spot/m5.large/a", ERR_CAPACITY, ""},
    {CLOUD "no addresses: the subnet, too", SPOT, 1, 0, "", "InsufficientFreeAddressesInSubnet" AT, "",
     "subnet:subnet-a spot/m5.large/a empty:subnet-a", ERR_CAPACITY, ""},
    {CLOUD "no addresses in a subnet that is not named", SPOT, 1, 0, "",
     "InsufficientFreeAddressesInSubnet@m5.large/a/-/lt-1", "", "spot/m5.large/a", ERR_CAPACITY, ""},
    {CLOUD "RequestLimitExceeded marks nothing", SPOT, 1, 0, "", "RequestLimitExceeded" AT, "", "", ERR_THROTTLED,
     "RequestLimitExceeded"},
    {CLOUD "another error marks nothing", SPOT, 1, 0, "", "InvalidAMIID.NotFound" AT, "", "", ERR_INVALID,
     "AMINotFound"},
    {CLOUD "missing rights mark nothing", SPOT, 1, 0, "", "UnauthorizedOperation" AT, "", "", ERR_DENIED,
     "Unauthorized"},
    {CLOUD "one other error, and it is tried again", SPOT, 1, 0, "",
     "InsufficientInstanceCapacity" AT ";InternalError@c5.large/a/subnet-a/lt-1", "", "spot/m5.large/a", ERR_INVALID,
     "InternalError"},
    {CLOUD "spot without its role: all of spot", SPOT, 1, ROLE, "",
     "AuthFailure.ServiceLinkedRoleCreationNotPermitted" AT, "", "all:spot", ERR_CAPACITY, ""},
    {CLOUD "spot without its role, and want of capacity", SPOT, 1, ROLE, "",
     "AuthFailure.ServiceLinkedRoleCreationNotPermitted" AT ";InsufficientInstanceCapacity@c5.large/a/subnet-a/lt-1",
     "", "all:spot spot/c5.large/a", ERR_CAPACITY, ""},

    {CLOUD "in a placement group the mark is the group's", SPOT, 1, IN_GROUP, "", "InsufficientInstanceCapacity" AT, "",
     "spot/m5.large/a@pg-1/2", ERR_CAPACITY, ""},
    {CLOUD "a full spread group: all types in the zone", SPOT, 1, IN_GROUP, "",
     "InvalidParameter" AT " at the limit of instances in this spread placement group", "",
     "spot/m5.large/a@pg-1/2 spot/c5.large/a@pg-1/2", ERR_CAPACITY, ""},
    {CLOUD "a full spread group that was not asked for", SPOT, 1, 0, "",
     "InvalidParameter" AT " at the limit of instances in this spread placement group", "", "", ERR_CAPACITY, ""},

    {CLOUD "a reservation without capacity is marked", RES, 1, 0, "",
     "InsufficientInstanceCapacity@c5.large/b/subnet-b/lt-1", "", "reservation:cr-2", ERR_CAPACITY, ""},
    {CLOUD "a template that is named by its id alone is told by type and zone", RES, 1, 0, "",
     "InsufficientInstanceCapacity@c5.large/b/subnet-b/-", "", "reservation:cr-2", ERR_CAPACITY, ""},
    {CLOUD "or by type and subnet", RES, 1, 0, "", "InsufficientInstanceCapacity@m5.large/-/subnet-a/-", "",
     "reservation:cr-1", ERR_CAPACITY, ""},
    {CLOUD "a reservation that is not usable is marked", RES, 1, 0, "",
     "InvalidCapacityReservationState.Unavailable@m5.large/a/subnet-a/lt-2", "", "reservation:cr-1", ERR_CAPACITY, ""},
    {CLOUD "a reservation that is exceeded is full, and stays available", RES, 1, 0, "",
     "ReservationCapacityExceeded@c5.large/b/subnet-b/lt-1", "", "full:cr-2", ERR_CAPACITY, ""},
    {CLOUD "no addresses for a reservation: the subnet, too", RES, 1, 0, "",
     "InsufficientFreeAddressesInSubnet@c5.large/b/subnet-b/lt-1", "",
     "subnet:subnet-b reservation:cr-2 empty:subnet-b", ERR_CAPACITY, ""},
    {CLOUD "an error of a template that was not asked for marks no reservation", RES, 1, 0, "",
     "InsufficientInstanceCapacity@c5.large/b/subnet-b/lt-9", "", "", ERR_CAPACITY, ""},
    {CLOUD "a reserved launch does not learn of the spot role", RES, 1, 0, "",
     "AuthFailure.ServiceLinkedRoleCreationNotPermitted@c5.large/b/subnet-b/lt-1", "", "", ERR_CAPACITY, ""},

    {CLOUD "a lost template is tried once more", SPOT, 1, LOST, "", "InvalidLaunchTemplateName.NotFoundException" AT,
     "", "", ERR_INVALID, "LaunchFailed"},
    {CLOUD "a lost template beside an instance is not", SPOT, 2, 0, ONE,
     "InvalidLaunchTemplateName.NotFoundException" AT, ONE_SPOT, "", ERR_INVALID, "LaunchFailed"},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

TEST_EACH(const Row, row, answers_are_read, list_rows) {
    TestFleet *test = test_fleet("", row->types, "");
    Ec2CreateFleetOutput output = answer_of(&test->launch->arena, row->instances, row->errors);
    FleetReading reading;

    test_fleet_claims(test, row->claims);
    if (row->with & IN_GROUP) {
        test->fleet.placement_group_id = SLICE("pg-1");
        test->fleet.partition = 2;
    }
    fleet_answer(&test->launch->arena, &test->launch->symbols, &test->fleet, &output, &reading);
    assert_string_equal(instances_text(test, &reading), row->dealt);
    assert_string_equal(marks_text(test, &reading), row->marks);
    assert_int_equal(reading.error.err.code, row->code);
    assert_string_equal(reading.error.reason, row->reason);
    assert_int_equal(reading.template_is_lost, (row->with & LOST) != 0);
    assert_int_equal(reading.spot_role_is_denied, (row->with & ROLE) != 0);
    assert_int_equal(reading.failures.count, output.errors.count);
    test_fleet_free(test);
}

// The metric of failures has the words of the table, not the codes.
TEST(errors_have_reasons_for_the_metric) {
    TestFleet *test = test_fleet("", SPOT, "");
    Ec2CreateFleetOutput output =
        answer_of(&test->launch->arena, ONE, "VcpuLimitExceeded" AT ";InsufficientInstanceCapacity" AT);
    FleetReading reading;

    fleet_answer(&test->launch->arena, &test->launch->symbols, &test->fleet, &output, &reading);
    assert_true(slice_eq_text(reading.failures.items[0].reason, "VCPULimitExceeded"));
    assert_true(slice_eq_text(reading.failures.items[1].reason, "LaunchFailed"));
    test_fleet_free(test);
}

TEST(equal_errors_are_told_once) {
    TestFleet *test = test_fleet("", SPOT, "");
    Ec2CreateFleetOutput output = answer_of(
        &test->launch->arena, "", "Unsupported" AT ";Unsupported@c5.large/a/subnet-a/lt-1;VcpuLimitExceeded" AT);
    FleetReading reading;

    fleet_answer(&test->launch->arena, &test->launch->symbols, &test->fleet, &output, &reading);
    assert_string_equal(reading.error.err.text, "Unsupported: no; VcpuLimitExceeded: no");
    test_fleet_free(test);
}

// --- refusals

typedef struct {
    const char *name;
    AwsFault fault;
    ErrCode code;
    const char *reason;
    bool template_is_lost;
} RefusalRow;

#define REFUSED "cloud provider: refusals: "

static const RefusalRow refusal_rows[] = {
    {REFUSED "throttled",
     {503, SLICE_INIT("RequestLimitExceeded"), SLICE_INIT("slower"), {0}},
     ERR_THROTTLED,
     "RequestLimitExceeded",
     false},
    {REFUSED "a lost template is tried once more",
     {400, SLICE_INIT("InvalidLaunchTemplateName.NotFoundException"), SLICE_INIT("no"), {0}},
     ERR_INVALID,
     "LaunchFailed",
     true},
    {REFUSED "another id of a template is not",
     {400, SLICE_INIT("InvalidLaunchTemplateId.NotFound"), SLICE_INIT("no"), {0}},
     ERR_INVALID,
     "LaunchTemplateNotFound",
     false},
    {REFUSED "want of capacity of the whole call ends no claim",
     {400, SLICE_INIT("MaxSpotInstanceCountExceeded"), SLICE_INIT("no"), {0}},
     ERR_INVALID,
     "SpotQuotaExceeded",
     false},
    {REFUSED "another request had the token",
     {400, SLICE_INIT("IdempotentParameterMismatch"), SLICE_INIT("no"), {0}},
     ERR_INVALID,
     "LaunchFailed",
     false},
    {REFUSED "missing rights",
     {403, SLICE_INIT("UnauthorizedOperation"), SLICE_INIT("no"), {0}},
     ERR_DENIED,
     "Unauthorized",
     false},
    {REFUSED "the service's own trouble",
     {500, SLICE_INIT("InternalError"), SLICE_INIT("no"), {0}},
     ERR_IO,
     "InternalError",
     false},
};

static void list_refusals(TestCases *cases) {
    for (size_t i = 0; i < sizeof refusal_rows / sizeof *refusal_rows; i++)
        test_case(cases, refusal_rows[i].name, (void *)(uintptr_t)&refusal_rows[i]);
}

TEST_EACH(const RefusalRow, row, refusals_are_read, list_refusals) {
    Arena arena = {0};
    FleetReading reading;

    fleet_refused(&arena, &row->fault, &reading);
    assert_int_equal(reading.error.err.code, row->code);
    assert_string_equal(reading.error.reason, row->reason);
    assert_int_equal(reading.template_is_lost, row->template_is_lost);
    assert_int_equal(reading.instances.count + reading.marks.count, 0);
    assert_int_equal(reading.failures.count, 1);
    arena_free(&arena);
}

// --- after it

// A failed fleet, and one that succeeded in part, return the addresses that they did not need.
TEST(subnets_get_back_what_a_fleet_did_not_use) {
    TestFleet *test = test_fleet("", SPOT, "");
    Ec2CreateFleetOutput output = answer_of(&test->launch->arena, ONE, "InsufficientInstanceCapacity" AT);
    SubnetStatusVec status = {0};
    SubnetBook book = {0};
    Ec2SubnetVec found = {0};
    FleetReading reading;
    const SubnetWish wish = {&status, &test->choice.types, 2, false, 0};
    SubnetUseVec used;

    vec_push(&test->launch->arena, &found,
             (Ec2Subnet){.subnet_id = SLICE("subnet-a"), .available_ip_address_count = aws_integer(100)});
    subnet_book_refresh(&book, &test->launch->symbols, &found);
    vec_push(&test->launch->arena, &status,
             (SubnetStatus){.id = test->subnets.items[0].id, .zone = test->subnets.items[0].zone});
    assert_int_equal(subnets_choose(&book, &test->launch->arena, &wish, &test->subnets, NULL), OK);
    assert_int_equal(subnet_book_addresses(&book, status.items[0].id), 42);
    test_fleet_claims(test, 2);
    fleet_answer(&test->launch->arena, &test->launch->symbols, &test->fleet, &output, &reading);
    used = fleet_used_subnets(&test->launch->arena, &test->launch->symbols, &test->fleet, &reading, false);
    subnets_settle(&book, &test->subnets, &used, 0);
    assert_int_equal(subnet_book_addresses(&book, status.items[0].id), 71);
    subnet_book_free(&book);
    test_fleet_free(test);
}

// Who finds the instances again deals them as the answer's reader did.
TEST(instances_found_again_are_dealt_in_the_same_way) {
    Arena arena = {0};
    SliceVec claims = test_parts(&arena, SLICE("uid-2 uid-1"), ' '),
             ids = test_parts(&arena, SLICE("i-9 i-1 i-5"), ' ');
    SliceVec dealt = fleet_deal(&arena, &claims, &ids);

    assert_int_equal(dealt.count, 3);
    assert_true(slice_eq_text(dealt.items[0], ""));
    assert_true(slice_eq_text(dealt.items[1], "uid-1"));
    assert_true(slice_eq_text(dealt.items[2], "uid-2"));
    arena_free(&arena);
}
