// The controllers of NodeClasses that a cloud has to look up (Settings.looks_up_classes). Key of each: name of a
// NodeClass of the provider. Behaviour: reference aws.md 7.1, 7.11.
//
// `nodeclass` has the cloud look a NodeClass up, writes what was found into its status, and asks again when the cloud
// says so, at once when the spec changed, with back-off when something could not be found out. A finalizer keeps the
// class for as long as NodeClaims use it; then the cloud removes what it made for it.
//
// `nodeclass.hash` writes the annotations by which drift of NodeClaims from their class is detected. It looks the class
// up once more, but only when `nodeclass` saw that they differ from what the cloud says.
#pragma once

#include "ctl/ctl.h"

enum {
    CLASS_WAIT_MIN = 10, // between two events about NodeClaims that still use a class that is being deleted
    CLASS_REST_S = 1,    // at least between two lookups
};

extern const Controller class_controller;      // nodeclass
extern const Controller class_hash_controller; // nodeclass.hash
