// The kubelet's settings of a launch: spec.kubelet, completed with what the launch knows, and as flags. Reference
// aws.md 5.5.
#pragma once

#include "cloud/aws/userdata/userdata.h"

// A copy of spec.kubelet with maxPods a number, clusterDNS the address of kube-dns unless it is given, and reservations
// without expressions, which tenon does not evaluate. Members sorted by key, at every depth. O(n log n).
Value kubelet_settings(Arena *arena, const UserDataOptions *options);

// The first address of clusterDNS; empty: none.
Slice kubelet_dns_ip(const Value *settings);

// A member of the settings that is a map of texts, for a launch; NULL: absent or empty.
const Value *kubelet_map(const Value *settings, const char *name);

// A grace period as the kubelet prints it: "1m30s", whatever the user wrote; a text that is none stays.
Slice kubelet_grace_period(Arena *arena, Slice text);

// --node-labels="a=b,c=d"; empty: no labels.
Slice kubelet_label_flag(Arena *arena, const TextEntryVec *labels);

// All flags of a kubelet without a configuration file (AL2, Windows), joined with spaces. O(n).
Slice kubelet_flags(Arena *arena, const UserDataOptions *options, const Value *settings);
