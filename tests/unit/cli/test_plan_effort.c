// --effort, --strategy and --timings of `tenon plan`, and the line that names the floor. docs/plan.md.
#include "cli/commands.h"
#include "cli/support/run.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// --- the command line

enum { OUTPUT_BYTES_MAX = 1 << 16 };

// What a command printed.
typedef struct {
    int status;
    char out[OUTPUT_BYTES_MAX], err[OUTPUT_BYTES_MAX];
} Printed;

// Redirects a stream into a file until `restore`.
typedef struct {
    FILE *file;
    int kept;
} Capture;

static Capture capture(FILE *stream) {
    Capture made = {tmpfile(), dup(fileno(stream))};

    assert_non_null(made.file);
    fflush(stream);
    assert_true(dup2(fileno(made.file), fileno(stream)) >= 0);
    return made;
}

static void restore(Capture *made, FILE *stream, char *ret_text) {
    size_t count;

    fflush(stream);
    dup2(made->kept, fileno(stream));
    close(made->kept);
    rewind(made->file);
    count = fread(ret_text, 1, OUTPUT_BYTES_MAX - 1, made->file);
    ret_text[count] = '\0';
    fclose(made->file);
}

#define MANIFEST TENON_SOURCE_DIR "/examples/seeds/default.yaml"

// `tenon plan -f MANIFEST` with further arguments; the result is valid until the next call.
static const Printed *plan_with(const char *const *arguments, int count) {
    static Printed printed;
    char *argv[16] = {0};
    Capture out = capture(stdout), err = capture(stderr);
    int argc = 0;

    argv[argc++] = strdup("plan");
    argv[argc++] = strdup("-f");
    argv[argc++] = strdup(MANIFEST);
    for (int i = 0; i < count; i++)
        argv[argc++] = strdup(arguments[i]);
    printed.status = command_plan(argc, argv);
    restore(&err, stderr, printed.err);
    restore(&out, stdout, printed.out);
    while (argc > 0)
        free(argv[--argc]);
    return &printed;
}
#define PLAN(...)                                                                                                      \
    plan_with((const char *const[]){__VA_ARGS__},                                                                      \
              (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)))

#define assert_refused(printed, message)                                                                               \
    do {                                                                                                               \
        const Printed *refused = (printed);                                                                            \
        assert_string_equal(refused->err, "error: " message "\n");                                                     \
        assert_string_equal(refused->out, "");                                                                         \
        assert_int_equal(refused->status, EXIT_BAD_INPUT);                                                             \
    } while (0)

static bool has(const char *text, const char *part) {
    return strstr(text, part) != NULL;
}

// --- --effort

TEST(effort_takes_its_names_and_milliseconds) {
    static const char *const values[] = {"fast", "normal", "best", "1", "20"};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const Printed *printed = PLAN("--effort", values[i]);

        assert_int_equal(printed->status, EXIT_ALL_PLACED);
        assert_string_equal(printed->err, "");
        assert_true(has(printed->out, "\nTotal: 2 new nodes for 2 pods"));
    }
    assert_int_equal(PLAN("--effort=fast")->status, EXIT_ALL_PLACED);
}

#define EFFORT_EXPECTED "--effort: expected fast, normal, best or milliseconds from 1 to 600000, got "

TEST(effort_refuses_anything_else) {
    assert_refused(PLAN("--effort", "slow"), EFFORT_EXPECTED "slow");
    assert_refused(PLAN("--effort", "Fast"), EFFORT_EXPECTED "Fast");
    assert_refused(PLAN("--effort", "0"), EFFORT_EXPECTED "0");
    assert_refused(PLAN("--effort", "-5"), EFFORT_EXPECTED "-5");
    assert_refused(PLAN("--effort", "600001"), EFFORT_EXPECTED "600001");
    assert_refused(PLAN("--effort", "10ms"), EFFORT_EXPECTED "10ms");
    assert_refused(PLAN("--effort", "1.5"), EFFORT_EXPECTED "1.5");
    assert_refused(PLAN("--effort", "99999999999999999999"), EFFORT_EXPECTED "99999999999999999999");
    assert_refused(PLAN("--effort="), EFFORT_EXPECTED);
    assert_refused(PLAN("--effort"), "--effort: expected EFFORT");
}

// --- --strategy

TEST(strategy_takes_each_name) {
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        const char *name = strategy_text(strategy);
        char expected[64];
        const Printed *printed = PLAN("--strategy", name, "-o", "json");

        snprintf(expected, sizeof expected, "\"strategy\": \"%s\"", name);
        assert_int_equal(printed->status, EXIT_ALL_PLACED);
        assert_true(has(printed->out, expected));
        assert_string_equal(printed->err, "");
    }
}

TEST(strategy_may_be_repeated) {
    const Printed *printed;

    printed = PLAN("--strategy", "first-fit", "--strategy", "emptiest-first", "--effort", "fast", "--timings");
    assert_int_equal(printed->status, EXIT_ALL_PLACED);
    assert_false(has(printed->err, "first-fit                 0.000 ms"));
    assert_false(has(printed->err, "emptiest-first       0.000 ms"));
    assert_true(has(printed->err, "place marginal-price      0.000 ms"));
}

#define STRATEGY_EXPECTED "--strategy: expected first-fit, emptiest-first, marginal-price or patterns, got "

TEST(strategy_refuses_other_names) {
    assert_refused(PLAN("--strategy", "best-fit"), STRATEGY_EXPECTED "best-fit");
    assert_refused(PLAN("--strategy", "first-fit,patterns"), STRATEGY_EXPECTED "first-fit,patterns");
    assert_refused(PLAN("--strategy="), STRATEGY_EXPECTED);
    assert_refused(PLAN("--strategy"), "--strategy: expected NAME");
}

