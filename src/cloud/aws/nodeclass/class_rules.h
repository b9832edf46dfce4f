// The rules of the EC2NodeClass definition that are written in CEL, as functions.
//
// The definition (deploy/chart-crds/definitions/ec2nodeclasses.yaml) says where each rule stands and what it says when
// it is broken; that message is the rule's name here. Behaviour: reference aws.md 1.1; rules that look too lenient are
// so on purpose.
#pragma once

#include "text/value.h"

// Whether the value, `self` of the rule, keeps it. Its structure has been checked before.
typedef bool (*ClassRule)(const Value *self);

// The rule with that message; NULL: none. O(rules).
ClassRule class_rule_find(Slice message);
