// The log of `tenon run`: keys, forms of values, levels, sampling, outputs.

#include "cli/run/json_log.h"
#include "cloud/cloud.h"
#include "ctl/controllers.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const int64_t NOW_NS = INT64_C(1767571200123456789); // 2026-01-05T00:00:00.123Z

// --- lines

#define assert_line(level, message, expected, ...)                                                                     \
    check_line((level), (message), (expected), (const char *[]){__VA_ARGS__, NULL})

static void check_line(LogLevel level, const char *message, const char *expected, const char **texts) {
    Slice pairs[32];
    uint32_t count = 0;
    Buffer buffer = {0};

    for (; texts[count]; count++)
        pairs[count] = slice_of(texts[count]);
    json_log_print(&buffer, NOW_NS, SLICE(""), &(LogIntent){level, message, pairs, count});
    buffer_append_char(&buffer, '\0');
    assert_string_equal(buffer.bytes, expected);
    buffer_free(&buffer);
}

#define HEAD(level)                                                                                                    \
    "{\"level\":\"" level "\",\"time\":\"2026-01-05T00:00:00.123Z\",\"logger\":\"controller\",\"message\":"

TEST(a_controllers_line_says_what_it_looked_at) {
    assert_line(LOG_INFO, "launched nodeclaim",
                HEAD("INFO") "\"launched nodeclaim\",\"controller\":\"nodeclaim.lifecycle\",\"controllerGroup\":"
                             "\"karpenter.sh\",\"controllerKind\":\"NodeClaim\",\"NodeClaim\":{\"name\":\"general-x\"},"
                             "\"namespace\":\"\",\"name\":\"general-x\",\"provider-id\":\"kwok://n\",\"allocatable\":"
                             "{\"cpu\":\"4\"}}",
                "controller", "nodeclaim.lifecycle", "name", "general-x", "NodeClaim", "general-x", "provider-id",
                "kwok://n", "allocatable", "{\"cpu\":\"4\"}");
}

// R029, R091: one line, level, time, logger, message and commit first; an error about a pod names it.
TEST(row_r091_an_error_about_a_pod_is_one_line_that_names_it) {
    static const Slice pairs[] = {SLICE_INIT("controller"), SLICE_INIT("provisioner"),
                                  SLICE_INIT("Pod"),        SLICE_INIT("test-nodepool/nginx"),
                                  SLICE_INIT("error"),      SLICE_INIT("no instance type\nsatisfied")};
    Buffer buffer = {0};
    Slice line;

    json_log_print(&buffer, NOW_NS, SLICE("c4ak371"),
                   &(LogIntent){LOG_ERROR, "could not schedule pod", pairs, sizeof pairs / sizeof *pairs});
    line = buffer_slice(&buffer);
    assert_int_equal(slice_find(line, '\n'), -1);
    assert_true(slice_starts_with(line, SLICE(HEAD("ERROR") "\"could not schedule pod\",\"commit\":\"c4ak371\",")));
    buffer_append_char(&buffer, '\0');
    assert_non_null(strstr(buffer.bytes, "\"Pod\":{\"name\":\"nginx\",\"namespace\":\"test-nodepool\"}"));
    buffer_free(&buffer);
}

// A controller of one kind's objects must name the kind. The others are Karpenter's singletons, and one of several
// kinds.
TEST(every_controller_of_a_kind_names_it) {
    static const char *const singletons[] = {"nodeclaim.garbagecollection",
                                             "instance.garbagecollection",
                                             "machine.link",
                                             "provisioner",
                                             "eviction-queue",
                                             "status",
                                             "interruption",
                                             "disruption",
                                             "capacityreservation.capacitytype",
#define X(name, controller, ...) controller,
                                             CLOUD_REFRESHES(X)
#undef X
    };
    uint32_t without = 0;

    for (uint32_t i = 0; i < controller_count; i++) {
        Slice pairs[] = {SLICE("controller"), slice_of(controllers[i]->name), SLICE("name"), SLICE("x")};
        Buffer line = {0};
        bool is_singleton = false;

        for (size_t single = 0; single < sizeof singletons / sizeof *singletons; single++)
            is_singleton |= strcmp(controllers[i]->name, singletons[single]) == 0;
        json_log_print(&line, NOW_NS, SLICE(""), &(LogIntent){LOG_INFO, "m", pairs, 4});
        if (slice_contains(buffer_slice(&line), SLICE("\"controllerKind\":\"")) == is_singleton)
            fail_msg("%s: %.*s", controllers[i]->name, SLICE_ARG(buffer_slice(&line)));
        without += is_singleton;
        buffer_free(&line);
    }
    assert_int_equal(without, sizeof singletons / sizeof *singletons);
}