// --- --timings

// A line for each phase, in order, with a time; and nothing else.
TEST(timings_go_to_standard_error) {
    static const char *const phases[] = {"prepare",
                                         "place first-fit",
                                         "place emptiest-first",
                                         "place marginal-price",
                                         "place patterns",
                                         "improve",
                                         "floor",
                                         "write",
                                         "total"};
    const Printed *printed = PLAN("--timings");
    const char *at = printed->err;

    assert_int_equal(printed->status, EXIT_ALL_PLACED);
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        char expected[64];
        double milliseconds;
        int length = 0;

        snprintf(expected, sizeof expected, "timing: %-20s ", phases[i]);
        assert_memory_equal(at, expected, strlen(expected));
        assert_int_equal(sscanf(at + strlen(expected), " %lf ms\n%n", &milliseconds, &length), 1);
        assert_true(milliseconds >= 0);
        at += strlen(expected) + (size_t)length;
    }
    assert_string_equal(at, "");
    assert_true(has(printed->out, "\nTotal: "));
    assert_false(has(printed->out, "timing"));
}

TEST(timings_take_no_value) {
    assert_refused(PLAN("--timings=yes"), "--timings: expected no value");
}

TEST(without_timings_nothing_is_said) {
    assert_string_equal(PLAN("--effort", "normal")->err, "");
}

TEST(help_names_the_three_flags) {
    const Printed *printed = PLAN("--help");

    assert_int_equal(printed->status, 0);
    assert_true(has(printed->out, "--effort EFFORT"));
    assert_true(has(printed->out, "--strategy NAME"));
    assert_true(has(printed->out, "--timings"));
}

// --- the floor

#define WORKLOADS POOL("default") DEPLOYMENT("web", "7", "900m", "") DEPLOYMENT("api", "4", "1500m", "")

static double number_at(Run *run, const Value *plan, const char *path) {
    return strtod(value_path(run, plan, path), NULL);
}

TEST_F(Run, run, no_floor_is_named_while_it_is_unknown) {
    run_add(run, "all.yaml", WORKLOADS);
    run_options(run)->effort = EFFORT_FAST;
    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);
    assert_false(has(run_out(run), "costs less than"));

    run_options(run)->format = OUTPUT_JSON;
    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);
    assert_path(run, run_json(run), "price floorPerHour", "null");
    assert_path(run, run_json(run), "price gapPercent", "null");
}

TEST_F(Run, run, the_floor_and_karpenters_manner_are_the_last_lines) {
    const char *line;

    run_add(run, "all.yaml", WORKLOADS);
    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);
    line = strstr(run_out(run), "\nNo plan for these pods costs less than $");
    assert_non_null(line);
    line = strchr(line + 1, '\n') + 1;
    assert_true(strncmp(line, "In Karpenter's manner (emptiest-first, tenon's imitation of it): $", 66) == 0);
    assert_string_equal(strchr(line, '\n'), "\n");
    assert_true(longest_line(run_out(run)) <= 100);
}

// The second plan takes time, so it is omitted with fast effort and with --strategy, unless --compare is given.
TEST_F(Run, run, karpenters_manner_is_compared_where_it_is_cheap_or_asked_for) {
    run_add(run, "all.yaml", WORKLOADS);
    run_options(run)->effort = EFFORT_FAST;
    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);
    assert_false(has(run_out(run), "Karpenter's manner"));
    run_options(run)->compare = true;
    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);
    assert_true(has(run_out(run), "Karpenter's manner"));
}

TEST_F(Run, run, the_floor_is_not_above_the_price) {
    double price, floor, gap;
    const Value *plan;

    run_add(run, "all.yaml", WORKLOADS);
    run_options(run)->format = OUTPUT_JSON;
    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);
    plan = run_json(run);
    price = number_at(run, plan, "price perHour");
    floor = number_at(run, plan, "price floorPerHour");
    gap = number_at(run, plan, "price gapPercent");
    assert_true(floor > 0 && floor <= price + 1e-9);
    assert_true(gap - (price / floor - 1) * 100 < 1e-6 && (price / floor - 1) * 100 - gap < 1e-6);
}

TEST_F(Run, run, no_floor_is_named_where_nothing_is_opened) {
    run_add(run, "all.yaml",
            POOL("default") OBJECT("apiVersion: v1, kind: Node, metadata: {name: n-1, labels: {kubernetes.io/hostname: "
                                   "n-1}}, status: {allocatable: {cpu: 8, memory: 8Gi, pods: 10}}")
                POD("web", "1", ""));
    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);
    assert_false(has(run_out(run), "costs less than"));
}

// --- comparison of efforts

static const char *json_with(Run *run, Effort effort) {
    run_options(run)->effort = effort;
    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);
    return run_out(run);
}

TEST_F(Run, run, every_effort_gives_equal_output_for_equal_input) {
    run_add(run, "all.yaml", WORKLOADS);
    run_options(run)->format = OUTPUT_JSON;
    for (Effort effort = EFFORT_NORMAL; effort <= EFFORT_BEST; effort++)
        assert_string_equal(json_with(run, effort), json_with(run, effort));
}

TEST_F(Run, run, more_effort_costs_no_more) {
    static const Effort efforts[] = {EFFORT_FAST, EFFORT_NORMAL, EFFORT_BEST};
    double last = 1e9;

    run_add(run, "all.yaml", WORKLOADS);
    run_options(run)->format = OUTPUT_JSON;
    for (int i = 0; i < 3; i++) {
        json_with(run, efforts[i]);
        assert_true(number_at(run, run_json(run), "price perHour") <= last + 1e-9);
        last = number_at(run, run_json(run), "price perHour");
    }
}
