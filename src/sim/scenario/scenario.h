// Scenario: changes of a cluster, their times, and expectations. docs/scenarios.md is the user's page.
//
// A scenario is one YAML document (or several files with one each). Everything that can be checked before it runs is
// checked when it is read: unknown members, names of faults and their parameters, amounts, durations, kinds. All of it
// is in one arena.
#pragma once

#include "kube/kube.h"
#include "sim/scenario/amount.h"
#include "sim/scenario/measure.h"

// X(NAME, "name in the file", parameters): parameters of the fault besides `for` (its duration).
#define SCENARIO_FAULTS(X)                                                                                             \
    X(ICE, "ice", FAULT_OFFERING) /* no capacity in these offerings */                                                 \
    X(SPOT_INTERRUPT, "spot-interrupt", FAULT_OFFERING | FAULT_COUNT | FAULT_PERCENT) /* with two minutes' notice */   \
    X(INSTANCE_KILL, "instance-kill", FAULT_OFFERING | FAULT_COUNT | FAULT_PERCENT)   /* gone at once */               \
    X(NEVER_JOIN, "never-join", FAULT_COUNT)   /* the next instances never become nodes */                             \
    X(NEVER_READY, "never-ready", FAULT_COUNT) /* the next nodes join and never become ready */                        \
    X(KUBELET_DEAD, "kubelet-dead", FAULT_OFFERING | FAULT_COUNT | FAULT_PERCENT)                                      \
    X(NODE_CONDITION, "node-condition", FAULT_OFFERING | FAULT_COUNT | FAULT_PERCENT | FAULT_CONDITION)                \
    X(NO_REBOOTS, "no-reboots", 0)               /* the cloud denies them */                                           \
    X(SLOW_BOOT, "slow-boot", FAULT_FACTOR)      /* boot takes so many times longer */                                 \
    X(SLOW_CLOUD, "slow-cloud", FAULT_FACTOR)    /* answers take so many times longer */                               \
    X(CLOUD_ERROR, "cloud-error", FAULT_PERCENT) /* of the calls fail */                                               \
    X(CLOUD_LAG, "cloud-lag", FAULT_DELAY)       /* lists are so old */                                                \
    X(THROTTLE, "throttle", FAULT_FACTOR)        /* the cloud's rate limits are divided by it */                       \
    X(PRICE, "price", FAULT_OFFERING | FAULT_FACTOR)                                                                   \
    X(API_ERROR, "api-error", FAULT_PERCENT)           /* of tenon's calls to the API server fail */                   \
    X(WATCH_DROP, "watch-drop", 0)                     /* all watches end */                                           \
    X(WATCH_EXPIRE, "watch-expire", 0)                 /* and their revisions are too old */                           \
    X(WATCH_DELAY, "watch-delay", FAULT_DELAY)         /* tenon is told so much later */                               \
    X(KILL_CONTROLLER, "kill-controller", FAULT_DELAY) /* kill -9; it starts again after `delay` */                    \
    X(PARTITION, "partition", 0)                       /* tenon reaches neither the API server nor the cloud */        \
    X(CLOCK_SKEW, "clock-skew", FAULT_DELAY)           /* tenon's clock is so far ahead; negative: behind */

typedef enum {
    FAULT_OFFERING = 1, // instanceType, zone, capacityType: globs; not given: all
    FAULT_COUNT = 2,
    FAULT_PERCENT = 4,
    FAULT_FACTOR = 8,
    FAULT_DELAY = 16,
    FAULT_CONDITION = 32, // condition, status, reason
} FaultParameters;

typedef enum {
#define X(name, ...) FAULT_##name,
    SCENARIO_FAULTS(X)
#undef X
        FAULT_TYPE_COUNT
} FaultType;

const char *fault_text(FaultType type);