TEST(the_call_and_the_commit_are_said) {
    Slice pairs[] = {SLICE("controller"), SLICE("provisioner"), SLICE("reconcileID"),
                     SLICE("an-id"),      SLICE("pods"),        SLICE("3")};
    Buffer line = {0};

    json_log_print(&line, NOW_NS, SLICE("0123456789abcdef"), &(LogIntent){LOG_INFO, "m", pairs, 6});
    buffer_append_char(&line, '\0');
    assert_string_equal(line.bytes,
                        HEAD("INFO") "\"m\",\"commit\":\"0123456\",\"controller\":\"provisioner\","
                                     "\"namespace\":\"\",\"name\":\"\",\"reconcileID\":\"an-id\",\"pods\":3}");
    buffer_free(&line);
}

TEST(numbers_and_references_have_their_form) {
    assert_line(LOG_ERROR, "could not schedule pod",
                HEAD("ERROR") "\"could not schedule pod\",\"controller\":\"provisioner\",\"namespace\":\"\",\"name\":"
                              "\"\",\"Pod\":{\"name\":\"web-1\",\"namespace\":\"shop\"},\"nodeclaims\":3,\"pods\":"
                              "\"some\",\"error\":\"a \\\"b\\\"\\n\"}",
                "controller", "provisioner", "Pod", "shop/web-1", "nodeclaims", "3", "pods", "some", "error",
                "a \"b\"\n");
}

// Reference legacy.md 5.6, v0.28 to v0.31; R023: the launch of a Machine.
TEST(row_r023_lines_about_machines_are_those_of_2023) {
    assert_line(
        LOG_INFO, "launched nodeclaim",
        HEAD("INFO") "\"launched machine\",\"controller\":\"nodeclaim.lifecycle\",\"controllerGroup\":"
                     "\"karpenter.sh\",\"controllerKind\":\"Machine\",\"Machine\":{\"name\":\"a-x1\"},"
                     "\"namespace\":\"\",\"name\":\"a-x1\",\"machine\":\"a-x1\",\"provider-id\":\"aws:///z/i-1\"}",
        "controller", "nodeclaim.lifecycle", "name", "machine/a-x1", "NodeClaim", "machine/a-x1", "provider-id",
        "aws:///z/i-1");
    assert_line(LOG_INFO, "created nodeclaim",
                HEAD("INFO") "\"created machine\",\"controller\":\"provisioner\",\"namespace\":\"\",\"name\":\"\","
                             "\"provisioner\":\"a\",\"machine\":\"a-x1\"}",
                "controller", "provisioner", "NodePool", "provisioner/a", "NodeClaim", "machine/a-x1");
    assert_line(LOG_INFO, "computed new machine(s) to fit pod(s)",
                HEAD("INFO") "\"computed new machine(s) to fit pod(s)\",\"machines\":2,\"pods\":3}", "machines", "2",
                "pods", "3");
    assert_line(
        LOG_ERROR, "Reconciler error",
        HEAD("ERROR") "\"Reconciler error\",\"provisioner\":\"a\",\"error\":\"Machine a-x1 is being launched\"}",
        "NodePool", "provisioner/a", "error", "NodeClaim machine/a-x1 is being launched");
}

TEST(no_key_stands_twice) {
    assert_line(LOG_DEBUG, "deleting pod",
                HEAD("DEBUG") "\"deleting pod\",\"controller\":\"eviction-queue\",\"namespace\":\"shop\",\"name\":"
                              "\"web-1\",\"pod.terminationGracePeriodSeconds\":30}",
                "controller", "eviction-queue", "namespace", "shop", "name", "web-1", "namespace", "shop", "name",
                "web-1", "pod.terminationGracePeriodSeconds", "30");
}

