// Faults of a random scenario, one at a time or several within a minute. They end ten minutes before everything is
// deleted, except those that only cost tenon its memory.
#include "sim/campaign/campaign_faults.h"

#include "sim/campaign/campaign_draft.h"

#include <inttypes.h>

static void put_for(Draft *draft, int64_t most_s) {
    buffer_printf(draft->out, ", for: %" PRId64 "s", draw_between(draft, 10, most_s));
}

static void put_offering(Draft *draft) {
    static const char *const types[] = {"c*", "m*", "*.large", "*.2xlarge", "m5.*"};
    static const char *const zones[] = {"\"*a\"", "\"*b\"", "\"*c\""};
    static const char *const capacity[] = {"spot", "on-demand"};

    if (draw_chance(draft, 50))
        buffer_printf(draft->out, ", instanceType: \"%s\"", draw_word(draft, types, 5));
    if (draw_chance(draft, 30))
        buffer_printf(draft->out, ", zone: %s", draw_word(draft, zones, 3));
    if (draw_chance(draft, 30))
        buffer_printf(draft->out, ", capacityType: %s", draw_word(draft, capacity, 2));
}

typedef enum {
    WITH_OFFERING,
    WITH_COUNT,
    WITH_SHARE,
    WITH_FACTOR,
    WITH_PERCENT,
    WITH_DELAY,
    WITH_CONDITION,
    WITH_NOTHING
} With;

// The faults to draw from, their parameters, and their longest duration; 0: a momentary fault.
static const struct {
    const char *name;
    With with;
    int64_t most_s;
} kinds[] = {
    {"ice", WITH_OFFERING, 1800},     {"spot-interrupt", WITH_SHARE, 0},        {"instance-kill", WITH_SHARE, 0},
    {"never-join", WITH_COUNT, 900},  {"never-ready", WITH_COUNT, 900},         {"kubelet-dead", WITH_SHARE, 900},
    {"slow-boot", WITH_FACTOR, 1800}, {"slow-cloud", WITH_FACTOR, 900},         {"cloud-error", WITH_PERCENT, 900},
    {"cloud-lag", WITH_DELAY, 900},   {"throttle", WITH_FACTOR, 900},           {"price", WITH_FACTOR, 1800},
    {"api-error", WITH_PERCENT, 600}, {"watch-drop", WITH_NOTHING, 0},          {"watch-expire", WITH_NOTHING, 0},
    {"watch-delay", WITH_DELAY, 600}, {"kill-controller", WITH_DELAY, 0},       {"partition", WITH_NOTHING, 300},
    {"clock-skew", WITH_DELAY, 1800}, {"node-condition", WITH_CONDITION, 3600}, {"no-reboots", WITH_NOTHING, 3600},
};

static void put_parameter(Draft *draft, With with) {
    switch (with) {
    case WITH_OFFERING:
        put_offering(draft);
        break;
    case WITH_COUNT:
        buffer_printf(draft->out, ", count: %" PRId64, draw_between(draft, 1, 5));
        break;
    case WITH_SHARE:
        buffer_printf(draft->out, ", percent: %" PRId64, draw_between(draft, 1, 60));
        break;
    case WITH_FACTOR:
        buffer_printf(draft->out, ", factor: %" PRId64, draw_between(draft, 2, 20));
        break;
    case WITH_PERCENT:
        buffer_printf(draft->out, ", percent: %" PRId64, draw_between(draft, 1, 50));
        break;
    case WITH_DELAY:
        buffer_printf(draft->out, ", delay: %" PRId64 "s", draw_between(draft, 1, 30));
        break;
    case WITH_CONDITION:
        buffer_printf(draft->out, ", condition: %s, percent: %" PRId64,
                      draft->is_kwok ? "KWOKUnhealthy, status: \"True\"" : "KernelReady", draw_between(draft, 1, 60));
        break;
    case WITH_NOTHING:
        break;
    }
}

