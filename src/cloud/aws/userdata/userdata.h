// User data: what an instance is told at its start, so that it joins the cluster as the node that it was launched for.
//
// Each family has its form: a shell script in a MIME message (AL2), a NodeConfig in one (AL2023), TOML (Bottlerocket),
// PowerShell (Windows*), or the user's text alone (Custom). The user's own user data is merged with it. What upstream
// writes in random order (maps as flags) is sorted here, so that the same input gives the same text. Reference aws.md
// 5.5.
#pragma once

#include "cloud/aws/ami_family.h"
#include "model/ec2_node_class.h"

// A taint as its three words; value may be empty.
typedef struct {
    Slice key, value, effect;
} NodeTaint;
typedef Vec(NodeTaint) NodeTaintVec;

typedef struct {
    const AmiFamily *family;
    Slice cluster_name, cluster_endpoint;
    Slice ca_bundle;      // the cluster's, in Base64; empty: none
    Slice service_cidr;   // needed by AL2023
    Slice dns_ip;         // of the Service kube-dns; empty: unknown
    TextEntryVec labels;  // of node_labels (node_identity.h), sorted by key
    NodeTaintVec taints;  // of node_taints
    const Value *kubelet; // spec.kubelet, a map; NULL: absent
    int64_t max_pods;     // of the instance types that the text is for; an integer in `kubelet` goes before it
    bool raid0;           // spec.instanceStorePolicy
    Slice custom;         // spec.userData; empty: absent
    Slice image_version;  // of Bottlerocket (bottlerocket_version.h); empty: unknown
} UserDataOptions;

typedef struct {
    Slice text;       // not yet in Base64; empty: none
    SliceVec dropped; // keys of the user's settings.kubernetes that Bottlerocket does not know, for a note
} UserData;

// Writes the user data, in `arena`. O(length). ERR_INVALID: the user's user data is not in the family's form (MIME that
// cannot be read, TOML that cannot), or AL2023 without a service CIDR: the launch fails with this text.
ErrCode user_data_write(Arena *arena, const UserDataOptions *options, UserData *ret_data, Err *err);
