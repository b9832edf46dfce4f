// Validation of spec.kubelet by the controller, which the definition leaves open. Reference aws.md 1.5.
//
// Expressions: a maxPods that is a string, and a reservation that is no quantity. They are an alpha of Karpenter's
// (gate NodeClassCEL) that tenon does not evaluate: without the gate they are refused as there, with it as well, with a
// reason of their own.
#pragma once

#include "cloud/aws/ami_family.h"
#include "text/value.h"

// A reason of condition ValidationSucceeded and its message. Reason empty: nothing is wrong.
typedef struct {
    Slice reason;  // "InvalidKubeletConfiguration", "KubeletExpressionsDisabled", "KubeletExpressionInvalid",
                   // "UnsupportedKubeletConfiguration"
    Slice message; // names the field
} KubeletFinding;

// The first thing that is wrong with the settings, NULL or a map, on nodes of the family: fields and their types, then
// bounds, then expressions, then what the family takes. O(fields).
KubeletFinding kubelet_check(Arena *arena, const Value *kubelet, const AmiFamily *family, bool expressions);
