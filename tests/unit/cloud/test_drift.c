// Reasons of drift: upstream's area "cloud provider and drift" (pkg/cloudprovider, drift). Reference aws.md 7.10.
#include "cloud/aws/drift.h"
#include "cloud/support/class.h"
#include "harness/test.h"

typedef struct {
    const char *name;
    const char *claim_hash, *claim_version, *class_hash, *class_version;
    const char *reason;
} HashRow;

static const HashRow hash_rows[] = {
    {"drift: equal hashes", "1", "v6", "1", "v6", ""},
    {"drift: other hash", "1", "v6", "2", "v6", "NodeClassDrift"},
    {"drift: other hash of another version", "1", "v5", "2", "v6", ""},
    {"drift: no hash at the claim", "", "v6", "2", "v6", ""},
    {"drift: no version at the claim", "1", "", "2", "v6", ""},
    {"drift: no hash at the class", "1", "v6", "", "v6", ""},
    {"drift: no version at the class", "1", "v6", "2", "", ""},
    {"drift: no versions at all", "1", "", "2", "", ""},
};

static void list_hashes(TestCases *cases) {
    for (size_t i = 0; i < sizeof hash_rows / sizeof *hash_rows; i++)
        test_case(cases, hash_rows[i].name, (void *)(uintptr_t)&hash_rows[i]);
}

TEST_EACH(const HashRow, row, hashes_tell_drift, list_hashes) {
    DriftHashes hashes = {slice_of(row->claim_hash), slice_of(row->claim_version), slice_of(row->class_hash),
                          slice_of(row->class_version)};

    assert_true(slice_eq_text(drift_by_hash(&hashes), row->reason));
}

#define IMAGES                                                                                                         \
    "  amis: [{id: ami-1, requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]}, {id: ami-2, "     \
    "requirements: [{key: kubernetes.io/arch, operator: In, values: [arm64]}]}]\n"
#define SUBNETS "  subnets: [{id: subnet-1, zone: us-east-1a}, {id: subnet-2, zone: us-east-1b}]\n"
#define GROUPS  "  securityGroups: [{id: sg-1}, {id: sg-2}]\n"
#define RESERVED                                                                                                       \
    "  capacityReservations: [{id: cr-1, availabilityZone: us-east-1a, instanceType: m5.large, "                       \
    "instanceMatchCriteria: "                                                                                          \
    "open, ownerID: '012345678901'}]\n"
#define FULL "status:\n" IMAGES SUBNETS GROUPS

typedef struct {
    const char *name, *lines;
    const char *image, *groups, *subnet, *reservation, *claim_group, *class_group;
    const char *reason; // NULL: an error
} Row;