static void put_fault(Draft *draft, int64_t least_s, int64_t most_s) {
    uint32_t kind = random_below(&draft->random, sizeof kinds / sizeof *kinds);
    int64_t last_s = draft->end_s - 600, longest_s = last_s / 2 < kinds[kind].most_s ? last_s / 2 : kinds[kind].most_s;

    if (most_s > last_s - longest_s)
        most_s = last_s - longest_s;
    draft_begin_line(draft, most_s > least_s ? draw_between(draft, least_s, most_s) : most_s);
    buffer_printf(draft->out, "fault: {type: %s", kinds[kind].name);
    put_parameter(draft, kinds[kind].with);
    if (longest_s)
        put_for(draft, longest_s);
    buffer_printf(draft->out, "}");
    draft_end_line(draft);
}

static void put_storm(Draft *draft) {
    int64_t begin_s = draw_between(draft, 30, draft->end_s - 600);

    for (int64_t left = draw_between(draft, 2, 5); left > 0; left--)
        put_fault(draft, begin_s, begin_s + 60);
}

// A launch that is lost: tenon is killed while it launches nodes for a workload, and their NodeClaims are deleted
// before it restarts.
static void put_forgotten_launch(Draft *draft) {
    int64_t at_s = draft->workload_s[random_below(&draft->random, draft->workloads)] + draw_between(draft, 2, 5);

    draft_begin_line(draft, at_s);
    buffer_printf(draft->out, "fault: {type: kill-controller, delay: 30s}");
    draft_end_line(draft);
    draft_begin_line(draft, at_s + 5);
    buffer_printf(draft->out, "delete: {kind: NodeClaim, name: \"p*\", optional: true}");
    draft_end_line(draft);
}

// A fault during the deletion of everything.
static void put_late_fault(Draft *draft) {
    static const char *const late[] = {"kill-controller, delay: 5s", "watch-drop", "watch-expire"};

    draft_begin_line(draft, draft->end_s + draw_between(draft, 5, 1800));
    buffer_printf(draft->out, "fault: {type: %s}", draw_word(draft, late, 3));
    draft_end_line(draft);
}

// Tenon's clock is wrong by hours, is corrected, and becomes wrong again.
void draft_clock(Draft *draft) {
    static const char *const wrong[] = {"16m", "1h", "24h", "\"-16m\"", "\"-1h\"", "\"-24h\""};

    if (!draw_chance(draft, 25))
        return;
    for (int64_t left = draw_between(draft, 1, 6); left > 0; left--) {
        draft_begin_line(draft, draw_between(draft, 0, draft->end_s - 1200));
        buffer_printf(draft->out, "fault: {type: clock-skew, delay: %s", draw_word(draft, wrong, 6));
        put_for(draft, 600);
        buffer_printf(draft->out, "}");
        draft_end_line(draft);
    }
}

void draft_sickness(Draft *draft) {
    static const char *const replaced[] = {"KWOKUnhealthy, status: \"True\", reason: E2ERepair",
                                           "AcceleratedHardwareReady, status: \"False\", reason: XID64"};
    static const char *const rebooted[] = {"KWOKRebootRequired, status: \"True\"",
                                           "AcceleratedHardwareReady, status: \"False\", reason: XID46"};

    if (!draw_chance(draft, 40))
        return;
    for (int64_t left = draw_between(draft, 1, 3); left > 0; left--) {
        int64_t at_s = draw_between(draft, 300, draft->end_s / 2);
        const char *const *causes = draw_chance(draft, 50) ? replaced : rebooted;

        draft_begin_line(draft, at_s);
        buffer_printf(draft->out,
                      "fault: {type: node-condition, condition: %s, percent: %" PRId64 ", for: %" PRId64 "s}",
                      causes[!draft->is_kwok], draw_between(draft, 10, 80), draft->end_s - 600 - at_s);
        draft_end_line(draft);
    }
}

void draft_faults(Draft *draft) {
    for (int64_t left = draw_between(draft, 0, 5); left > 0; left--)
        put_fault(draft, 30, draft->end_s);
    if (draw_chance(draft, 25))
        put_storm(draft);
    if (draw_chance(draft, 25))
        put_forgotten_launch(draft);
    for (int64_t left = draw_between(draft, 0, 2); left > 0; left--)
        put_late_fault(draft);
}
