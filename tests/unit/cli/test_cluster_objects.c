// `tenon convert --from-cluster`: which lists are read, that nothing is written, and what becomes of them.
#include "cli/legacy/cluster_objects.h"
#include "cli/legacy/convert.h"

#include "harness/test.h"
#include "net/support/canned.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PROVISIONERS "/apis/karpenter.sh/v1alpha5/provisioners"
#define SETTINGS     "/api/v1/configmaps?fieldSelector=metadata.name%3Dkarpenter-global-settings"

typedef struct {
    const char *path, *body;
    int status;
} Answer;

typedef struct {
    Canned server;
    Arena arena;
    Err err;
    Answer answers[8]; // 404 for all other paths
    int count;
    bool wrote;
    char path[64]; // of the kubeconfig
    InputTextVec objects, settings;
} World;

static bool answer(Canned *server, const CannedRequest *request, int fd) {
    World *world = server->context;
    Slice target = slice_from(request->line, strlen("GET "));

    world->wrote = world->wrote || !slice_starts_with(request->line, SLICE("GET "));
    for (int i = 0; i < world->count; i++) {
        Slice path = slice_of(world->answers[i].path);

        if (slice_starts_with(target, path) && target.ptr[path.len] == ' ') {
            canned_json(fd, world->answers[i].status, world->answers[i].body);
            return true;
        }
    }
    canned_json(fd, 404, "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"NotFound\",\"message\":\"no\"}");
    return true;
}

static void write_kubeconfig(World *world) {
    int fd;
    char text[512];
    int length =
        snprintf(text, sizeof text,
                 "{apiVersion: v1, kind: Config, current-context: c, clusters: [{name: k, cluster: {server: "
                 "\"%s\"}}], users: [{name: u, user: {}}], contexts: [{name: c, context: {cluster: k, user: u}}]}",
                 world->server.url);

    snprintf(world->path, sizeof world->path, "/tmp/tenon-test-XXXXXX");
    fd = mkstemp(world->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, (size_t)length), length);
    close(fd);
}

static World *setup(void) {
    World *world = calloc(1, sizeof *world);

    world->server.answer = answer;
    world->server.context = world;
    canned_start(&world->server);
    write_kubeconfig(world);
    return world;
}

static void teardown(World *world) {
    canned_stop(&world->server);
    unlink(world->path);
    arena_free(&world->arena);
    free(world);
}

FIXTURE(World, setup, teardown);

static void serve(World *world, const char *path, int status, const char *body) {
    world->answers[world->count++] = (Answer){path, body, status};
}

static ErrCode read_cluster(World *world) {
    return cluster_objects_read(&world->arena, slice_of(world->path), SLICE(""), &world->objects, &world->settings,
                                &world->err);
}

#define LIST                                                                                                           \
    "{\"apiVersion\":\"karpenter.sh/"                                                                                  \
    "v1alpha5\",\"kind\":\"ProvisionerList\",\"items\":[{\"apiVersion\":\"karpenter.sh/"                               \
    "v1alpha5\",\"kind\":\"Provisioner\",\"metadata\":{\"name\":\"p\",\"uid\":\"u\"},\"spec\":{"                       \
    "\"ttlSecondsAfterEmpty\":"                                                                                        \
    "1,\"provider\":{\"amiFamily\":\"Bottlerocket\",\"subnetSelector\":{\"a\":\"b\"},\"securityGroupSelector\":{"      \
    "\"a\":"                                                                                                           \
    "\"b\"}}}}]}"

// Kinds that the server does not have are passed over; settings are read, and are not printed.
TEST_F(World, world, objects_of_a_cluster_are_converted_and_nothing_is_written) {
    ConvertOptions options = {.target = CONVERT_TO_V1};
    Buffer out = {0}, messages = {0};

    serve(world, PROVISIONERS, 200, LIST);
    serve(
        world, SETTINGS, 200,
        "{\"kind\":\"ConfigMapList\",\"items\":[{\"metadata\":{\"name\":\"karpenter-global-settings\"},\"data\":{\"aws."
        "defaultInstanceProfile\":\"Nodes\"}}]}");
    if (read_cluster(world) != OK)
        fail_msg("%s", world->err.text);
    assert_false(world->wrote);
    assert_int_equal(canned_requests(&world->server), 5);
    options.inputs = world->objects;
    options.settings = world->settings;
    assert_int_equal(convert_run(&options, &out, &messages), 0);
    buffer_append_char(&out, 0);
    assert_non_null(strstr(out.bytes, "kind: NodePool\nmetadata:\n  name: p\nspec:"));
    assert_non_null(strstr(out.bytes, "instanceProfile: Nodes\n"));
    assert_null(strstr(out.bytes, "ConfigMap"));
    buffer_free(&out);
    buffer_free(&messages);
}

TEST_F(World, world, a_cluster_without_old_objects_is_told) {
    serve(world, PROVISIONERS, 200, "{\"kind\":\"ProvisionerList\",\"items\":[]}");
    assert_int_equal(read_cluster(world), ERR_NOT_FOUND);
    assert_string_equal(world->err.text, "the cluster has no objects of older Karpenters");
}

TEST_F(World, world, a_list_that_may_not_be_read_is_named) {
    serve(world, PROVISIONERS, 403,
          "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Forbidden\",\"message\":\"not you\"}");
    assert_int_equal(read_cluster(world), ERR_DENIED);
    assert_string_equal(world->err.text, "provisioners.karpenter.sh: not you");
}

TEST_F(World, world, settings_that_may_not_be_read_have_another_way) {
    serve(world, PROVISIONERS, 200, LIST);
    serve(world, SETTINGS, 403,
          "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Forbidden\",\"message\":\"not you\"}");
    assert_int_equal(read_cluster(world), ERR_DENIED);
    assert_string_equal(world->err.text, "karpenter-global-settings (or name it with --settings): configmaps: not you");
}

TEST_F(World, world, an_answer_that_is_no_list_is_refused) {
    serve(world, PROVISIONERS, 200, "{\"kind\":\"Status\"}");
    assert_int_equal(read_cluster(world), ERR_INVALID);
}
