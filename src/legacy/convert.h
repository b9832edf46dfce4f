// Conversion of old manifests to v1beta1 or v1.
//
// Reference legacy.md 6. A Provisioner becomes a NodePool, and its inline provider an EC2NodeClass of its name; an
// AWSNodeTemplate becomes an EC2NodeClass; objects of v1beta1 become v1. Everything else passes as it is, except that
// Lists are taken apart and Machines left out. What v1 has no equivalent for is said in warnings.
#pragma once

#include "text/value.h"

typedef enum { CONVERT_TO_V1BETA1, CONVERT_TO_V1 } ConvertTarget;

enum {
    CONVERT_OLD_MAX = 1000,         // pools and classes to convert in one input, because their names are compared
    CONVERT_TERMS_MAX = 30,         // terms of one selector, as the definitions allow
    CONVERT_REQUIREMENTS_MAX = 100, // of one NodePool, as the definitions allow
};

typedef struct {
    ValueList objects;   // in the order of the input; share texts with it
    WarningVec warnings; // "<file>:<line>: W<nn> <kind> <name>: …"
} Converted;

typedef struct {
    DocumentVec documents;
    // Documents that are not converted themselves: karpenter-global-settings is looked for in them, too, and weighs
    // more than one among the objects.
    DocumentVec settings;
    ConvertTarget target;
    bool ignores_defaults; // leave out what the defaulting webhook would have added to requirements
} ConvertRequest;

// Converts all objects of the documents. Pure: equal input gives equal output, and converting the output again changes
// nothing. O(size + old objects² × objects). ERR_INVALID: an object that cannot be decoded or that its webhook refused,
// a launch template, dockerd, two objects that would have one name; ERR_TOO_LARGE: a maximum above.
ErrCode legacy_convert(Arena *arena, const ConvertRequest *request, Converted *ret_converted, Err *err);