static const Row rows[] = {
    {"drift: none", FULL, "ami-1", "sg-1 sg-2", "subnet-1", "", "", "", ""},
    {"drift: groups in another order", FULL, "ami-1", "sg-2 sg-1", "subnet-2", "", "", "", ""},
    {"drift: another image", FULL, "ami-0", "sg-1 sg-2", "subnet-1", "", "", "", "AMIDrift"},
    {"drift: the image of the other architecture", FULL, "ami-2", "sg-1 sg-2", "subnet-1", "", "", "", "AMIDrift"},
    {"drift: a group less", FULL, "ami-1", "sg-1", "subnet-1", "", "", "", "SecurityGroupDrift"},
    {"drift: a group more", FULL, "ami-1", "sg-1 sg-2 sg-3", "subnet-1", "", "", "", "SecurityGroupDrift"},
    {"drift: another group", FULL, "ami-1", "sg-1 sg-3", "subnet-1", "", "", "", "SecurityGroupDrift"},
    {"drift: no groups", FULL, "ami-1", "", "subnet-1", "", "", "", "SecurityGroupDrift"},
    {"drift: another subnet", FULL, "ami-1", "sg-1 sg-2", "subnet-3", "", "", "", "SubnetDrift"},
    {"drift: image before group and subnet", FULL, "ami-0", "sg-9", "subnet-9", "", "", "", "AMIDrift"},
    {"drift: group before subnet", FULL, "ami-1", "sg-9", "subnet-9", "", "", "", "SecurityGroupDrift"},
    {"drift: a reservation that is known", FULL RESERVED, "ami-1", "sg-1 sg-2", "subnet-1", "cr-1", "", "", ""},
    {"drift: a reservation that is gone", FULL RESERVED, "ami-1", "sg-1 sg-2", "subnet-1", "cr-2", "", "",
     "CapacityReservationDrift"},
    {"drift: no reservation is in use", FULL RESERVED, "ami-1", "sg-1 sg-2", "subnet-1", "", "", "", ""},
    {"drift: the placement group", FULL, "ami-1", "sg-1 sg-2", "subnet-1", "", "pg-1", "pg-1", ""},
    {"drift: another placement group", FULL, "ami-1", "sg-1 sg-2", "subnet-1", "", "pg-1", "pg-2",
     "PlacementGroupDrift"},
    {"drift: out of a placement group", FULL, "ami-1", "sg-1 sg-2", "subnet-1", "", "pg-1", "", "PlacementGroupDrift"},
    {"drift: into a placement group", FULL, "ami-1", "sg-1 sg-2", "subnet-1", "", "", "pg-1", "PlacementGroupDrift"},
    {"drift: no images known", "status:\n" SUBNETS GROUPS, "ami-1", "sg-1", "subnet-1", "", "", "", NULL},
    {"drift: no groups known", "status:\n" IMAGES SUBNETS, "ami-1", "sg-1", "subnet-1", "", "", "", NULL},
    {"drift: no subnets known", "status:\n" IMAGES GROUPS, "ami-1", "sg-1 sg-2", "subnet-1", "", "", "", NULL},
    {"drift: another image, no subnets known", "status:\n" IMAGES GROUPS, "ami-0", "", "", "", "", "", "AMIDrift"},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

static SliceVec words(Arena *arena, Slice text) {
    SliceVec list = {0};

    while (text.len) {
        ptrdiff_t space = slice_find(text, ' ');
        Slice word = space < 0 ? text : slice_first(text, (size_t)space);

        vec_push(arena, &list, word);
        text = slice_from(text, word.len + 1);
    }
    return list;
}

// A type without anything but its architecture.
static InstanceType type_of(TestClass *test, Symbol arch) {
    InstanceType type = {.name = symbol_intern(&test->symbols, SLICE("m5.large"))};
    Requirement requirement = requirement_in(&test->arena, NAME_ARCH, arch);

    requirements_add(&test->arena, &test->symbols, &type.requirements, &requirement);
    return type;
}

TEST_EACH(const Row, row, facts_tell_drift, list_rows) {
    TestClass *test = test_class(row->lines);
    InstanceType type = type_of(test, NAME_AMD64);
    DriftInstance instance = {slice_of(row->image), slice_of(row->subnet), words(&test->arena, slice_of(row->groups)),
                              slice_of(row->reservation), slice_of(row->claim_group)};
    Slice reason = SLICE("untouched");
    Err err = {0};
    ErrCode code = drift_by_facts(&test->arena, &test->symbols, &test->class, &type, &instance,
                                  slice_of(row->class_group), &reason, &err);

    assert_int_equal(code, row->reason ? OK : ERR_INVALID);
    if (!slice_eq_text(reason, row->reason ? row->reason : "untouched"))
        fail_msg("%s: got %.*s", row->name, SLICE_ARG(reason));
    test_class_free(test);
}

TEST(drift_of_a_type_that_no_image_fits_is_an_error) {
    TestClass *test = test_class("status:\n  amis: [{id: ami-1, requirements: [{key: kubernetes.io/arch, operator: In, "
                                 "values: [arm64]}]}]\n" SUBNETS GROUPS);
    InstanceType type = type_of(test, NAME_AMD64);
    Slice reason;
    Err err = {0};

    assert_int_equal(drift_by_facts(&test->arena, &test->symbols, &test->class, &type, &(DriftInstance){0}, SLICE(""),
                                    &reason, &err),
                     ERR_INVALID);
    assert_string_equal(err.text, "EC2NodeClass default: no image fits the instance type m5.large");
    test_class_free(test);
}
