// Worlds for tests of plans: types, pools, nodes and pods, plan_solve, and assertions about the plan.
//
// A test describes objects as fragments of YAML (flow style, so that a fragment fits a line), plans, and asserts what a
// user would notice. Each plan reads the whole text with the decoders of manifests. A failing assertion prints the
// plan.
#pragma once

#include "harness/test.h"
#include "sched/plan.h"

typedef struct World World;

// An empty world with the standard types.
World *world_setup(void);
void world_teardown(World *world);
FIXTURE(World, world_setup, world_teardown);

// --- words for fragments

#define ZONE          "topology.kubernetes.io/zone"
#define HOST          "kubernetes.io/hostname"
#define ARCH          "kubernetes.io/arch"
#define OS            "kubernetes.io/os"
#define CAPACITY_TYPE "karpenter.sh/capacity-type"
#define INSTANCE_TYPE "node.kubernetes.io/instance-type"

// Requirements of pools, expressions of terms and selectors.
#define IN(key, values)                "{key: " key ", operator: In, values: [" values "]}"
#define NOT_IN(key, values)            "{key: " key ", operator: NotIn, values: [" values "]}"
#define EXISTS(key)                    "{key: " key ", operator: Exists}"
#define ABSENT(key)                    "{key: " key ", operator: DoesNotExist}"
#define GT(key, value)                 "{key: " key ", operator: Gt, values: [\"" value "\"]}"
#define LT(key, value)                 "{key: " key ", operator: Lt, values: [\"" value "\"]}"
#define MIN_VALUES(key, values, count) "{key: " key ", operator: In, values: [" values "], minValues: " count "}"

// Members of a pod's spec.
#define SELECT(labels)      "nodeSelector: {" labels "}"
#define TOLERATE(rules)     "tolerations: [" rules "]"
#define SPREAD(constraints) "topologySpreadConstraints: [" constraints "]"
#define AFFINITY(rules)     "affinity: {" rules "}"
// A constraint of SPREAD; `more` is empty or starts with a comma.
#define SKEW(key, skew, labels, more)                                                                                  \
    "{topologyKey: " key ", maxSkew: " #skew ", whenUnsatisfiable: DoNotSchedule, "                                    \
    "labelSelector: {matchLabels: {" labels "}}" more "}"
#define SKEW_ANYWAY(key, skew, labels)                                                                                 \
    "{topologyKey: " key ", maxSkew: " #skew ", whenUnsatisfiable: ScheduleAnyway, "                                   \
    "labelSelector: {matchLabels: {" labels "}}}"
// Rules of AFFINITY. NODE takes terms made with TERM; both kinds of preference take PREFER_TERM and PREFER_POD.
#define NODE(terms)                      "nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" terms "]}}"
#define TERM(expressions)                "{matchExpressions: [" expressions "]}"
#define PREFER_NODE(terms)               "nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [" terms "]}"
#define PREFER_TERM(weight, expressions) "{weight: " #weight ", preference: {matchExpressions: [" expressions "]}}"
#define NODE_BOTH(terms, preferred)                                                                                    \
    "nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" terms "]}, "                \
    "preferredDuringSchedulingIgnoredDuringExecution: [" preferred "]}"
#define NEAR(terms)         "podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" terms "]}"
#define APART(terms)        "podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" terms "]}"
#define PREFER_NEAR(terms)  "podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [" terms "]}"
#define PREFER_APART(terms) "podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [" terms "]}"
// A term of the four above; `more` is empty or starts with a comma.
#define PODS(key, labels, more) "{topologyKey: " key ", labelSelector: {matchLabels: {" labels "}}" more "}"
#define PREFER_POD(weight, key, labels)                                                                                \
    "{weight: " #weight ", podAffinityTerm: {topologyKey: " key ", labelSelector: {matchLabels: {" labels "}}}}"
#define CLAIMS(name)       "volumes: [" CLAIM_VOLUME(name) "]"
#define CLAIM_VOLUME(name) "{name: v-" name ", persistentVolumeClaim: {claimName: " name "}}"

// --- what is in the world

