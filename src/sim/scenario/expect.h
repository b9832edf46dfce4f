// Expected: an expectation while a scenario runs, checked until it is met or its time is over.
#pragma once

#include "sim/scenario/scenario.h"

typedef enum { EXPECT_WAITING, EXPECT_LASTING, EXPECT_MET, EXPECT_FAILED } ExpectState;

// An expectation of a step whose time has come.
typedef struct {
    const Expectation *expectation;
    ExpectState state;
    int64_t from_ns;  // time of the step
    int64_t since_ns; // EXPECT_LASTING: since when it has been true
    int64_t decided_ns;
    double value; // at the last check
} Expected;
typedef Vec(Expected) ExpectedVec;

// Checks the expectation; returns whether it is decided. O(objects of the kind) for a count.
bool expect_look(Expected *expected, const Measures *measures, int64_t now_ns);
// When to check again although nothing changes (its time is over, it has lasted); INT64_MAX: never.
int64_t expect_next_ns(const Expected *expected);

// "3 of Pod shop/web where status.phase is Running, expected 5"
Slice expect_print(Arena *arena, const Expected *expected);
