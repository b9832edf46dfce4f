// A stage on which one controller is tested alone: the embedded API server, a State that its watches fill, a clock that
// the test moves, a work queue, and a cloud that does as it is told.
//
//     Stage *stage = stage_new(&claim_lifecycle_controller, NULL);
//     stage_put(stage, "{kind: NodeClaim, metadata: {name: a}}");
//     assert_string_equal(stage_reconcile(stage, "a"), "patch nodeclaim/a locked {…}\n"); // what it wants
//     stage_carry_out(stage);                                                             // what comes of it
//     stage_run(stage, "5m");                                                             // or: let it live
//
// Objects are real ones: what the API server would refuse is refused here, the status is its own part, deleting sets
// deletionTimestamp while finalizers hold. What a test does not care for is filled in (stage_put).
// Everything is deterministic. Texts that are returned live until stage_free.
#pragma once

#include "ctl/ctl.h"
#include "harness/test.h"
#include "sim/api/api.h"

#include <stdio.h>

typedef struct Stage Stage;

// settings_default with KWOKNodeClass as the provider's NodeClass.
Settings stage_settings(void);
// A stage at 2026-01-05T00:00:00Z. `settings` NULL: stage_settings. They are copied.
Stage *stage_new(const Controller *controller, const Settings *settings);
void stage_free(Stage *stage);
// One more controller that gets its observations and its turns, for what two do together. Calls of controllers that are
// not on the stage are noted (stage_asked) and never made.
void stage_add(Stage *stage, const Controller *controller);

// --- time

int64_t stage_now_ns(const Stage *stage);
// Moves the clock ("90s", "1h5m") and calls nobody.
void stage_pass(Stage *stage, const char *duration);
// Sets wall time, the API server's too, so much ahead ("1h") or back ("-1h"): no time passes.
void stage_set_clock(Stage *stage, const char *duration);

// --- objects

// Writes YAML documents ("---" between them) to the API server: creates, or merges into what is there (labels, spec,
// status, …; null takes a member away). Then everybody is told. Filled in when absent: apiVersion by kind, metadata
// with the name "it", containers of pods, nodeClassRef {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}
// and requirements of claims and pools. Conditions may be written as texts: [Launched,
// Registered=Unknown/NodeNotFound]; alone means True, lastTransitionTime is now, the reason is the type when none is
// given. Fails the test when the server refuses.
__attribute__((format(printf, 2, 3))) void stage_put(Stage *stage, const char *format, ...);
// The same, but nobody is told until the next stage_tell: the State is behind.
__attribute__((format(printf, 2, 3))) void stage_put_unseen(Stage *stage, const char *format, ...);
// Deletes as kubectl does. `path` as everywhere here: "name" or "namespace/name" ("default/" may be left out).
void stage_delete(Stage *stage, KubeKind kind, const char *path);
// Takes away all finalizers and the grace of pods, then deletes: gone.
void stage_remove(Stage *stage, KubeKind kind, const char *path);
// Tells the State and the controllers what is new.
void stage_tell(Stage *stage);

bool stage_has(Stage *stage, KubeKind kind, const char *path);
uint32_t stage_count(Stage *stage, KubeKind kind);
// Of the API server. Fails the test when it is not there.
Value stage_get(Stage *stage, KubeKind kind, const char *path);
// Its status.conditions: "Launched=True/Launched Registered=Unknown/NodeNotFound", in their order.
const char *stage_conditions(Stage *stage, KubeKind kind, const char *path);
// One of them with its message: "Unknown/NodeNotFound: Node not registered with cluster"; "" when absent.
const char *stage_condition(Stage *stage, KubeKind kind, const char *path, const char *type);
// A part of it as compact JSON, by keys with dots: stage_part(s, KUBE_NODE, "n", "spec.taints"); "" when absent. A key
// may be quoted with ': "metadata.labels.'karpenter.sh/registered'".
const char *stage_part(Stage *stage, KubeKind kind, const char *path, const char *part);

State *stage_state(Stage *stage);
Kube stage_kube(Stage *stage);
Symbol stage_symbol(Stage *stage, const char *text);
Handle stage_find(Stage *stage, KubeKind kind, const char *path);

// --- turns

