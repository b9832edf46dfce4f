// Quantiles of what was observed in the last ten minutes, in bounded memory, for summaries.
//
// Values are counted in classes that grow by 2 %, so a quantile is within 1 % of a value that was observed there (Go's
// client, which Karpenter uses, is within 1 % of the rank; for durations ours is the stricter promise). Five windows of
// two minutes each; the oldest is emptied when time moves on. Values below 0.1 ms count as 0.1 ms, above 115 days as
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
    Mono began; // of the newest window
    uint32_t newest;
    SketchWindow windows[SKETCH_WINDOWS];
} Sketch;

// {0} is a valid empty sketch. O(1).
void sketch_add(Sketch *sketch, double value, Mono now);
// The value at that part (0 to 1) of the order; NaN: nothing was observed in the last ten minutes. O(windows ×
// classes).
double sketch_quantile(Sketch *sketch, double part, Mono now);
