// Sketch: quantiles of the observations of the last ten minutes in bounded memory, for summaries.
//
// Values are counted in classes that grow by 2 %, so a quantile is within 1 % of an observed value of that rank (Go's
// client, which Karpenter uses, is within 1 % of the rank; for durations this promise is the stricter one). Five
// windows of two minutes each; the oldest is cleared as time passes. Values are clamped to 0.1 ms and 115 days; the
// smallest and the largest are exact.
// that; the smallest and largest are exact.
#pragma once

#include "base/time.h"

enum { SKETCH_WINDOWS = 5, SKETCH_CLASSES = 1280 };

typedef struct {
    uint32_t count;
    double min, max;
    uint32_t classes[SKETCH_CLASSES];
} SketchWindow;

typedef struct {
    Mono began; // start of the newest window
    uint32_t newest;
    SketchWindow windows[SKETCH_WINDOWS];
} Sketch;

// {0} is a valid empty sketch. O(1).
void sketch_add(Sketch *sketch, double value, Mono now);
// The value at a rank from 0 to 1; NaN: no observation in the last ten minutes. O(windows × classes).
double sketch_quantile(Sketch *sketch, double part, Mono now);
