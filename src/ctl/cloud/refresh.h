// What a cloud keeps fresh (CLOUD_REFRESHES), each by a controller of its own, under upstream's name and with its
// period: at the start and then every period, if the cloud has it. A failure is logged and retried after 1 s to a tenth
// of the period; a right that is missing is looked for once a period, and logged once. Behaviour: reference aws.md 7,
// 7.4, 7.8, 7.9.
//
// What the cloud found out about instances and zones is acted on: about instances as common/reaction.h says, for each
// NodeClaim on its own, so that one that cannot be deleted holds up no other; of zones NodePools get an event. Nothing
// is lost with the process, because the cloud says again what still holds.
#pragma once

#include "ctl/ctl.h"

// Key of each: {0}, and the names of NodeClaims that something is to be done about.
#define X(name, ...) extern const Controller refresh_##name##_controller;
CLOUD_REFRESHES(X)
#undef X
