// The main of a room's tests: runs those that registered themselves, suite by suite.
//
//     ROOM_tests [--list] [--suite SUITE] [NAME...] [-- ARGUMENT...]
//
// Without arguments all of them. --suite: those of one file (bin/test_bin). NAME: those of such a name, which may be a
// pattern ("row_spread_*"). --list lists them instead: "SUITE NAME", a line each. Arguments after "--" are for tests
// that use test_arguments. Exit: 0 all passed, 1 some failed, 2 there are none of that name.
#include "harness/test.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const Test *test;
    const char *name;
    void *item; // of a TEST_EACH
} Run;

struct TestCases {
    const Test *test; // whose cases are added
    Run *runs;
    size_t count, room;
};

static const Test *tests;
static const TestAround *arounds;
static const Run *running; // cmocka hands its functions nothing but the state
static const char *running_file;
char **test_arguments = (char *[]){NULL};

void test_register(Test *test) {
    test->next = tests;
    tests = test;
}

void test_register_around(TestAround *around) {
    around->next = arounds;
    arounds = around;
}

static void *resized(void *memory, size_t size) {
    memory = realloc(memory, size);
    if (!memory)
        abort();
    return memory;
}

void test_case(TestCases *cases, const char *name, void *item) {
    if (cases->count == cases->room) {
        cases->room = 2 * cases->room + 64;
        cases->runs = resized(cases->runs, cases->room * sizeof *cases->runs);
    }
    cases->runs[cases->count++] = (Run){cases->test, name, item};
}

uint32_t test_random_cases(uint32_t count) {
    const char *text = getenv("TENON_CASES");
    uint64_t percent = text ? strtoul(text, NULL, 10) : TEST_IS_SLOW ? 10 : 100;

    return (uint32_t)(count * percent / 100);
}

// --- around a test

// Calls the functions of that kind that the running suite has.
#define CALL_AROUND(kind)                                                                                              \
    for (const TestAround *around = arounds; around; around = around->next) {                                          \
        if (around->kind && !strcmp(around->file, running_file))                                                       \
            around->kind();                                                                                            \
    }

static int before_all(void **state) {
    (void)state;
    CALL_AROUND(before_all)
    return 0;
}

static int after_all(void **state) {
    (void)state;
    CALL_AROUND(after_all)
    return 0;
}

static int before_each(void **state) {
    running = *state;
    *state = running->item;
    CALL_AROUND(before_each)
    return running->test->setup ? running->test->setup(state) : 0;
}

static int after_each(void **state) {
    int result = running->test->teardown ? running->test->teardown(state) : 0;

    CALL_AROUND(after_each)
    return result;
}

// --- suites

// What to run: NULL or no patterns mean all.
typedef struct {
    const char *suite;
    char **patterns;
    bool is_listing;
} Wish;

// The path below tests/unit/<room>/ of a test's file, without ".c"; elsewhere its name. Into `ret_name`.
static void suite_name(const char *file, char ret_name[static NAME_MAX]) {
    static const char unit[] = "tests/unit/";
    const char *below = strstr(file, unit);
    const char *slash = below ? strchr(below + strlen(unit), '/') : strrchr(file, '/');

    file = slash ? slash + 1 : file;
    snprintf(ret_name, NAME_MAX, "%.*s", (int)(strlen(file) - strlen(".c")), file);
}

static int compare_tests(const void *a, const void *b) {
    const Test *x = *(const Test *const *)a, *y = *(const Test *const *)b;
    int order = strcmp(x->file, y->file);

    return order ? order : x->line - y->line;
}

// All of them by file and line, NULL at the end. The caller frees.
static const Test **sorted_tests(void) {
    const Test **sorted = NULL;
    size_t count = 0;

    for (const Test *test = tests; test; test = test->next) {
        sorted = resized(sorted, (count + 2) * sizeof *sorted);
        sorted[count++] = test;
        sorted[count] = NULL;
    }
    if (count)
        qsort(sorted, count, sizeof *sorted, compare_tests);
    return sorted;
}

static bool is_wanted(const char *name, char *const *patterns) {
    if (!patterns || !*patterns)
        return true;
    for (; *patterns; patterns++) {
        if (!fnmatch(*patterns, name, 0))
            return true;
    }
    return false;
}

// Adds the selected tests of a file; returns the first test after that file.
static const Test **collect(const Test **at, char *const *patterns, TestCases *cases) {
    const char *file = (*at)->file;
    size_t kept = 0;

    for (; *at && !strcmp((*at)->file, file); at++) {
        cases->test = *at;
        if ((*at)->list)
            (*at)->list(cases);
        else
            test_case(cases, (*at)->name, NULL);
    }
    for (size_t i = 0; i < cases->count; i++) {
        if (is_wanted(cases->runs[i].name, patterns))
            cases->runs[kept++] = cases->runs[i];
    }
    cases->count = kept;
    return at;
}

static int run_suite(const char *name, const char *file, const TestCases *cases) {
    struct CMUnitTest *entries = resized(NULL, cases->count * sizeof *entries);
    int failed;

    for (size_t i = 0; i < cases->count; i++)
        entries[i] = (struct CMUnitTest){.name = cases->runs[i].name,
                                         .test_func = cases->runs[i].test->call,
                                         .setup_func = before_each,
                                         .teardown_func = after_each,
                                         .initial_state = &cases->runs[i]};
    running_file = file;
    failed = _cmocka_run_group_tests(name, entries, cases->count, before_all, after_all);
    free(entries);
    return failed;
}

// Runs or lists what is wanted. Returns an exit code.
static int run(const Wish *wish) {
    const Test **sorted = sorted_tests(), **at = sorted;
    size_t met = 0;
    int failed = 0;

    while (at && *at) {
        char name[NAME_MAX];
        const char *file = (*at)->file;
        TestCases cases = {0};

        suite_name(file, name);
        if (wish->suite && strcmp(name, wish->suite)) {
            at++;
            continue;
        }
        at = collect(at, wish->patterns, &cases);
        met += cases.count;
        for (size_t i = 0; wish->is_listing && i < cases.count; i++)
            printf("%s %s\n", name, cases.runs[i].name);
        if (!wish->is_listing && cases.count)
            failed += run_suite(name, file, &cases);
        free(cases.runs);
    }
    free(sorted);
    if (!met)
        fprintf(stderr, "no such test; --list names them\n");
    return !met ? 2 : failed != 0;
}

int main(int argc, char **argv) {
    Wish wish = {.patterns = argv + argc};
    int at = 1;

    for (; at < argc && *argv[at] == '-' && strcmp(argv[at], "--"); at++) {
        if (!strcmp(argv[at], "--list")) {
            wish.is_listing = true;
        } else if (!strcmp(argv[at], "--suite") && at + 1 < argc) {
            wish.suite = argv[++at];
        } else {
            fprintf(stderr, "usage: %s [--list] [--suite SUITE] [NAME...] [-- ARGUMENT...]\n", *argv);
            return 2;
        }
    }
    wish.patterns = argv + at;
    for (; at < argc; at++) {
        if (strcmp(argv[at], "--"))
            continue;
        argv[at] = NULL;
        test_arguments = argv + at + 1;
        break;
    }
    return run(&wish);
}
