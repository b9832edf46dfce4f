// Checking expectations.
#include "sim/scenario/expect.h"

static double look(const Expectation *expectation, const Measures *measures) {
    return expectation->is_count ? measure_count(measures, &expectation->selection)
                                 : measure_take(measures, expectation->measure);
}

static void decide(Expected *expected, bool met, int64_t now_ns) {
    expected->state = met ? EXPECT_MET : EXPECT_FAILED;
    expected->decided_ns = now_ns;
}

static int64_t deadline(const Expected *expected) {
    return expected->from_ns + expected->expectation->within_ns;
}

bool expect_look(Expected *expected, const Measures *measures, int64_t now_ns) {
    const Expectation *expectation = expected->expectation;

    expected->value = look(expectation, measures);
    if (amount_is_met(&expectation->amount, expected->value)) {
        if (expected->state != EXPECT_LASTING) {
            expected->state = EXPECT_LASTING;
            expected->since_ns = now_ns;
        }
        if (now_ns - expected->since_ns >= expectation->lasting_ns)
            decide(expected, true, now_ns);
    } else if (now_ns >= deadline(expected)) {
        decide(expected, false, now_ns);
    } else {
        expected->state = EXPECT_WAITING;
    }
    return expected->state == EXPECT_MET || expected->state == EXPECT_FAILED;
}

int64_t expect_next_ns(const Expected *expected) {
    switch (expected->state) {
    case EXPECT_WAITING:
        return deadline(expected);
    case EXPECT_LASTING:
        return expected->since_ns + expected->expectation->lasting_ns;
    default:
        return INT64_MAX;
    }
}

static Slice print_selection(Arena *arena, const Selection *selection) {
    const KubeKindInfo *kind = kube_kind(selection->kind);
    Slice text = arena_printf(arena, "%.*s%s%.*s%s%.*s", SLICE_ARG(kind->kind), selection->ns.len ? " in " : "",
                              SLICE_ARG(selection->ns), selection->name.len ? " " : "", SLICE_ARG(selection->name));

    for (vec_each(const WhereTerm, term, &selection->where))
        text = arena_printf(arena, "%.*s %s%.*s is %s\"%.*s\"", SLICE_ARG(text),
                            term == selection->where.items ? "where " : "and ", SLICE_ARG(term->path),
                            term->negated ? "not " : "", SLICE_ARG(term->want));
    return text;
}

Slice expect_print(Arena *arena, const Expected *expected) {
    const Expectation *expectation = expected->expectation;
    Slice amount = amount_print(arena, &expectation->amount);
    Slice what = expectation->is_count ? print_selection(arena, &expectation->selection)
                                       : slice_of(measure_info(expectation->measure)->name);

    return arena_printf(arena, "%s %.*s: expected %.*s, got %g", expectation->is_count ? "count of" : "measure",
                        SLICE_ARG(what), SLICE_ARG(amount), expected->value);
}
