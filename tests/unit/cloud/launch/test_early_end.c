// Instances that EC2 ends by itself: users' R083 (EC2 terminates at the start what it cannot encrypt). Upstream says
// nothing of them; its troubleshooting page has the advice. Codes: EC2's StateReason.
#include "cloud/aws/launch/early_end.h"
#include "cloud/support/class.h"
#include "harness/test.h"

#include <stdio.h>

#define DISK(name, key)                                                                                                \
    "{deviceName: " name ", ebs: {encrypted: true, volumeSize: 20Gi, volumeType: gp3, kmsKeyID: '" key "'}}"
#define KEY "arn:aws:kms:us-east-1:111122223333:key/"

typedef struct {
    const char *name, *code, *message;
    const char *devices; // NULL: the class is gone; "": it names none
    bool is_spot;
    const char *reason;
    bool recurs;
    const char *has[3], *lacks;
} EndRow;

static const EndRow rows[] = {
    {.name = "R083: a key of the class",
     .code = "Client.InternalError",
     .message = "Client.InternalError: Client error on launch",
     .devices = DISK("/dev/xvda", KEY "1"),
     .reason = "KMSKeyInaccessible",
     .recurs = true,
     .has = {"instance i-1 has ended: Client.InternalError: Client error on launch;", "KMS key " KEY "1 of /dev/xvda)",
             "kms:CreateGrant, kms:Decrypt,"},
     .lacks = "AWSServiceRoleForEC2Spot"},
    {.name = "R083: spot has a role of its own",
     .code = "Client.InternalError",
     .message = "Client.InternalError: Client error on launch",
     .devices = DISK("/dev/xvda", KEY "1"),
     .is_spot = true,
     .reason = "KMSKeyInaccessible",
     .recurs = true,
     .has = {"to the role that the controller runs as, and to AWSServiceRoleForEC2Spot"}},
    {.name = "R083: each key once",
     .code = "Client.InternalError",
     .devices = DISK("/dev/xvda", KEY "1") ", " DISK("/dev/xvdb", KEY "2") ", " DISK("/dev/xvdc", KEY "1"),
     .reason = "KMSKeyInaccessible",
     .recurs = true,
     .has = {"(KMS key " KEY "1 of /dev/xvda, KMS key " KEY "2 of /dev/xvdb)"}},
    {.name = "R083: no more than three keys",
     .code = "Client.InternalError",
     .devices =
         DISK("/dev/xvda", "a") ", " DISK("/dev/xvdb", "b") ", " DISK("/dev/xvdc", "c") ", " DISK("/dev/xvdd", "d"),
     .reason = "KMSKeyInaccessible",
     .recurs = true,
     .has = {"KMS key c of /dev/xvdc)"},
     .lacks = "KMS key d"},
    {.name = "R083: a class without keys",
     .code = "Client.InternalError",
     .devices = "",
     .reason = "KMSKeyInaccessible",
     .recurs = true,
     .has = {"the NodeClass names no KMS key", "kms:CreateGrant"}},
    {.name = "R083: a class that is gone",
     .code = "Client.InternalError",
     .reason = "KMSKeyInaccessible",
     .recurs = true,
     .has = {"kms:CreateGrant"}},
    {.name = "R083: a key that is disabled",
     .code = "Client.InvalidKMSKey.InvalidState",
     .message = "Client.InvalidKMSKey.InvalidState: The KMS key provided is in an incorrect state",
     .devices = DISK("/dev/xvda", KEY "1"),
     .reason = "KMSKeyInaccessible",
     .recurs = true,
     .has = {"must be enabled", KEY "1"}},
    {.name = "R083: a code alone",
     .code = "Client.VolumeLimitExceeded",
     .reason = "VolumeLimitExceeded",
     .recurs = true,
     .has = {"has ended: Client.VolumeLimitExceeded"},
     .lacks = "kms:"},
    {.name = "R083: a message alone",
     .message = "Client.InvalidSnapshot.NotFound: The specified snapshot was not found",
     .reason = "SnapshotNotFound",
     .recurs = true,
     .has = {"has ended: Client.InvalidSnapshot.NotFound: The specified"},
     .lacks = "kms:"},
    {.name = "R083: a message without its code",
     .code = "Server.InternalError",
     .message = "Internal error on launch",
     .reason = "InstanceEnded",
     .has = {"has ended: Server.InternalError: Internal error on launch"},
     .lacks = "kms:"},
    {.name = "R083: spot taken back",
     .code = "Server.SpotInstanceTermination",
     .message = "Server.SpotInstanceTermination: Instance terminated due to spot interruption",
     .is_spot = true,
     .reason = "InstanceEnded",
     .has = {"Server.SpotInstanceTermination"},
     .lacks = "kms:"},
    {.name = "R083: ended by somebody",
     .code = "Client.UserInitiatedShutdown",
     .message = "Client.UserInitiatedShutdown: User initiated shutdown",
     .reason = "InstanceEnded",
     .has = {"Client.UserInitiatedShutdown: User initiated shutdown"}},
    {.name = "R083: no StateReason", .reason = "InstanceEnded", .has = {"EC2 does not say why"}},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

TEST_EACH(const EndRow, row, ends_are_explained, list_rows) {
    char lines[1024];
    TestClass *test;
    CloudError error;
    InstanceFacts facts = {.id = SLICE("i-1"),
                           .capacity_type = row->is_spot ? NAME_SPOT : NAME_ON_DEMAND,
                           .terminating = true,
                           .ended = true,
                           .end_code = row->code ? slice_of(row->code) : (Slice){0},
                           .end_message = row->message ? slice_of(row->message) : (Slice){0}};

    snprintf(lines, sizeof lines, "  blockDeviceMappings: [%s]\n", row->devices ? row->devices : "");
    test = test_class(row->devices && *row->devices ? lines : "");
    assert_int_equal(instance_end(&error, &facts, row->devices ? &test->class : NULL), ERR_NOT_FOUND);
    assert_int_equal(error.err.code, ERR_NOT_FOUND);
    assert_string_equal(error.reason, row->reason);
    assert_int_equal(error.recurs, row->recurs);
    for (size_t i = 0; i < sizeof row->has / sizeof *row->has; i++) {
        if (row->has[i] && !strstr(error.err.text, row->has[i]))
            fail_msg("\"%s\" does not say \"%s\"", error.err.text, row->has[i]);
    }
    if (row->lacks)
        assert_null(strstr(error.err.text, row->lacks));
    assert_int_equal(instance_end(NULL, &facts, NULL), ERR_NOT_FOUND);
    test_class_free(test);
}
