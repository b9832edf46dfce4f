// TestEnv: a test environment for controllers: the embedded API server, a State that its watches fill, a clock that the
// test moves, a work queue, and a scripted cloud.
//
//     TestEnv *env = env_new(&claim_lifecycle_controller, NULL);
//     env_put(env, "{kind: NodeClaim, metadata: {name: a}}");
//     assert_string_equal(env_reconcile(env, "a"), "patch nodeclaim/a locked {…}\n"); // its intents
//     env_carry_out(env);                                                             // carry them out
//     env_run(env, "5m");                                                             // or: run for a time
//
// Objects are real ones: invalid ones are refused, the status is a subresource, and deletion sets deletionTimestamp
// while there are finalizers. env_put fills in members that a test leaves out. Everything is deterministic. Returned
// texts live until env_free.
#pragma once

#include "ctl/ctl.h"
#include "harness/test.h"
#include "sim/api/api.h"

#include <stdio.h>

typedef struct TestEnv TestEnv;

// settings_default with disruption on and KWOKNodeClass as the provider's NodeClass.
Settings env_settings(void);
// An environment at 2026-01-05T00:00:00Z. `settings` NULL: env_settings. They are copied.
TestEnv *env_new(const Controller *controller, const Settings *settings);
void env_free(TestEnv *env);
// Adds a controller, which observes and is called, too. Keys that are enqueued for controllers that were not added are
// noted (env_asked) and never reconciled.
void env_add(TestEnv *env, const Controller *controller);

// --- time

int64_t env_now_ns(const TestEnv *env);
// Moves the clock ("90s", "1h5m") without calling controllers.
void env_pass(TestEnv *env, const char *duration);
// Sets wall time, the API server's too, ahead ("1h") or back ("-1h"): monotonic time does not move.
void env_set_clock(TestEnv *env, const char *duration);

// --- objects

// Writes YAML documents ("---" between them) to the API server: creates, or merges into what is there (labels, spec,
// status, …; null takes a member away). Then the changes are observed (env_tell). Filled in when absent: apiVersion by
// kind, metadata with the name "it", containers of pods, nodeClassRef {group: karpenter.kwok.sh, kind: KWOKNodeClass,
// name: default} and requirements of claims and pools. Conditions may be written as texts: [Launched,
// Registered=Unknown/NodeNotFound]; a type alone means True, lastTransitionTime is now, the reason is the type when
// none is given. Fails the test when the server refuses.
__attribute__((format(printf, 2, 3))) void env_put(TestEnv *env, const char *format, ...);
// The same, without env_tell: the State lags behind until the next one.
__attribute__((format(printf, 2, 3))) void env_put_unseen(TestEnv *env, const char *format, ...);
// Deletes as kubectl does. `path`, here and below: "name" or "namespace/name" ("default/" may be left out).
void env_delete(TestEnv *env, KubeKind kind, const char *path);
// Removes an object: without its finalizers, and pods without a grace period.
void env_remove(TestEnv *env, KubeKind kind, const char *path);
// Delivers new watch events to the State and the controllers.
void env_tell(TestEnv *env);

bool env_has(TestEnv *env, KubeKind kind, const char *path);
uint32_t env_count(TestEnv *env, KubeKind kind);
// The object in the API server. Fails the test when it does not exist.
Value env_get(TestEnv *env, KubeKind kind, const char *path);
// Its status.conditions: "Launched=True/Launched Registered=Unknown/NodeNotFound", in their order.
const char *env_conditions(TestEnv *env, KubeKind kind, const char *path);
// One of them with its message: "Unknown/NodeNotFound: Node not registered with cluster"; "" when absent.
const char *env_condition(TestEnv *env, KubeKind kind, const char *path, const char *type);
// A part of it as compact JSON, by keys with dots: env_part(s, KUBE_NODE, "n", "spec.taints"); "" when absent. A key
// may be quoted with ': "metadata.labels.'karpenter.sh/registered'".
const char *env_part(TestEnv *env, KubeKind kind, const char *path, const char *part);

State *env_state(TestEnv *env);
Kube env_kube(TestEnv *env);
Symbol env_symbol(TestEnv *env, const char *text);
Handle env_find(TestEnv *env, KubeKind kind, const char *path);

// --- turns

// Calls Controller.start (once; env_run does so by itself).
void env_start(TestEnv *env);
// Calls reconcile of the first controller for a key ("": the key {0}) and returns the intents as text: one line each,
// as env_intent_text says, "" for none. They are kept for env_carry_out, env_fail or env_forget.
const char *env_reconcile(TestEnv *env, const char *path);
// The kept intents; valid until the next call. And their texts:
//     create NodeClaim {…}
//     patch nodeclaim/a status locked {"status":{"conditions":[Launched=True/Launched]}}
//     delete node/n
//     evict pod/default/p
//     launch a
//     terminate kwok://a
//     list-instances
//     check-drift a
//     event Warning nodeclaim/a Reason: message
//     log info launched nodeclaim provider-id=kwok://a
//     step rejected
// `locked`: with the resourceVersion as precondition.
const IntentVec *env_intents(TestEnv *env);
const char *env_texts(TestEnv *env);
// Carries the intents out, passes their completions to the controller, carries out the intents that it writes then, and
// delivers new watch events. Intents aside first; those for events and the log are only noted.
void env_carry_out(TestEnv *env);
// The same, but intent `at` of the batch (asides not counted) fails; with OK: its answer is there, and what it did is
// not seen yet.
__attribute__((format(printf, 4, 5))) void env_fail(TestEnv *env, uint32_t at, ErrCode code, const char *format, ...);
// Carries the batch out and delivers watch events, but holds the completions until env_let_go, as if the answer were on
// its way. No other batch in between.
void env_hold(TestEnv *env);
void env_let_go(TestEnv *env);
// Drops them, as if the process had died before the first.
void env_forget(TestEnv *env);

