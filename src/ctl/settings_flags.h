// The flags of the controllers' settings: one table, from which command lines, environment and scenarios are read and
// the documentation is made. Names, variables and defaults are Karpenter's (lifecycle.md 7.4) where it has them.
#pragma once

#include "ctl/settings.h"

// X(FIELD, "flag", "VARIABLE", "value", "default", "help")
#define SETTINGS_FLAGS(X)                                                                                              \
    X(BATCH_IDLE, "batch-idle-duration", "BATCH_IDLE_DURATION", "DURATION", "1s",                                      \
      "plan when no pod has come for so long")                                                                         \
    X(BATCH_MAX, "batch-max-duration", "BATCH_MAX_DURATION", "DURATION", "10s", "and at the latest after so long")     \
    X(PREFERENCES, "preference-policy", "PREFERENCE_POLICY", "WORD", "Respect",                                        \
      "Respect preferred rules as long as there is a way, Ignore them, or Weigh them by their price")                  \
    X(MIN_VALUES, "min-values-policy", "MIN_VALUES_POLICY", "WORD", "Strict", "Strict or BestEffort")                  \
    X(DISRUPTION, "disruption", "DISRUPTION", "WORD", "true",                                                          \
      "take nodes away that are empty, drifted, or not worth their price: true, false")                                \
    X(CONSOLIDATION, "consolidation", "CONSOLIDATION", "WORD", "fleet",                                                \
      "look for cheaper nodes for the whole fleet at once, or in Karpenter's classic way: fleet, classic")             \
    X(PLANNED_TAINT, "planned-taint", "PLANNED_TAINT", "WORD", "false",                                                \
      "have kube-scheduler prefer other nodes to those that are to go as soon as they may: true, false")               \
    X(INTERRUPTION_QUEUE, "interruption-queue", "INTERRUPTION_QUEUE", "NAME", "",                                      \
      "drain nodes on messages of this queue: interruptions, maintenance, changes of state; empty: there is none")     \
    X(EXPIRATION_JITTER, "expiration-jitter", "EXPIRATION_JITTER", "PERCENT", "10%",                                   \
      "let nodes expire up to that part of their expireAfter earlier, a day at most, each at a time of its own; 0%: "  \
      "all of them when it has passed")                                                                                \
    X(EXPIRATION_LEAD, "expiration-lead", "EXPIRATION_LEAD", "DURATION", "10m",                                        \
      "launch what replaces a node so long before it expires, at most a tenth of its expireAfter; 0s: never")          \
    X(EFFORT, "effort", "EFFORT", "WORD", "normal", "how hard to look for cheap plans: fast, normal, best")            \
    X(DEADLINE, "solve-deadline", "SOLVE_DEADLINE", "DURATION", "5s",                                                  \
      "use the best plan so far after so long, and set pods aside that take too much of it")                           \
    X(GATES, "feature-gates", "FEATURE_GATES", "GATE=BOOL,…", "ReservedCapacity=true",                                 \
      "StaticCapacity, ReservedCapacity, NodeRepair, RebootForRepair, SpotToSpotConsolidation, "                       \
      "TerminateFirstDrift, TerminateFirstRepair, PodDeletionCostManagement")

typedef struct {
    const char *flag, *variable, *value, *preset, *help;
} SettingsFlag;

extern const SettingsFlag settings_flags[];
extern const uint32_t settings_flag_count;

// Sets the setting of a flag (named without dashes). ERR_NOT_FOUND: no such flag. ERR_INVALID: the text names what was
// expected.
ErrCode settings_set(Settings *settings, Slice flag, Slice value, Err *err);

// One sentence for each gate of a --feature-gates text that is accepted but has no effect: gates that Karpenter does
// not have, with the nearest name that it has, and gates that tenon does not implement yet.
SliceVec settings_idle_gates(Arena *arena, Slice value);

// Takes the first gate off a list "NAME=BOOL,…", which may be empty afterwards. ERR_INVALID: it has no such form.
ErrCode settings_take_gate(Slice *list, Slice *ret_name, bool *ret_on, Err *err);

// Selects NodePools of KWOKNodeClass instead of those of EC2NodeClass.
void settings_serve_kwok(Settings *settings);
