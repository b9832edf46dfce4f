// KindRules: the differences between kinds, one row each. Private to src/sim/api.
//
// Sources: the strategies in k8s.io/kubernetes v1.36 pkg/registry, Karpenter's CustomResourceDefinitions (reference
// scheduling.md 1). Behaviour that all kinds share is in create.c, write.c and remove.c.
#pragma once

#include "sim/api/server.h"

typedef enum { NAME_SUBDOMAIN, NAME_LABEL } NameRule;

typedef struct {
    NameRule name;
    bool has_generation;       // metadata.generation counts changes of the spec
    bool unconditional_update; // an update may come without a resourceVersion: last one wins
    bool create_on_update;
    bool status_on_create;     // a new object may bring its status
    bool orphans_by_default;   // deletion orphans the dependents unless told otherwise
    const char *const *fields; // field selectors beyond metadata.name and metadata.namespace; NULL-terminated

    // Sets the API server's defaults, on every write. Or NULL.
    void (*defaults)(const Request *request, Value *object);
    // Sets what only creation sets: the first status, additions by admission. The given status was removed before. Or
    // NULL.
    void (*prepare)(const Request *request, Value *object);
    // Validates; `old` is NULL at creation. Or NULL.
    ErrCode (*validate)(const Request *request, const Value *object, const Value *old);
} KindRules;

const KindRules *rules_of(KubeKind kind);

// Functions of the rows, by subject.
void pod_defaults(const Request *request, Value *object);
void pod_prepare(const Request *request, Value *object);
ErrCode pod_validate(const Request *request, const Value *object, const Value *old);
// Applies the RuntimeClass of a new pod to its spec (api/rules/runtime.c), and checks that the two are compatible.
void runtime_class_apply(const Request *request, Value *spec);
ErrCode runtime_class_validate(const Request *request, const Value *spec);
void node_defaults(const Request *request, Value *object);
void node_prepare(const Request *request, Value *object);
ErrCode node_validate(const Request *request, const Value *object, const Value *old);
void namespace_defaults(const Request *request, Value *object);
void namespace_prepare(const Request *request, Value *object);
void volume_defaults(const Request *request, Value *object);
void volume_prepare(const Request *request, Value *object);
ErrCode volume_claim_validate(const Request *request, const Value *object, const Value *old);
void storage_class_defaults(const Request *request, Value *object);
ErrCode storage_class_validate(const Request *request, const Value *object, const Value *old);
void deployment_defaults(const Request *request, Value *object);
void replica_set_defaults(const Request *request, Value *object);
void stateful_set_defaults(const Request *request, Value *object);
void daemon_set_defaults(const Request *request, Value *object);
void count_prepare(const Request *request, Value *object);
ErrCode workload_validate(const Request *request, const Value *object, const Value *old);
void job_defaults(const Request *request, Value *object);
void job_prepare(const Request *request, Value *object);
ErrCode job_validate(const Request *request, const Value *object, const Value *old);
ErrCode budget_validate(const Request *request, const Value *object, const Value *old);
ErrCode event_validate(const Request *request, const Value *object, const Value *old);
void node_pool_defaults(const Request *request, Value *object);
ErrCode node_pool_validate(const Request *request, const Value *object, const Value *old);
void node_claim_defaults(const Request *request, Value *object);
ErrCode node_claim_validate(const Request *request, const Value *object, const Value *old);
void kwok_class_defaults(const Request *request, Value *object);
ErrCode node_class_validate(const Request *request, const Value *object, const Value *old);
ErrCode node_overlay_validate(const Request *request, const Value *object, const Value *old);
void capacity_buffer_defaults(const Request *request, Value *object);
ErrCode capacity_buffer_validate(const Request *request, const Value *object, const Value *old);

// The kinds of 2023: defaults of Provisioners, and members that the kinds do not have.
void old_defaults(const Request *request, Value *object);
ErrCode provisioner_validate(const Request *request, const Value *object, const Value *old);
ErrCode node_template_validate(const Request *request, const Value *object, const Value *old);
ErrCode machine_validate(const Request *request, const Value *object, const Value *old);

// The schema and CEL rules of one of Karpenter's kinds of today, as manifests are read by them. O(size).
ErrCode rules_check_schema(const Request *request, const Value *object);
// A decoder's text without " (object:0)", the position in a file, at its end.
Slice rules_without_place(const char *text);

// The schema of conditions in Karpenter's kinds: times, reasons, one condition per type.
ErrCode conditions_validate(const Request *request, const Value *object);

// Defaults of a pod's spec, also for templates of workloads.
void pod_spec_defaults(Arena *arena, Value *spec);

// Set a text or number where the member is absent.
void default_text(Arena *arena, Value *map, const char *key, const char *text);
void default_int(Arena *arena, Value *map, const char *key, int64_t number);
// Whether a member is equal in both, or absent in both.
bool member_eq(const Value *a, const Value *b, const char *key);