TEST(a_command_of_disruption_is_no_namespace) {
    assert_line(LOG_INFO, "m",
                HEAD("INFO") "\"m\",\"controller\":\"disruption\",\"namespace\":\"\",\"name\":\"\","
                             "\"command-id\":\"an-uuid\"}",
                "controller", "disruption", "namespace", "an-uuid");
    assert_line(LOG_INFO, "m",
                HEAD("INFO") "\"m\",\"controller\":\"disruption\",\"namespace\":\"\",\"name\":\"\","
                             "\"command-id\":\"an-uuid\",\"command\":\"x\"}",
                "controller", "disruption", "namespace", "an-uuid", "command-id", "an-uuid", "command", "x");
}

TEST(broken_json_stays_text) {
    assert_line(LOG_INFO, "m", HEAD("INFO") "\"m\",\"requests\":\"{\\\"cpu\\\":\"}", "requests", "{\"cpu\":");
}

// --- places

typedef struct {
    char path[64];
    JsonLog *log;
} File;

static void open_file(File *file, const char *level) {
    Err err = {0};
    int fd;

    strcpy(file->path, "run-log-XXXXXX");
    fd = mkstemp(file->path);
    assert_true(fd >= 0);
    close(fd);
    if (json_log_open(slice_of(level), slice_of(file->path), SLICE("stderr"), &file->log, &err) != OK)
        fail_msg("%s", err.text);
}

// Closes it; the number of its lines.
static uint32_t close_file(File *file) {
    FILE *stream;
    uint32_t lines = 0;
    int c;

    json_log_close(file->log);
    stream = fopen(file->path, "r");
    assert_non_null(stream);
    while ((c = fgetc(stream)) != EOF)
        lines += c == '\n';
    fclose(stream);
    unlink(file->path);
    return lines;
}

TEST(lines_below_the_level_are_dropped) {
    const struct {
        const char *level;
        uint32_t lines;
    } cases[] = {{"debug", 3}, {"info", 2}, {"", 2}, {"error", 1}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        File file;

        open_file(&file, cases[i].level);
        json_log_say(file.log, NOW_NS, LOG_DEBUG, "a", NULL);
        json_log_say(file.log, NOW_NS, LOG_INFO, "b", NULL);
        json_log_say(file.log, NOW_NS, LOG_ERROR, "c", "key", SLICE("value"), NULL);
        assert_int_equal(close_file(&file), cases[i].lines);
    }
}

TEST(a_flood_is_sampled) {
    File file;

    open_file(&file, "info");
    for (int i = 0; i < 1000; i++)
        json_log_say(file.log, NOW_NS, LOG_INFO, "flood", NULL);
    json_log_say(file.log, NOW_NS, LOG_INFO, "another", NULL);
    json_log_say(file.log, NOW_NS + NS_PER_S, LOG_INFO, "flood", NULL); // the next second
    assert_int_equal(close_file(&file), 100 + 9 + 1 + 1);
}

TEST(wrong_levels_and_places_are_refused) {
    JsonLog *log;
    Err err = {0};

    assert_int_equal(json_log_open(SLICE("loud"), SLICE("stdout"), SLICE("stderr"), &log, &err), ERR_INVALID);
    assert_string_equal(err.text, "--log-level: expected debug, info, warn or error, got \"loud\"");
    assert_int_equal(json_log_open(SLICE("info"), SLICE("stdout,no-such-folder/log"), SLICE("stderr"), &log, &err),
                     ERR_IO);
    assert_string_equal(err.text, "--log-output-paths: no-such-folder/log: No such file or directory");
}

// Lines are lost, the process continues, and standard error gets one message.
TEST(a_full_log_device_is_reported_once) {
    char path[] = "run-log-XXXXXX";
    int fd = mkstemp(path);
    JsonLog *log;
    FILE *stream;
    char line[256], more[8];

    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(json_log_open(SLICE("info"), SLICE("/dev/full"), slice_of(path), &log, NULL), OK);
    for (int i = 0; i < 5; i++)
        json_log_say(log, NOW_NS, LOG_INFO, "m", NULL);
    json_log_close(log);
    stream = fopen(path, "r");
    assert_non_null(fgets(line, sizeof line, stream));
    assert_null(fgets(more, sizeof more, stream));
    assert_string_equal(line, "error: log path /dev/full: No space left on device; its lines are lost until it can be "
                              "written again\n");
    fclose(stream);
    unlink(path);
}
