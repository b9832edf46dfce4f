// The conformance suite over the table of kube/kube.h: behaviour that every implementation must have.
//
// The cases use only the table and the harness, so that the same cases run against the embedded server and against a
// real kube-apiserver. Each case has a namespace of its own, and unique names for cluster-scoped objects (`unique`). In
// a real cluster only the garbage collector and the namespace controller may run besides the API server: no scheduler,
// kubelets or disruption controller, whose work the cases do themselves.
//
// Objects are written as YAML in flow style; single values are read by dotted paths.
#pragma once

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#include "kube/kube.h"

typedef struct Harness Harness;
struct Harness {
    Kube kube;
    // Lets everything happen that is due: watches deliver, controllers finish. (A real garbage collector takes about a
    // second, a real namespace controller about fifteen.)
    void (*settle)(Harness *harness);
    // Lets time pass, virtual or real, and then does what is due.
    void (*pass)(Harness *harness, int seconds);
    // Makes the server drop its history, as a compaction of etcd does. False: this server cannot.
    bool (*forget_history)(Harness *harness);
    // Ends all watches from the server's side. False: this server cannot.
    bool (*drop_watches)(Harness *harness);
    uint64_t seed; // of the names (its last 24 bits), so that runs against the same cluster do not collide
};

// A running case.
typedef struct {
    Harness *harness;
    Kube kube;
    Arena arena;
    Slice ns;        // its namespace, created before it runs
    Slice id;        // part of every unique name
    KubeError error; // of the last call
} Case;

typedef struct {
    const char *name;
    void (*run)(Case *c);
    bool alone; // it does to the server what cases beside it would notice
} CaseEntry;
#define CASE(function)                                                                                                 \
    { #function, function, false }
#define CASE_ALONE(function)                                                                                           \
    { #function, function, true }
#define CASES_END                                                                                                      \
    { NULL, NULL, false }

// Cases by subject; NULL-terminated.
extern const CaseEntry creation_cases[], update_cases[], patch_cases[], status_cases[], deletion_cases[];
extern const CaseEntry collection_cases[], list_cases[], watch_cases[], eviction_cases[], binding_cases[];
extern const CaseEntry karpenter_cases[], namespace_cases[], admission_cases[];

// A part of the cases, so that several programs can run the suite on one server at the same time: those that must have
// it for themselves, or of all others each `shares`-th, beginning with number `share`. 0 shares: all cases.
typedef struct {
    bool alone;
    unsigned share, shares;
} SuitePart;
// "alone" or "SHARE/SHARES", counted from 1; anything else is all cases.
SuitePart suite_part(const char *text);

// Runs these cases and prints their number; returns the number of failed ones.
int suite_run(Harness *harness, SuitePart part);

// Objects. ${ns} and ${id} in the text are replaced by the case's namespace and unique part.
Value parse(Case *c, const char *yaml);
Slice expand(Case *c, const char *text);
Slice unique(Case *c, const char *name);               // "<name>-<id>"
KubeRef ref(Case *c, KubeKind kind, const char *name); // in the case's namespace, if the kind is namespaced

// Calls that must succeed.
Value create(Case *c, KubeKind kind, const char *yaml);
Value get(Case *c, KubeKind kind, const char *name);
Value update(Case *c, KubeKind kind, KubePart part, const Value *object);
Value merge(Case *c, KubeKind kind, const char *name, KubePart part, const char *patch);
Value strategic(Case *c, KubeKind kind, const char *name, KubePart part, const char *patch);
void del(Case *c, KubeKind kind, const char *name);
KubeList list(Case *c, KubeKind kind, const char *labels, const char *fields);
bool exists(Case *c, KubeKind kind, const char *name);
// A pod with one container that no scheduler handles; bound to a node unless `node` is NULL.
Value make_pod(Case *c, const char *name, const char *labels, const char *node);
void settle(Case *c);

// Calls that may fail, with the error in c->error.
ErrCode try_create(Case *c, KubeKind kind, const char *yaml);
ErrCode try_update(Case *c, KubeKind kind, KubePart part, const Value *object);
ErrCode try_patch(Case *c, KubeKind kind, const char *name, KubePart part, KubePatchType type, const char *patch);
ErrCode try_delete(Case *c, KubeKind kind, const char *name, const KubeDeletion *deletion);
ErrCode try_evict(Case *c, const char *name, const KubeDeletion *deletion);

// A value of an object by its path, "spec.containers.0.image"; "" when absent. Numbers and bools as written.
Slice at(const Value *object, const char *path);
bool has(const Value *object, const char *path);

// Checks the error of the last call: reason, code, and a part of its message (${…} as above; NULL: any).
void assert_failed(Case *c, ErrCode code, KubeReason reason, const char *text);
#define assert_at(object, path, expected) assert_slice(at((object), (path)), (expected))
#define assert_slice(slice, expected)     assert_slice_eq((slice), (expected), __FILE__, __LINE__)
void assert_slice_eq(Slice slice, const char *expected, const char *file, int line);

// A watch that records its events: "ADDED name", "MODIFIED name", "DELETED name", "BOOKMARK", "INITIAL END", "ENDED
// reason".
typedef struct {
    Arena arena;
    SliceVec told;
    KubeRevision revision; // of the last event
    Value last;            // copy of the last object
    KubeWatch *watch;
    KubeError end; // why it ended
} Notes;
Notes *watch(Case *c, const KubeWatchRequest *request);
ErrCode try_watch(Case *c, const KubeWatchRequest *request);
// The events since the last call, joined with ", "; settles first.
Slice notes(Case *c, Notes *notes);
void unwatch(Case *c, Notes *notes);
#define assert_notes(c, notes_, expected) assert_slice(notes((c), (notes_)), (expected))
