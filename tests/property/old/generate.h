// Random Provisioners, their AWSNodeTemplate, and pods, as JSON.
#pragma once

#include "base/buffer.h"
#include "base/random.h"

enum { OLD_PROVISIONERS_MAX = 3 };

// Appends a List of one to three Provisioners and the AWSNodeTemplate "t" that those without an inline provider refer
// to. One case in twenty has a Provisioner that the webhook refuses.
void old_objects_generate(Random *random, Buffer *out);
// Appends the pod of that number, "pod-<number>".
void old_pod_generate(Random *random, uint32_t number, Buffer *out);
