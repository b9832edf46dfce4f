// A list of pods as a cluster prints it: JSON with managedFields, status, probes and everything else that the planner
// does not read.
#pragma once

#include "base/buffer.h"
#include "base/err.h"

typedef enum {
    POD_LIST_COMPACT,  // one line, as an API server answers
    POD_LIST_INDENTED, // as kubectl prints it
    POD_LIST_FORMS
} PodListForm;

extern const char *const pod_list_form_texts[POD_LIST_FORMS];

// Writes `pods` running pods of Deployments of 50 to `path`: workloads/pods/pod.json, with the names, hashes, sizes and
// addresses of each. Equal arguments give equal bytes. ERR_IO: a file cannot be read or written.
ErrCode pod_list_write(const char *path, PodListForm form, uint32_t pods, uint64_t seed, Err *err);

// Appends the same pods, in the compact form, as a watch delivers them: a line {"type":"ADDED","object":…} each.
// ERR_IO: the template cannot be read.
ErrCode pod_events_write(Buffer *out, uint32_t pods, uint64_t seed, Err *err);
