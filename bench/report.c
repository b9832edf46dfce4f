#include "report.h"

#include "text/json.h"

#include <math.h>
#include <stdio.h>

static bool strategy_find(Slice name, uint32_t *ret_bit) {
    for (uint32_t i = 0; i < STRATEGY_COUNT; i++) {
        if (slice_eq_text(name, strategy_text((Strategy)i))) {
            *ret_bit = 1u << i;
            return true;
        }
    }
    return false;
}

ErrCode strategies_parse(Slice text, uint32_t *ret_bits, Err *err) {
    uint32_t bits = 0;

    while (text.len) {
        ptrdiff_t comma = slice_find(text, ',');
        Slice name = comma < 0 ? text : slice_first(text, (size_t)comma);
        uint32_t bit = 0;

        if (!strategy_find(name, &bit))
            return err_set(err, ERR_INVALID,
                           "--strategy: expected first-fit, emptiest-first, marginal-price or patterns, got \"%.*s\"",
                           SLICE_ARG(name));
        bits |= bit;
        text = slice_from(text, comma < 0 ? text.len : (size_t)comma + 1);
    }
    *ret_bits = bits;
    return OK;
}

// --- one value after the other --------------------------------------------------------------------------------------

typedef struct {
    ReportFormat format;
    bool header; // names instead of values (TSV)
    bool first;
} Row;

static void start(Row *row, const char *name) {
    if (!row->first)
        fputs(row->format == REPORT_TSV ? "\t" : ", ", stdout);
    row->first = false;
    if (row->format == REPORT_JSON)
        printf("\"%s\": ", name);
    else if (row->header)
        fputs(name, stdout);
}

static void put_text(Row *row, const char *name, const char *text) {
    start(row, name);
    if (row->header)
        return;
    if (row->format == REPORT_JSON) {
        Buffer buffer = {0};

        json_print_string(&buffer, slice_of(text));
        printf("%.*s", SLICE_ARG(buffer_slice(&buffer)));
        buffer_free(&buffer);
    } else {
        fputs(text, stdout);
    }
}

static void put_count(Row *row, const char *name, uint64_t count) {
    start(row, name);
    if (!row->header)
        printf("%llu", (unsigned long long)count);
}

// NAN: nothing to say.
static void put_real(Row *row, const char *name, double value, int digits) {
    start(row, name);
    if (row->header)
        return;
    if (isnan(value))
        fputs(row->format == REPORT_TSV ? "-" : "null", stdout);
    else
        printf("%.*f", digits, value);
}

static void put_ms(Row *row, const char *name, int64_t ns) {
    put_real(row, name, (double)ns / 1e6, 3);
}

static void put_mib(Row *row, const char *name, uint64_t bytes) {
    put_real(row, name, (double)bytes / MIB, 1);
}

static void put_times(Row *row, const Measurement *m) {
    put_ms(row, "select_ms", m->select_ns);
    put_ms(row, "best_ms", m->best_ns);
    put_ms(row, "median_ms", m->median_ns);
    put_real(row, "us_per_pod", m->pods ? (double)m->best_ns / 1e3 / m->pods : NAN, 3);
    put_ms(row, "prepare_ms", m->timings.prepare);
    put_ms(row, "place_first_fit_ms", m->timings.place[STRATEGY_FIRST_FIT]);
    put_ms(row, "place_emptiest_first_ms", m->timings.place[STRATEGY_EMPTIEST_FIRST]);
    put_ms(row, "place_marginal_price_ms", m->timings.place[STRATEGY_MARGINAL_PRICE]);
    put_ms(row, "place_patterns_ms", m->timings.place[STRATEGY_PATTERNS]);
    put_ms(row, "improve_ms", m->timings.improve);
    put_ms(row, "floor_ms", m->timings.floor);
    put_ms(row, "write_ms", m->timings.write);
}

