// Lines and JSON. What the input said goes through `printable`.
#include "cli/doctor/report.h"

#include "text/json.h"
#include "text/quote.h"

// Text: a line for each finding and its remedy, or one for a check without any.

static void print_label(Buffer *out, CheckStatus status, const char *id) {
    buffer_printf(out, "%-8s %-21s ", check_status_text(status), id);
}

static void print_place(Buffer *out, Arena *arena, const Finding *finding) {
    Slice file = printable(arena, finding->place.file), object = printable(arena, finding->object);

    if (file.len && finding->place.line)
        buffer_printf(out, "%.*s:%u: ", SLICE_ARG(file), finding->place.line);
    else if (file.len)
        buffer_printf(out, "%.*s: ", SLICE_ARG(file));
    if (object.len)
        buffer_printf(out, "%.*s: ", SLICE_ARG(object));
}

static void print_finding(Buffer *out, Arena *arena, const char *id, const Finding *finding) {
    print_label(out, finding->status, id);
    print_place(out, arena, finding);
    buffer_printf(out, "%.*s\n", SLICE_ARG(printable(arena, finding->text)));
    buffer_printf(out, "%31sfix: %.*s\n", "", SLICE_ARG(printable(arena, finding->fix)));
}

static void print_note(Buffer *out, const CheckResult *result) {
    print_label(out, result->status, result->id);
    buffer_printf(out, "%s%s\n", result->status == CHECK_SKIPPED ? "needs " : "", result->note);
}

static void print_result(Buffer *out, Arena *arena, const CheckResult *result) {
    if (!result->findings.count)
        print_note(out, result);
    for (vec_each(const Finding, finding, &result->findings))
        print_finding(out, arena, result->id, finding);
}

static uint32_t count_findings(const CheckResultVec *results, CheckStatus status) {
    uint32_t count = 0;

    for (vec_each(const CheckResult, result, results)) {
        for (vec_each(const Finding, finding, &result->findings))
            count += finding->status == status;
    }
    return count;
}

static uint32_t count_results(const CheckResultVec *results, CheckStatus status) {
    uint32_t count = 0;

    for (vec_each(const CheckResult, result, results))
        count += result->status == status;
    return count;
}

void doctor_print_text(Buffer *out, const CheckResultVec *results) {
    Arena arena = {0};

    for (vec_each(const CheckResult, result, results))
        print_result(out, &arena, result);
    buffer_printf(out, "errors: %u, warnings: %u, checks ok: %u, skipped: %u\n", count_findings(results, CHECK_ERROR),
                  count_findings(results, CHECK_WARNING), count_results(results, CHECK_GOOD),
                  count_results(results, CHECK_SKIPPED));
    arena_free(&arena);
}

// JSON.

static void put_text(Arena *arena, Value *map, const char *key, Slice text) {
    if (text.len)
        value_put(arena, map, slice_of(key), value_string(text));
}

static Value finding_value(Arena *arena, const Finding *finding) {
    Value value = value_map();

    put_text(arena, &value, "severity", slice_of(check_status_text(finding->status)));
    put_text(arena, &value, "file", finding->place.file);
    if (finding->place.line)
        value_put(arena, &value, SLICE("line"), value_int(arena, finding->place.line));
    put_text(arena, &value, "object", finding->object);
    put_text(arena, &value, "text", finding->text);
    put_text(arena, &value, "fix", finding->fix);
    return value;
}

static Value result_value(Arena *arena, const CheckResult *result) {
    Value value = value_map(), findings = value_list();

    for (vec_each(const Finding, finding, &result->findings))
        value_append(arena, &findings, finding_value(arena, finding));
    put_text(arena, &value, "id", slice_of(result->id));
    put_text(arena, &value, "status", slice_of(check_status_text(result->status)));
    if (result->status == CHECK_SKIPPED)
        put_text(arena, &value, "needs", slice_of(result->note));
    value_put(arena, &value, SLICE("findings"), findings);
    return value;
}

void doctor_print_json(Buffer *out, const CheckResultVec *results) {
    Arena arena = {0};
    Value root = value_map(), checks = value_list();

    for (vec_each(const CheckResult, result, results))
        value_append(&arena, &checks, result_value(&arena, result));
    value_put(&arena, &root, SLICE("checks"), checks);
    json_print(out, &root, true);
    buffer_append_char(out, '\n');
    arena_free(&arena);
}
