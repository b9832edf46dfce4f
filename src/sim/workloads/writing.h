// Writes of pods, workloads and their statuses.
#pragma once

#include "sim/workloads/workload.h"

const Value *workload_spec(const SimWorkload *workload);
Slice workload_name(const SimWorkload *workload);
Slice workload_ns(const SimWorkload *workload);
int64_t workload_now(const SimWorkload *workload);

// Creates a pod and expects to see it. ret_pod may be NULL. After failures other than AlreadyExists the workload is
// retried later.
ErrCode workload_create_pod(SimWorkload *workload, const Value *pod, Value *ret_pod);

// Deletes a pod, with its own grace period, and expects to see that. No-op when it is gone or terminating.
void workload_delete_pod(SimWorkload *workload, Handle pod);
bool workload_is_waiting(const SimWorkload *workload); // for the events it expects

// Merge patch of the workload itself (of any record); the result is taken over at once.
ErrCode workload_patch(SimWorkload *workload, KubePart part, const Value *patch);

// Creates another workload, which is taken over at once. ret_object may be NULL.
ErrCode workload_create(SimWorkload *owner, KubeKind kind, const Value *object, KubeError *error);
void workload_delete(SimWorkload *workload);

// Retries the workload after a back-off that doubles until workload_succeeded.
void workload_retry(SimWorkload *workload);
void workload_succeeded(SimWorkload *workload);

// Sets *alarm to that time unless it is set earlier; it marks the workload as due.
void workload_wake(SimWorkload *workload, Alarm *alarm, int64_t at_ns);

// Writes the status if it differs from the object's, now or when a second has passed since the last write.
void workload_write_status(SimWorkload *workload);

// Appends a condition, with the last transition time that the object has.
void workload_keep_condition(const SimWorkload *workload, Arena *arena, Value *conditions, const char *type,
                             const char *status, const char *reason, const char *message);

// A number, or null for 0: Go omits empty members.
void workload_put_count(Arena *arena, Value *status, const char *key, int64_t count);