// Runs for that long: reconciles every key that is due and carries out its intents. "0s": keys that are due now.
// Returns a line for each intent: "+5m0s patch …", with the time since the call.
const char *env_run(TestEnv *env, const char *duration);
// When a key is due, as a duration from now ("5s"; "0s": it is due), or "never".
const char *env_due(TestEnv *env, const char *path);
// Whether a key of a controller is enqueued. The controller need not be in the environment.
bool env_asked(TestEnv *env, const Controller *controller, const char *path);
// How often turn_retry was called for it since turn_succeed.
uint32_t env_retries(TestEnv *env, const char *path);

// Fails the test, printing the text, unless it contains the part; if it contains it.
void assert_says(const char *text, const char *part);
void assert_does_not_say(const char *text, const char *part);
// How often the text contains the part.
uint32_t env_times(const char *text, const char *part);

// Kills the process and starts another: memory and queues are lost, the State is listed again (with new symbols).
void env_restart(TestEnv *env);
// Kills the process after that many more intents (asides not counted) were carried out, also in the middle of a batch,
// before their completions are delivered. env_run starts it again at once.
void env_die_after(TestEnv *env, uint32_t intents);
bool env_is_dying(const TestEnv *env); // that has not happened yet

// The next call that carries out an intent of that type fails. `times`: so many in a row.
__attribute__((format(printf, 5, 6))) void env_break(TestEnv *env, IntentType type, uint32_t times, ErrCode code,
                                                     const char *format, ...);

// The same, but the intent is carried out; only its answer is lost.
__attribute__((format(printf, 5, 6))) void env_lose_answer(TestEnv *env, IntentType type, uint32_t times, ErrCode code,
                                                           const char *format, ...);

// --- the cloud

typedef struct {
    const char *provider_id, *claim_uid, *claim_name; // of the claim; "": none
    const char *launch;                               // its token; NULL: none
    const char *pool;                                 // of its tags; NULL: none
    bool terminating;
    int64_t launched_ns, gone_ns; // terminating: gone from then on
} EnvInstance;

// A message of a refresh; texts, because symbols end with the process.
typedef struct {
    CloudMessageKind kind;
    const char *provider_id, *zone; // "": none
    bool is_repeated;
} EnvNews;

typedef struct {
    // Result of a launch: provider id "kwok://<name of the claim>", "-2" behind it when another claim had that, …
    const char *instance_type, *zone, *capacity_type; // "c-4x-amd64-linux", "test-zone-a", "on-demand"
    const char *cpu, *memory;                         // capacity = allocatable: "4", "16Gi", 110 pods
    const char *label, *annotation;                   // "key=value", one more of each; NULL: none
    const char *late_labels[2];                       // a key, whose label may be "key=" at first; {NULL}: none
    int64_t terminate_takes_ns;                       // 10 s
    int64_t list_lag_ns;                              // instances that are younger are not in a list
    const InstanceTypeVec *types;                     // of cloud_instance_types; NULL: ERR_NOT_FOUND
    bool class_not_ready;                             // of the next failure by env_break
    const char *failure_reason;                       // likewise: CloudError.reason
    bool failure_recurs;                              // likewise: CloudError.recurs
    const Solved *solved;                             // result of the next SOLVE
    const Disrupted *(*look)(TestEnv *env, const DisruptIntent *intent); // result of a DISRUPT; NULL: it fails
    const char *drift;                                          // what every instance has drifted by; NULL: nothing
    Vec(CloudMessage) messages;                                 // settled ones have no provider_ids
    uint32_t messages_most;                                     // that are handed over at once; 0: all
    RepairPolicies repair_policies;                             // of every pool; none: nothing is ever sick
    uint32_t launches, terminations, gets, lists, drift_checks; // calls so far
    Vec(EnvInstance) instances;                                 // with those that are gone
    // Of NodeClasses, tags and refreshes; not with `is_plain`.
    bool is_plain;
    CloudClass node_class; // what is found out about every NodeClass
    uint32_t refresh_bits; // what has to be kept fresh
    Vec(EnvNews) news;     // of every refresh
    int64_t learned;       // last
    const char *looked_up; // name of the NodeClass, last
    uint32_t lookups, finalized, tags, learns, refreshes[CLOUD_REFRESH_COUNT]; // calls so far
} EnvCloud;

// Adds a message that a refresh brings, about an instance, or (provider_id "") about a zone.
void env_bring(TestEnv *env, CloudMessageKind kind, const char *provider_id, const char *zone);
// Adds a condition to what is found out about a NodeClass, or changes it.
void env_find_condition(TestEnv *env, const char *type, const char *status, const char *reason, const char *message);
// Sets the status members that are found, as YAML.
void env_find_status(TestEnv *env, const char *yaml);

// Puts a message into the cloud's queue.
void env_send(TestEnv *env, CloudMessageKind kind, const char *provider_id);

EnvCloud *env_cloud(TestEnv *env);
// By provider id; NULL: never launched.
EnvInstance *env_instance(TestEnv *env, const char *provider_id);
// Number of instances that are not gone.
uint32_t env_instances_alive(TestEnv *env);
// Adds an instance that no claim launched.
void env_add_instance(TestEnv *env, const char *provider_id);
void env_lose_instance(TestEnv *env, const char *provider_id); // it is gone
