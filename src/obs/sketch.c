#include "obs/sketch.h"

#include <math.h>
#include <string.h>

static const double SMALLEST = 1e-4, GROWTH = 1.02;
static const int64_t WINDOW_NS = 2 * NS_PER_MIN;

static uint32_t class_of(double value) {
    double class = value <= SMALLEST ? 0 : ceil(log(value / SMALLEST) / log(GROWTH));

    return class < SKETCH_CLASSES ? (uint32_t) class : SKETCH_CLASSES - 1;
}

// The middle of a class: no value of the class is more than 1 % away.
static double class_value(uint32_t class) {
    return class ? SMALLEST * pow(GROWTH, class - 0.5) : SMALLEST;
}

// Opens the windows that have begun since.
static void move_on(Sketch *sketch, Mono now) {
    if (!mono_is_set(sketch->began))
        sketch->began = now;
    for (int i = 0; i < SKETCH_WINDOWS && mono_since(now, sketch->began) >= WINDOW_NS; i++) {
        sketch->newest = (sketch->newest + 1) % SKETCH_WINDOWS;
        sketch->windows[sketch->newest] = (SketchWindow){0};
        sketch->began = mono_after(sketch->began, WINDOW_NS);
    }
    if (mono_since(now, sketch->began) >= WINDOW_NS)
        sketch->began = now;
}

void sketch_add(Sketch *sketch, double value, Mono now) {
    SketchWindow *window;

    move_on(sketch, now);
    window = &sketch->windows[sketch->newest];
    window->min = window->count && window->min < value ? window->min : value;
    window->max = window->count && window->max > value ? window->max : value;
    window->classes[class_of(value)]++;
    window->count++;
}

// The sum of all windows.
static SketchWindow sum_up(const Sketch *sketch) {
    SketchWindow sum = {.min = INFINITY, .max = -INFINITY};

    for (int i = 0; i < SKETCH_WINDOWS; i++) {
        const SketchWindow *window = &sketch->windows[i];

        if (!window->count)
            continue;
        sum.count += window->count;
        sum.min = fmin(sum.min, window->min);
        sum.max = fmax(sum.max, window->max);
        for (uint32_t c = 0; c < SKETCH_CLASSES; c++)
            sum.classes[c] += window->classes[c];
    }
    return sum;
}

double sketch_quantile(Sketch *sketch, double part, Mono now) {
    SketchWindow sum;
    uint64_t rank, seen = 0;

    move_on(sketch, now);
    sum = sum_up(sketch);
    if (!sum.count)
        return NAN;
    if (part <= 0)
        return sum.min;
    if (part >= 1)
        return sum.max;
    rank = (uint64_t)ceil(part * sum.count);
    for (uint32_t c = 0; c < SKETCH_CLASSES; c++) {
        seen += sum.classes[c];
        if (seen >= rank)
            return fmin(fmax(class_value(c), sum.min), sum.max);
    }
    return sum.max;
}
