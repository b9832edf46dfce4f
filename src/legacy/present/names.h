// Names of old objects as today's objects have them, and back. Identity is kind and name: the Provisioner "default" is
// the NodePool "provisioner/default", which no NodePool of a cluster can be (model/pool_name.h); likewise Machines and
// AWSNodeTemplates. Private to src/legacy.
#pragma once

#include "kube/kube.h"

// The name of an object of an old kind as today's; of any other kind as it is.
Slice presented_name(Arena *arena, KubeKind kind, Slice name);

// The name of a class as the value of a label, which has no '/', and back: "provisioner/default" is
// "provisioner_default". Names have no '_'. Other values as they are.
Slice class_label_value(Arena *arena, Slice name);
Slice class_label_name(Arena *arena, Slice value);

// Whether the name of a NodePool, NodeClaim or EC2NodeClass is that of an old object; then its kind and own name.
// A Provisioner with an EC2NodeClass of its own is meant by "provisioner/<name>" of the latter, too.
bool old_name(KubeKind kind, Slice name, KubeKind *ret_old, Slice *ret_name);