static void put_row(Row *row, const char *name, const char *effort, const Measurement *m) {
    bool has_floor = !isnan(m->floor_per_hour) && m->floor_per_hour > 0;

    put_text(row, "case", name);
    put_count(row, "pods", m->pods);
    put_text(row, "effort", effort);
    put_count(row, "types", m->types);
    put_count(row, "classes", m->classes);
    put_count(row, "existing_nodes", m->existing_nodes);
    put_count(row, "bound_pods", m->bound_pods);
    put_count(row, "nodes", m->claims);
    put_count(row, "nodes_used", m->nodes_used);
    put_count(row, "unplaced", m->unplaced);
    put_real(row, "price", m->price_per_hour, 4);
    put_real(row, "floor", has_floor ? m->floor_per_hour : NAN, 4);
    put_real(row, "gap_percent", has_floor ? (m->price_per_hour / m->floor_per_hour - 1) * 100 : NAN, 3);
    put_text(row, "strategy", strategy_text(m->strategy));
    put_times(row, m);
    put_mib(row, "rss_before_mib", m->rss_before);
    put_mib(row, "rss_peak_mib", m->rss_peak);
    put_ms(row, "build_ms", m->build_ns);
}

// --- for people -----------------------------------------------------------------------------------------------------

static void print_table_header(void) {
    printf("%-24s %8s %-6s %7s %7s %8s %12s %12s %7s %11s %11s %8s %8s\n", "case", "pods", "effort", "classes", "nodes",
           "unplaced", "$/h", "floor $/h", "gap %", "best ms", "median ms", "us/pod", "MiB");
}

static void print_table_row(const char *name, const char *effort, const Measurement *m) {
    char floor[32] = "-", gap[32] = "-";

    if (!isnan(m->floor_per_hour) && m->floor_per_hour > 0) {
        snprintf(floor, sizeof floor, "%.2f", m->floor_per_hour);
        snprintf(gap, sizeof gap, "%.2f", (m->price_per_hour / m->floor_per_hour - 1) * 100);
    }
    printf("%-24s %8u %-6s %7u %7u %8u %12.2f %12s %7s %11.2f %11.2f %8.2f %8.1f", name, m->pods, effort, m->classes,
           m->claims, m->unplaced, m->price_per_hour, floor, gap, (double)m->best_ns / 1e6, (double)m->median_ns / 1e6,
           m->pods ? (double)m->best_ns / 1e3 / m->pods : 0, (double)m->rss_peak / MIB);
}

// --- the report -----------------------------------------------------------------------------------------------------

void report_begin(ReportFormat format, bool with_header) {
    Row row = {.format = format, .header = true, .first = true};
    Measurement nothing = {0};

    if (format == REPORT_JSON) {
        fputs("[", stdout);
    } else if (with_header && format == REPORT_TABLE) {
        print_table_header();
    } else if (with_header) {
        put_row(&row, "", "", &nothing);
        fputs("\n", stdout);
    }
    fflush(stdout);
}

void report_case(ReportFormat format, const char *effort, const BenchCase *of, uint32_t pods,
                 const Measurement *measurement, const Err *err, bool first) {
    Row row = {.format = format, .first = true};

    if (format == REPORT_JSON)
        fputs(first ? "\n{" : ",\n{", stdout);
    if (format == REPORT_TABLE && err) {
        printf("%-24s %8u %-6s %s", of->name, pods, effort, err->text);
    } else if (format == REPORT_TABLE) {
        print_table_row(of->name, effort, measurement);
    } else if (err) {
        put_text(&row, "case", of->name);
        put_count(&row, "pods", pods);
        put_text(&row, "effort", effort);
        put_text(&row, "error", err->text);
    } else {
        put_row(&row, of->name, effort, measurement);
    }
    fputs(format == REPORT_JSON ? "}" : "\n", stdout);
    fflush(stdout);
}

void report_end(ReportFormat format) {
    if (format == REPORT_JSON)
        fputs("\n]\n", stdout);
}
