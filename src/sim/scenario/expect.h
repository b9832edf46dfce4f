// Expectations while a scenario runs: looked at after each round until they are met, or their time is over.
#pragma once

#include "sim/scenario/scenario.h"

typedef enum { EXPECT_WAITING, EXPECT_LASTING, EXPECT_MET, EXPECT_FAILED } ExpectState;

// One expectation of one step that has come.
typedef struct {
    const Expectation *expectation;
    ExpectState state;
    int64_t from_ns;  // when the step came
    int64_t since_ns; // EXPECT_LASTING: since when it has held
    int64_t decided_ns;
    double value; // when it was looked at last
} Expected;
typedef Vec(Expected) ExpectedVec;

// Looks at it now. Whether it is decided. O(objects of the kind) for a count.
bool expect_look(Expected *expected, const Measures *measures, int64_t now_ns);
// When it must be looked at again though nothing changes (its time is over, it has lasted); INT64_MAX: never.
int64_t expect_next_ns(const Expected *expected);

// "3 of Pod shop/web where status.phase is Running, expected 5"
Slice expect_print(Arena *arena, const Expected *expected);
