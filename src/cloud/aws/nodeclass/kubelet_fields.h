// The fields of KubeletConfiguration (kubelet.config.k8s.io/v1beta1, Kubernetes 1.36) and what their values are.
// Reference aws.md 1.5.
#pragma once

#include "text/value.h"

typedef enum {
    KUBELET_TEXT,
    KUBELET_BOOL,
    KUBELET_INT,
    KUBELET_NUMBER,
    KUBELET_DURATION, // as Go's: "1m30s"
    KUBELET_TEXTS,    // list of texts
    KUBELET_TEXT_MAP, // map of texts
    KUBELET_BOOL_MAP,
    KUBELET_OBJECT, // whose members are not looked into
    KUBELET_LIST,   // of objects
} KubeletKind;

typedef struct {
    Slice name;
    KubeletKind kind;
    bool managed; // of the twelve that every family but Custom takes
} KubeletField;

// The field of that name; NULL: the kubelet has none. O(fields).
const KubeletField *kubelet_field(Slice name);

// What the field's value is instead of what it should be ("expected an integer"); NULL: it is right. O(size).
const char *kubelet_field_mismatch(const KubeletField *field, const Value *value);
