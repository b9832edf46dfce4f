// Test harness: tests register themselves, so cmocka needs no lists of functions and no casts of `*state`.
//
//     TEST(an_empty_queue_has_no_first) { … }
//
//     FIXTURE(World, world_setup, world_teardown);          World *world_setup(void); void world_teardown(World *);
//     TEST_F(World, w, spread_fills_the_emptiest_zone_first) { … w … }
//
// A file is a suite; its name is the path below tests/unit/<room>/ without .c. Its tests run in the order of the
// file. All files of a room are one program; ctest runs each of its suites in a process of its own (test.c).
#pragma once

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

// A test without a fixture.
#define TEST(name)                                                                                                     \
    static void name(void);                                                                                            \
    static void test_call_##name(void **state) {                                                                       \
        (void)state;                                                                                                   \
        name();                                                                                                        \
    }                                                                                                                  \
    TEST_REGISTER(name, .call = test_call_##name)                                                                      \
    static void name(void)

// A test with a fixture: it gets a new `Type *variable`.
#define TEST_F(Type, variable, name)                                                                                   \
    TEST_TAKING(Type, variable, name, .setup = test_setup_##Type, .teardown = test_teardown_##Type)

// A test of each case that `list` adds (test_case): `Type *variable` is the case's item.
#define TEST_EACH(Type, variable, name, list_cases) TEST_TAKING(Type, variable, name, .list = list_cases)

// Defines a fixture for the tests of a file: `Type *setup(void)` makes it, `void teardown(Type *)` frees it.
#define FIXTURE(Type, setup, teardown)                                                                                 \
    static inline int test_setup_##Type(void **state) {                                                                \
        *state = setup();                                                                                              \
        return 0;                                                                                                      \
    }                                                                                                                  \
    static inline int test_teardown_##Type(void **state) {                                                             \
        if (*state)                                                                                                    \
            teardown(*state);                                                                                          \
        return 0;                                                                                                      \
    }                                                                                                                  \
    _Static_assert(1, "wants a semicolon")

// Functions `void f(void)` to call before and after each test of this file, or all of them. At most one of each.
#define BEFORE_EACH(function) TEST_AROUND(before_each, function)
#define AFTER_EACH(function)  TEST_AROUND(after_each, function)
#define BEFORE_ALL(function)  TEST_AROUND(before_all, function)
#define AFTER_ALL(function)   TEST_AROUND(after_all, function)

typedef struct TestCases TestCases;

// Adds a case to a TEST_EACH. `name` is the test's name; both live as long as the program.
void test_case(TestCases *cases, const char *name, void *item);

// Number of random cases to run out of `count`: all; a tenth under a sanitizer, where each takes five times as long.
// The environment variable TENON_CASES sets another percentage.
uint32_t test_random_cases(uint32_t count);

// Command line arguments after "--", NULL-terminated, for tests that take files.
extern char **test_arguments;

// --- implementation of the macros

typedef struct Test Test;
struct Test {
    const char *file, *name;
    int line;
    void (*call)(void **state);
    int (*setup)(void **state), (*teardown)(void **state); // of the fixture, or NULL
    void (*list)(TestCases *cases);                        // of a TEST_EACH
    const Test *next;
};

typedef struct TestAround TestAround;
struct TestAround {
    const char *file;
    void (*before_each)(void), (*after_each)(void), (*before_all)(void), (*after_all)(void); // one of them
    const TestAround *next;
};

void test_register(Test *test);
void test_register_around(TestAround *around);

#define TEST_REGISTER(name_, ...)                                                                                      \
    __attribute__((constructor)) static void test_register_##name_(void) {                                             \
        static Test test = {.file = __FILE__, .name = #name_, .line = __LINE__, __VA_ARGS__};                          \
        test_register(&test);                                                                                          \
    }

#define TEST_TAKING(Type, variable, name, ...)                                                                         \
    static void name(Type *variable);                                                                                  \
    static void test_call_##name(void **state) {                                                                       \
        name(*state);                                                                                                  \
    }                                                                                                                  \
    TEST_REGISTER(name, .call = test_call_##name, __VA_ARGS__)                                                         \
    static void name(Type *variable)

#define TEST_AROUND(when, function)                                                                                    \
    __attribute__((constructor)) static void test_register_##when(void) {                                              \
        static TestAround around = {.file = __FILE__, .when = function};                                               \
        test_register_around(&around);                                                                                 \
    }                                                                                                                  \
    _Static_assert(1, "wants a semicolon")