typedef struct {
    FaultType type;
    Slice instance_type, zone, capacity_type; // globs; empty: all
    Slice node;                               // name or glob of nodes, to select instances
    Slice condition, status, reason;          // that Nodes report; status "False" where it is not given
    bool has_count, has_percent, has_factor, has_delay;
    int32_t count;
    double percent, factor;
    int64_t delay_ns;
    int64_t for_ns; // 0: until the end, or once for a momentary fault
} ScenarioFault;

typedef struct {
    KubeKind kind;
    Slice ns, name; // name empty: all that `labels` select
    Slice labels;
    bool optional; // matching no object is not an error
} ScenarioTarget;

// Replicas over the day: `low` at night, `high` at `peak_ns` after midnight, a cosine in between, with some noise.
typedef struct {
    ScenarioTarget target;
    int64_t low, high;
    int64_t peak_ns;
    double noise_percent;
} ScenarioLoad;

// An expected count or measure.
typedef struct {
    bool is_count; // else `measure`
    Selection selection;
    Measure measure;
    Amount amount;
    int64_t within_ns;  // time until it must have become true; 0: it must be true at once
    int64_t lasting_ns; // how long it must then stay true; 0: a moment is enough
    uint32_t line;
} Expectation;
typedef Vec(Expectation) ExpectationVec;

typedef enum {
    STEP_APPLY,
    STEP_PATCH,
    STEP_SCALE,
    STEP_LOAD,
    STEP_DELETE,
    STEP_FAULT,
    STEP_EXPECT,
    STEP_NOTE
} StepType;

// A step of the timeline.
typedef struct {
    StepType type;
    int64_t at_ns;              // after the start
    int64_t every_ns, until_ns; // repeated; 0: once
    uint32_t line, number;      // in the file; number of the step
    ValueList objects;          // STEP_APPLY
    ScenarioTarget target;      // STEP_PATCH, STEP_SCALE, STEP_DELETE
    const Value *patch;         // STEP_PATCH: a merge patch
    KubePart part;
    int64_t replicas; // STEP_SCALE
    ScenarioLoad load;
    ScenarioFault fault;
    ExpectationVec expectations;
    Slice note;
} ScenarioStep;
typedef Vec(ScenarioStep) ScenarioStepVec;

// Properties of the simulated cloud and cluster. 0: the defaults of sim/cloud/cloud_sim.h and sim/kubelet/kubelet.h.
typedef struct {
    Slice region;               // "us-east-1"
    int64_t boot_ns;            // median, from launch to running
    int64_t join_ns;            // from there to its Node
    int64_t ready_ns;           // from there to Ready
    int64_t pod_start_ns;       // from binding to Running
    double binds_per_second;    // of kube-scheduler
    int64_t on_demand_depth;    // mean number of instances in an on-demand capacity pool
    int64_t spot_depth;         // likewise for spot
    int64_t spot_life_ns;       // mean life of spot instances until EC2 interrupts them; 0: forever
    double price_swing_percent; // by which spot prices move around the catalogue's, each hour
} ScenarioCluster;

typedef struct {
    bool has_version, has_kind; // apiVersion: tenon.sh/v1alpha1, kind: Scenario
    Slice file, name, description;
    uint64_t seed;
    int64_t start_ns, duration_ns; // duration 0: ten minutes after the last step
    const Value *settings;         // of tenon: flag names without dashes; may be NULL
    ScenarioCluster cluster;
    ScenarioStepVec steps; // by time; those of the same time in the order of the file
} Scenario;
typedef Vec(Scenario) ScenarioVec;

// Reads scenarios from a text with one or more documents. ERR_INVALID: the text names file, line, path and what was
// expected. `files` may be NULL: then `apply` must not name files.
typedef struct {
    // Loads a file that `apply` names; `path`: the scenario's folder and the name.
    ErrCode (*load)(void *context, Arena *arena, Slice path, Slice *ret_text, Err *err);
    void *context;
} ScenarioFiles;

ErrCode scenario_read(Arena *arena, Slice file, Slice text, const ScenarioFiles *files, ScenarioVec *scenarios,
                      Err *err);