// The standard types, while a test adds none, each in zones a, b and c, spot and on-demand, without overhead; a
// spot instance costs 60 % of the price:
//   small 2 CPU 4Gi $0.10, medium 4 CPU 8Gi $0.20, large 8 CPU 16Gi $0.40, huge 16 CPU 32Gi $0.80 (all 10 pods, amd64),
//   arm 16 CPU 128Gi $0.90 (10 pods, arm64).
typedef struct {
    const char *name;
    const char *capacity;       // "cpu: 2, memory: 4Gi, pods: 10"
    const char *overhead;       // the same; default none
    const char *labels;         // further requirements: IN(…), GT(…), …
    const char *arch, *systems; // default amd64 and linux; several as "linux, windows"
    const char *zones;          // "a b c", the default; "" none: only world_offering's
    const char *capacity_types; // "spot on-demand", the default
    double price;               // of on-demand
    const char *volume_limits;  // "ebs.csi.aws.com: 2"
} TypeText;

// A further offering of a type.
typedef struct {
    const char *type, *zone;
    const char *capacity_type; // default on-demand
    double price;
    bool unavailable;
    const char *reservation; // id, with capacity_type reserved
    int count;               // instances left in the reservation
    const char *capacity;    // override
    const char *overhead;    // override
} OfferingText;

typedef struct {
    const char *name;
    const char *requirements; // IN(…), …
    const char *labels;       // of the template
    const char *annotations;  // of the template
    const char *template;     // further members of spec.template.spec: "taints: […]"
    const char *spec;         // further members of spec: "limits: {cpu: 4}, weight: 10"
    const char *types;        // names of the types that its provider has, default all
} PoolText;

// How far a node of a pool is.
typedef enum { NODE_INITIALIZED, NODE_REGISTERED, NODE_LAUNCHED, NODE_CREATED } NodeStage;

typedef struct {
    const char *name;
    const char *labels;       // "topology.kubernetes.io/zone: a"
    const char *host;         // kubernetes.io/hostname; default the name, "" without that label
    const char *allocatable;  // default "cpu: 16, memory: 32Gi, pods: 110"
    const char *taints;       // "{key: k, effect: NoSchedule}"
    const char *pool;         // default: of no pool
    NodeStage stage;          // of a node of a pool; it then has a NodeClaim of the same name
    const char *claim_spec;   // further members of the NodeClaim's spec: "startupTaints: […]"
    const char *claim_room;   // status.capacity and status.allocatable of the NodeClaim; default as allocatable
    const char *meta;         // further members of metadata, of the NodeClaim or of a node of no pool
    const char *requirements; // of the NodeClaim
} NodeText;

typedef struct {
    const char *name;
    int count;            // 0: one pod of that name; else name-0, name-1, …
    const char *labels;   // "app: web"
    const char *requests; // "cpu: 1"; default none
    const char *spec;     // further members of spec
    const char *node;     // bound to this node and running
    const char *ns;       // default "default"
    const char *meta;     // further members of metadata
    const char *status;   // further members of status
} PodText;

#define world_type(world, ...)     world_add_type((world), (TypeText){__VA_ARGS__})
#define world_offering(world, ...) world_add_offering((world), (OfferingText){__VA_ARGS__})
#define world_pool(world, ...)     world_add_pool((world), (PoolText){__VA_ARGS__})
#define world_node(world, ...)     world_add_node((world), (NodeText){__VA_ARGS__})
#define world_pods(world, ...)     world_add_pods((world), (PodText){__VA_ARGS__})
void world_add_type(World *world, TypeText type);
void world_add_offering(World *world, OfferingText offering);
void world_add_pool(World *world, PoolText pool);
void world_add_node(World *world, NodeText node);
void world_add_pods(World *world, PodText pods);
// Any other objects, one flow mapping each (without braces).
void world_object(World *world, const char *yaml);
// A DaemonSet; `spec` may be NULL.
void world_daemon(World *world, const char *name, const char *requests, const char *spec);

// Removes all pools, for tests that change them between two plans.
void world_drop_pools(World *world);

void world_ignore_preferences(World *world);
void world_weigh_preferences(World *world);
void world_best_effort(World *world);
void world_default_spread(World *world, const char *yaml);
void world_type_limit(World *world, uint32_t count); // instance types per claim

// --- planning

// Plans the pending pods. The plan and everything it points to live as long as the world.
const Plan *world_plan(World *world);
// Carries out the last plan: its claims become nodes that are up, with the pods bound to them. Other pods stay pending.
void world_launch(World *world);

