// The live view: a block of lines at the bottom of a terminal that is drawn over and over, and taken away at the end.
#include "cli/sim/sim_parts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

enum { COLUMNS = 60, EVENTS = 8 };

// The last figure of each column's share of the scenario; -1: not reached yet.
typedef struct {
    double values[COLUMNS];
} Curve;

struct SimLive {
    FILE *stream;
    bool colours;
    uint32_t lines; // that the picture before had
    Curve nodes, pods, pending, price;
    Arena arena; // of one picture
};

SimLive *sim_live_new(FILE *stream) {
    SimLive *live = calloc(1, sizeof *live);
    const char *no_color = getenv("NO_COLOR");
    Curve *curves[] = {&live->nodes, &live->pods, &live->pending, &live->price};

    CHECK(live, "out of memory");
    live->stream = stream;
    live->colours = !no_color || !*no_color;
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        for (size_t column = 0; column < COLUMNS; column++)
            curves[i]->values[column] = -1;
    }
    return live;
}

// --- curves

static Slice print_curve(Arena *arena, const Curve *curve) {
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    Buffer text = {0};
    double most = 0;
    Slice copy;

    for (size_t i = 0; i < COLUMNS; i++)
        most = curve->values[i] > most ? curve->values[i] : most;
    for (size_t i = 0; i < COLUMNS; i++) {
        double value = curve->values[i];
        int height = value <= 0 || most <= 0 ? 0 : 1 + (int)(value / most * 7);

        buffer_append(&text, value < 0 ? SLICE("·") : slice_of(blocks[height]));
    }
    copy = arena_slice(arena, buffer_slice(&text));
    buffer_free(&text);
    return copy;
}

// What lies between the last column known and this one had the same figure.
static void add_point(Curve *curve, size_t column, double value) {
    for (size_t i = column; i > 0 && curve->values[i - 1] < 0; i--)
        curve->values[i - 1] = value;
    curve->values[column] = value;
}

static void add_points(SimLive *live, const Run *run, const RunMoment *moment) {
    int64_t whole = run_end_ns(run) - run_start_ns(run);
    size_t column = whole > 0 ? (size_t)((double)moment->at_ns / (double)whole * COLUMNS) : 0;

    column = column < COLUMNS ? column : COLUMNS - 1;
    add_point(&live->nodes, column, moment->population.nodes);
    add_point(&live->pods, column, moment->population.pods);
    add_point(&live->pending, column, moment->population.pending);
    if (moment->price_per_hour > 0)
        add_point(&live->price, column, moment->price_per_hour);
}

// --- the picture

__attribute__((format(printf, 2, 3))) static void put_line(SimLive *live, const char *format, ...) {
    va_list args;

    va_start(args, format);
    vfprintf(live->stream, format, args);
    va_end(args);
    fputs("\x1b[K\n", live->stream);
    live->lines++;
}

static const char *colour(const SimLive *live, const char *code) {
    return live->colours ? code : "";
}

static void put_head(SimLive *live, const RunReport *report, const Run *run) {
    time_t at = (time_t)(run_now_ns(run) / NS_PER_S);
    struct tm broken;
    char text[64];

    gmtime_r(&at, &broken);
    strftime(text, sizeof text, "%a %H:%M:%S", &broken);
    put_line(live, "%s%.*s%s  %s  %3.0f %%", colour(live, "\x1b[1m"), SLICE_ARG(report->scenario->name),
             colour(live, "\x1b[0m"), text,
             (double)(run_now_ns(run) - run_start_ns(run)) * 100 / (double)(run_end_ns(run) - run_start_ns(run)));
}

static void put_curve(SimLive *live, const char *name, const Curve *curve, const char *code, Slice now) {
    put_line(live, "  %-8s %s%.*s%s %.*s", name, colour(live, code), SLICE_ARG(print_curve(&live->arena, curve)),
             colour(live, "\x1b[0m"), SLICE_ARG(now));
}

static void put_events(SimLive *live, const RunReport *report) {
    uint32_t count = report->entries.count;

    for (uint32_t i = count > EVENTS ? count - EVENTS : 0; i < count; i++) {
        const RunEntry *entry = &report->entries.items[i];
        int64_t s = entry->at_ns / NS_PER_S;
        bool bad = entry->type == RUN_EXPECTATION_FAILED || entry->type == RUN_REFUSED;
        const char *code = bad ? "\x1b[31m" : entry->type == RUN_FAULT ? "\x1b[33m" : "";

        put_line(live, "  %s%02d:%02d:%02d %.*s%s", colour(live, code), (int)(s / 3600), (int)(s / 60 % 60),
                 (int)(s % 60), (int)(entry->text.len < 70 ? entry->text.len : 70), entry->text.ptr,
                 colour(live, "\x1b[0m"));
    }
}

static void erase(SimLive *live) {
    if (live->lines)
        fprintf(live->stream, "\x1b[%uA\r\x1b[J", live->lines);
    live->lines = 0;
}

void sim_live_draw(SimLive *live, Run *run) {
    RunMoment moment = run_look(run);
    const RunReport *report = run_report(run);
    Arena *arena = &live->arena;
    ArenaMark mark = arena_mark(arena);
    const Population *now = &moment.population;

    add_points(live, run, &moment);
    erase(live);
    put_head(live, report, run);
    put_curve(live, "nodes", &live->nodes, "\x1b[32m", arena_printf(arena, "%u, %u ready", now->nodes, now->ready));
    put_curve(live, "pods", &live->pods, "\x1b[36m", arena_printf(arena, "%u, %u running", now->pods, now->running));
    put_curve(live, "pending", &live->pending, "\x1b[33m", arena_printf(arena, "%u", now->pending));
    put_curve(
        live, "$/hour", &live->price, "\x1b[35m",
        arena_printf(arena, "%.2f, $%.2f so far", moment.price_per_hour, (double)report->bill.nano_dollars / 1e9));
    put_events(live, report);
    fflush(live->stream);
    arena_rewind(arena, mark);
}

void sim_live_free(SimLive *live) {
    if (!live)
        return;
    erase(live);
    fflush(live->stream);
    arena_free(&live->arena);
    free(live);
}
