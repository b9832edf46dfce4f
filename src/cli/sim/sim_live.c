// The live view: lines at the bottom of a terminal that are redrawn again and again, and erased at the end.
#include "cli/sim/sim_parts.h"

#include "base/alloc.h"
#include "cli/sim/terminal.h"
#include "text/quote.h"

#include <stdlib.h>
#include <time.h>

// A curve is stored as CELLS values over the scenario's duration and drawn in as many columns as there are. Its name
// and present value take BESIDE columns.
enum { CELLS = 240, CURVE_LEAST = 8, BESIDE = 12 + 28, EVENTS = 8 };

// The last value in each cell's part of the scenario; -1: not reached yet.
typedef struct {
    double values[CELLS];
} Curve;

struct SimLive {
    FILE *stream;
    bool colours, keys;
    uint32_t columns; // of the terminal, when drawing began
    uint32_t lines;   // lines of the previous picture
    Curve nodes, pods, pending, price;
    Arena arena; // freed with each picture
};

SimLive *sim_live_new(FILE *stream) {
    SimLive *live = NEW(SimLive);
    const char *no_color = getenv("NO_COLOR");
    Curve *curves[] = {&live->nodes, &live->pods, &live->pending, &live->price};

    live->stream = stream;
    live->keys = terminal_grab();
    live->colours = !no_color || !*no_color;
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        for (size_t cell = 0; cell < CELLS; cell++)
            curves[i]->values[cell] = -1;
    }
    return live;
}

// --- curves

// The highest value of a column's cells; -1: none.
static double column_value(const Curve *curve, size_t column, size_t columns) {
    size_t end = (column + 1) * CELLS / columns;
    double most = -1;

    for (size_t i = column * CELLS / columns; i < end; i++)
        most = curve->values[i] > most ? curve->values[i] : most;
    return most;
}

static Slice print_curve(Arena *arena, const Curve *curve, size_t columns) {
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double most = column_value(curve, 0, 1);
    Buffer text = {0};
    Slice copy;

    for (size_t i = 0; i < columns; i++) {
        double value = column_value(curve, i, columns);
        int height = value <= 0 || most <= 0 ? 0 : 1 + (int)(value / most * 7);

        buffer_append(&text, value < 0 ? SLICE("·") : slice_of(blocks[height]));
    }
    copy = arena_slice(arena, buffer_slice(&text));
    buffer_free(&text);
    return copy;
}

// Adds a value; the cells since the last known one had that one's value.
static void add_point(Curve *curve, size_t cell, double value) {
    for (size_t i = cell; i > 0 && curve->values[i - 1] < 0; i--)
        curve->values[i - 1] = value;
    curve->values[cell] = value;
}

static void add_points(SimLive *live, const Run *run, const RunMoment *moment) {
    int64_t whole = run_end_ns(run) - run_start_ns(run);
    size_t cell = whole > 0 ? (size_t)((double)moment->at_ns / (double)whole * CELLS) : 0;

    cell = cell < CELLS ? cell : CELLS - 1;
    add_point(&live->nodes, cell, moment->population.nodes);
    add_point(&live->pods, cell, moment->population.pods);
    add_point(&live->pending, cell, moment->population.pending);
    if (moment->price_per_hour > 0)
        add_point(&live->price, cell, moment->price_per_hour);
}

// --- the picture

// Cuts a text to that many columns: a wrapped line could not be erased.
static Slice cut(Arena *arena, Slice text, size_t columns) {
    Slice shown = printable(arena, text);
    size_t at = 0;

    for (size_t i = 0; i < columns && at < shown.len; i++) {
        at++;
        while (at < shown.len && ((unsigned char)shown.ptr[at] & 0xc0) == 0x80)
            at++;
    }
    return slice_first(shown, at);
}

static const char *colour(const SimLive *live, const char *code) {
    return live->colours ? code : "";
}

static void put_line(SimLive *live, const char *code, Slice text) {
    Slice shown = cut(&live->arena, text, live->columns - 1);

    fprintf(live->stream, "%s%.*s%s\x1b[K\n", colour(live, code), SLICE_ARG(shown),
            colour(live, *code ? "\x1b[0m" : ""));
    live->lines++;
}

static void put_head(SimLive *live, const RunReport *report, const Run *run) {
    time_t at = (time_t)(run_now_ns(run) / NS_PER_S);
    struct tm broken;
    char text[64];

    gmtime_r(&at, &broken);
    strftime(text, sizeof text, "%a %H:%M:%S", &broken);
    put_line(live, "\x1b[1m",
             arena_printf(&live->arena, "%s %3.0f %%  %.*s%s", text,
                          (double)(run_now_ns(run) - run_start_ns(run)) * 100 /
                              (double)(run_end_ns(run) - run_start_ns(run)),
                          SLICE_ARG(report->scenario->name), live->keys ? "  (q ends it)" : ""));
}

// Draws "  nodes    ▁▂▅▇ 12, 12 ready"; without the curve where that is too wide.
static void put_curve(SimLive *live, const char *name, const Curve *curve, const char *code, Slice now) {
    size_t columns = live->columns > BESIDE + CURVE_LEAST ? live->columns - BESIDE : CURVE_LEAST, used = 11 + 1 + 1;
    Slice bars = SLICE("");

    columns = columns < CELLS ? columns : CELLS;
    if (used + columns <= live->columns) {
        bars = print_curve(&live->arena, curve, columns);
        used += columns;
    }
    now = cut(&live->arena, now, live->columns > used ? live->columns - used : 0);
    fprintf(live->stream, "  %-8s %s%.*s%s %.*s\x1b[K\n", name, colour(live, code), SLICE_ARG(bars),
            colour(live, "\x1b[0m"), SLICE_ARG(now));
    live->lines++;
}

static void put_events(SimLive *live, const RunReport *report) {
    uint32_t count = report->entries.count;

    for (uint32_t i = count > EVENTS ? count - EVENTS : 0; i < count; i++) {
        const RunEntry *entry = &report->entries.items[i];
        int64_t s = entry->at_ns / NS_PER_S;
        bool bad = entry->type == RUN_EXPECTATION_FAILED || entry->type == RUN_REFUSED;
        const char *mark = sim_entry_mark(entry->type);

        put_line(live,
                 bad                        ? "\x1b[31m"
                 : entry->type == RUN_FAULT ? "\x1b[33m"
                                            : "",
                 arena_printf(&live->arena, "  %02d:%02d:%02d %s%s%.*s", (int)(s / 3600), (int)(s / 60 % 60),
                              (int)(s % 60), mark, *mark ? ": " : "", SLICE_ARG(entry->text)));
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
    live->columns = terminal_columns(fileno(live->stream));
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
    terminal_release();
    erase(live);
    fflush(live->stream);
    arena_free(&live->arena);
    free(live);
}
