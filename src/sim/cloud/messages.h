// The queue of messages of the simulated cloud: notices of interruptions and recommendations, delivered at least once.
#pragma once

#include "sim/cloud/cloud_parts.h"

enum { MESSAGES_MAX = 10, MESSAGE_HIDDEN_S = 20 }; // per call; until an unsettled message is delivered again

// The offering of an instance that is interrupted is marked as unavailable in the view.
ErrCode cloud_view_receive(SimView *view, Arena *arena, CloudMessageVec *ret_messages, CloudError *error);
ErrCode cloud_view_settle(SimView *view, uint64_t receipt, CloudError *error);