// The cluster, the pending pods and the nodes of the last plan.
Cluster *world_cluster(World *world);
const PlanInput *world_input(World *world);
const PlannedClaim *world_claim(World *world, uint32_t number);
// The claim or node that the pod goes to, as text ("default-1", "node-1"); "" nowhere.
const char *world_place(World *world, const char *pod);

// --- assertions about the last plan

// Pods that match the labels ("app=web"; "" all), bound ones and planned ones, per value of a node label:
// "a=2 b=1", sorted; pods on nodes without a settled value count under "?". A domain without pods is not named.
#define assert_domains(world, key, labels, expected)                                                                   \
    assert_domains_((world), (key), (labels), (expected), __FILE__, __LINE__)
#define assert_zones(world, expected) assert_domains((world), ZONE, "", (expected))
// Pods that match, per node and claim that has any, most first: "2 1 1".
#define assert_per_node(world, labels, expected) assert_per_node_((world), (labels), (expected), __FILE__, __LINE__)
// Names of pods that found no place, in the order of the input: "web-3 web-4"; "" every pod has one.
#define assert_pending(world, expected)       assert_pending_((world), (expected), __FILE__, __LINE__)
#define assert_pending_count(world, expected) assert_pending_count_((world), (expected), __FILE__, __LINE__)
#define assert_claims(world, expected)        assert_claims_((world), (expected), __FILE__, __LINE__)
// The pods of a claim or node by its name: "web-0 web-1".
#define assert_pods_on(world, place, expected) assert_pods_on_((world), (place), (expected), __FILE__, __LINE__)
// The types of a claim (by number), cheapest first, and what it is expected to become: "small a spot".
#define assert_types(world, claim, expected)  assert_types_((world), (claim), (expected), __FILE__, __LINE__)
#define assert_choice(world, claim, expected) assert_choice_((world), (claim), (expected), __FILE__, __LINE__)
// The pool of a claim.
#define assert_pool(world, claim, expected) assert_pool_((world), (claim), (expected), __FILE__, __LINE__)
// "key In [a b]" as Karpenter prints it; "" the claim has no requirement on the key.
#define assert_requirement(world, claim, key, expected)                                                                \
    assert_requirement_((world), (claim), (key), (expected), __FILE__, __LINE__)
// {"cpu":"1","pods":"1"}.
#define assert_requests(world, claim, expected) assert_requests_((world), (claim), (expected), __FILE__, __LINE__)
// The value of a label of the claim's metadata; NULL: it has none.
#define assert_label(world, claim, key, expected) assert_label_((world), (claim), (key), (expected), __FILE__, __LINE__)
// Karpenter's text, the check and the nearest miss (of the n-th pool tried) for a pod without a place.
#define assert_message(world, pod, expected) assert_message_((world), (pod), (expected), __FILE__, __LINE__)
#define assert_reason(world, pod, at, check, miss)                                                                     \
    assert_reason_((world), (pod), (at), (check), (miss), __FILE__, __LINE__)

void assert_domains_(World *world, const char *key, const char *labels, const char *expected, const char *file,
                     int line);
void assert_per_node_(World *world, const char *labels, const char *expected, const char *file, int line);
void assert_pending_(World *world, const char *expected, const char *file, int line);
void assert_pending_count_(World *world, uint32_t expected, const char *file, int line);
void assert_claims_(World *world, uint32_t expected, const char *file, int line);
void assert_pods_on_(World *world, const char *place, const char *expected, const char *file, int line);
void assert_types_(World *world, uint32_t claim, const char *expected, const char *file, int line);
void assert_choice_(World *world, uint32_t claim, const char *expected, const char *file, int line);
void assert_pool_(World *world, uint32_t claim, const char *expected, const char *file, int line);
void assert_requirement_(World *world, uint32_t claim, const char *key, const char *expected, const char *file,
                         int line);
void assert_requests_(World *world, uint32_t claim, const char *expected, const char *file, int line);
void assert_label_(World *world, uint32_t claim, const char *key, const char *expected, const char *file, int line);
void assert_message_(World *world, const char *pod, const char *expected, const char *file, int line);
void assert_reason_(World *world, const char *pod, uint32_t at, Check check, const char *miss, const char *file,
                    int line);
