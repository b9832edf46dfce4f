// Writing pods, workloads and their statuses.
#pragma once

#include "sim/workloads/workload.h"

const Value *workload_spec(const SimWorkload *workload);
Slice workload_name(const SimWorkload *workload);
Slice workload_ns(const SimWorkload *workload);
int64_t workload_now(const SimWorkload *workload);

// Creates one pod and expects to see it. ret_pod may be NULL. Failures other than AlreadyExists have the workload tried
// again later.
ErrCode workload_create_pod(SimWorkload *workload, const Value *pod, Value *ret_pod);

// Deletes one pod, with its own grace, and expects to see that. Nothing when it is gone or going already.
void workload_delete_pod(SimWorkload *workload, Handle pod);
bool workload_is_waiting(const SimWorkload *workload); // for what it expects

// Merge patch of the workload itself (of any record), taken over at once.
ErrCode workload_patch(SimWorkload *workload, KubePart part, const Value *patch);

// Creates another workload, taken over at once. ret_object may be NULL.
ErrCode workload_create(SimWorkload *owner, KubeKind kind, const Value *object, KubeError *error);
void workload_delete(SimWorkload *workload);

// Tries it again after a while that doubles each time until workload_succeeded.
void workload_retry(SimWorkload *workload);
void workload_succeeded(SimWorkload *workload);

// Rings once at that time, unless an earlier ring of *alarm is set; has the workload looked at.
void workload_wake(SimWorkload *workload, Alarm *alarm, int64_t at_ns);

// Writes the status when it differs from what the object says, now or as soon as a second has passed.
void workload_write_status(SimWorkload *workload);

// Appends a condition, with the time of its last change as the object has it.
void workload_keep_condition(const SimWorkload *workload, Arena *arena, Value *conditions, const char *type,
                             const char *status, const char *reason, const char *message);

// A number, or null for 0: how Go leaves out what is empty.
void workload_put_count(Arena *arena, Value *status, const char *key, int64_t count);