// Calls Controller.start (once; stage_run does so by itself).
void stage_start(Stage *stage);
// Calls reconcile of the first controller for a key ("": the key {0}) and gives the intents as text: one line each, as
// stage_intent_text says, "" for none. They wait for stage_carry_out, stage_fail or stage_forget.
const char *stage_reconcile(Stage *stage, const char *path);
// The intents that wait; valid until the next call. And their texts:
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
// `locked`: with the revision as precondition.
const IntentVec *stage_intents(Stage *stage);
const char *stage_texts(Stage *stage);
// Carries them out for real, tells the completions to the controller, does what it intends at that, and then tells
// everybody what is new. Intents aside first; those for events and the log are only noted.
void stage_carry_out(Stage *stage);
// The same, but intent `at` of the batch (asides not counted) fails.
__attribute__((format(printf, 4, 5))) void stage_fail(Stage *stage, uint32_t at, ErrCode code, const char *format, ...);
// Carries the batch out and tells everybody what is new, but not the controller what came of it: what happens until
// stage_let_go happens while the answer is on its way. In between no other batch.
void stage_hold(Stage *stage);
void stage_let_go(Stage *stage);
// Drops them, as if the process had died before the first.
void stage_forget(Stage *stage);

// Lives on for that long: calls for every key whose time has come and carries out. "0s": what is due now. Gives a line
// for each intent of that time: "+5m0s patch …", with the time since the call.
const char *stage_run(Stage *stage, const char *duration);
// When a key is to be called, as a duration from now ("5s"; "0s": it is due), "never".
const char *stage_due(Stage *stage, const char *path);
// Whether a controller waits to be called for a key. It need not be on the stage: then the asking is all that happens.
bool stage_asked(Stage *stage, const Controller *controller, const char *path);
// How often turn_retry was called for it since turn_succeed.
uint32_t stage_retries(Stage *stage, const char *path);

// Fails the test, printing the text, unless the part stands in it; stands nowhere in it.
void assert_says(const char *text, const char *part);
void assert_does_not_say(const char *text, const char *part);
// How often the part stands in the text.
uint32_t stage_times(const char *text, const char *part);

// Kills the process and starts another: memory and queues are gone, the State is listed anew (with new symbols).
void stage_restart(Stage *stage);
// Lets the process die after so many more intents (asides not counted) were carried out, in the middle of a batch too,
// before their completions are told. stage_run starts it again at once.
void stage_die_after(Stage *stage, uint32_t intents);
bool stage_is_dying(const Stage *stage); // it has not come to that yet

// The next call that carries out an intent of that type fails. `times`: so many in a row.
__attribute__((format(printf, 5, 6))) void stage_break(Stage *stage, IntentType type, uint32_t times, ErrCode code,
                                                       const char *format, ...);

// The same, but it is carried out; only the answer is lost on its way.
__attribute__((format(printf, 5, 6))) void stage_lose_answer(Stage *stage, IntentType type, uint32_t times,
                                                             ErrCode code, const char *format, ...);

// --- the cloud

typedef struct {
    const char *provider_id, *claim_uid, *claim_name; // of the claim: "" for nobody's
    bool terminating;
    int64_t launched_ns, gone_ns; // terminating: not there any more from then on
} StageInstance;

typedef struct {
    // What a launch gives: provider id "kwok://<name of the claim>", "-2" behind it when another claim had that, …
    const char *instance_type, *zone, *capacity_type;           // "c-4x-amd64-linux", "test-zone-a", "on-demand"
    const char *cpu, *memory;                                   // capacity = allocatable: "4", "16Gi", 110 pods
    const char *label, *annotation;                             // "key=value", one more of each; NULL: none
    int64_t terminate_takes_ns;                                 // 10 s
    int64_t list_lag_ns;                                        // instances that are younger are not in a list
    const InstanceTypeVec *types;                               // of cloud_instance_types; NULL: ERR_NOT_FOUND
    bool class_not_ready;                                       // of the next failure by stage_break
    const char *failure_reason;                                 // likewise: CloudError.reason
    const Solved *solved;                                       // what the next SOLVE gives
    const char *drift;                                          // what every instance has drifted by; NULL: nothing
    uint32_t launches, terminations, gets, lists, drift_checks; // calls so far
    Vec(StageInstance) instances;                               // also those that are gone
} StageCloud;

StageCloud *stage_cloud(Stage *stage);
// By provider id; NULL: never launched.
StageInstance *stage_instance(Stage *stage, const char *provider_id);
// How many instances are there.
uint32_t stage_instances_alive(Stage *stage);
// One that nobody asked for.
void stage_add_instance(Stage *stage, const char *provider_id);
void stage_lose_instance(Stage *stage, const char *provider_id); // it is gone
