// What the API server's answers say of the kinds of 2023. Reference legacy.md 5.5.
#include "cli/run/old_kinds.h"

#include "harness/test.h"

typedef struct {
    KubeReason answers[KUBE_KIND_COUNT]; // by kind; KUBE_REASON_NONE: an empty list
    OldKinds old;
} Server;

static ErrCode list(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list, KubeError *error) {
    const Server *server = self;
    KubeReason answer = server->answers[request->kind];

    (void)arena;
    *ret_list = (KubeList){0};
    return answer == KUBE_REASON_NONE ? OK : kube_fail(error, answer, "as the test says");
}

static ErrCode get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    (void)self, (void)arena, (void)ref, (void)ret_object;
    return kube_fail(error, KUBE_REASON_NOT_FOUND, "nothing is here");
}

static const KubeTable table = {.list = list, .get = get};

static void answer(Server *server, KubeReason reason) {
    server->answers[KUBE_PROVISIONER] = server->answers[KUBE_AWS_NODE_TEMPLATE] = server->answers[KUBE_MACHINE] =
        reason;
}

static void begin(Server *server, KubeReason reason) {
    Kube kube = {&table, server};
    JsonLog *log;
    Err err = {0};

    answer(server, reason);
    assert_int_equal(json_log_open(SLICE("info"), SLICE("/dev/null"), SLICE("stderr"), &log, &err), OK);
    assert_int_equal(old_kinds_open(&server->old, kube, kube, SLICE("kube-system"), log, &err), OK);
}

static void end(Server *server) {
    JsonLog *log = server->old.log;

    old_kinds_close(&server->old);
    json_log_close(log);
}

static void assert_then(Server *server, KubeReason reason, uint32_t known, bool hides) {
    answer(server, reason);
    old_kinds_ask(&server->old);
    assert_int_equal(server->old.known, known);
    assert_int_equal(atomic_load(&server->old.hides_machines), hides);
}

// The instances of Machines that are not shown would be nobody's.
TEST(what_is_known_goes_with_its_definition_alone) {
    static const KubeReason others[] = {KUBE_REASON_UNAUTHORIZED, KUBE_REASON_FORBIDDEN, KUBE_REASON_INTERNAL_ERROR,
                                        KUBE_REASON_SERVICE_UNAVAILABLE, KUBE_REASON_TIMEOUT};
    Server server = {0};

    begin(&server, KUBE_REASON_NONE);
    assert_int_equal(server.old.known, BRIDGE_KNOWS_ALL);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_then(&server, others[i], BRIDGE_KNOWS_ALL, false);
    assert_then(&server, KUBE_REASON_NOT_FOUND, 0, false);
    assert_then(&server, KUBE_REASON_NONE, BRIDGE_KNOWS_ALL, false);
    end(&server);
}

TEST(who_may_not_list_at_the_start_does_without) {
    Server server = {0};

    begin(&server, KUBE_REASON_FORBIDDEN);
    assert_int_equal(server.old.known, 0);
    assert_true(atomic_load(&server.old.hides_machines));
    assert_then(&server, KUBE_REASON_FORBIDDEN, 0, true);
    assert_then(&server, KUBE_REASON_INTERNAL_ERROR, 0, true);
    // The State has no Machine yet when the rights come: their instances are left alone until the process ends.
    assert_then(&server, KUBE_REASON_NONE, BRIDGE_KNOWS_ALL, true);
    assert_then(&server, KUBE_REASON_FORBIDDEN, BRIDGE_KNOWS_ALL, true);
    end(&server);
}

TEST(a_server_that_says_nothing_at_the_start_may_know_them) {
    Server server = {0};

    begin(&server, KUBE_REASON_UNAUTHORIZED);
    assert_then(&server, KUBE_REASON_SERVICE_UNAVAILABLE, BRIDGE_KNOWS_ALL, false);
    assert_then(&server, KUBE_REASON_FORBIDDEN, 0, true); // the first answer
    end(&server);
}

TEST(machines_alone_may_be_hidden) {
    Server server = {0};

    begin(&server, KUBE_REASON_NONE);
    server.answers[KUBE_MACHINE] = KUBE_REASON_NOT_FOUND;
    old_kinds_ask(&server.old);
    server.answers[KUBE_MACHINE] = KUBE_REASON_FORBIDDEN;
    old_kinds_ask(&server.old);
    assert_int_equal(server.old.known, BRIDGE_KNOWS_PROVISIONERS | BRIDGE_KNOWS_TEMPLATES);
    assert_true(atomic_load(&server.old.hides_machines));
    end(&server);
}
