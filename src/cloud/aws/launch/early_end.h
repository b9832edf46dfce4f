// Why an instance of EC2 has ended, as a person needs to know it whose nodes do not come up. Users' R083.
#pragma once

#include "cloud/aws/launch/instance.h"

// Fills `error` for the lookup of an instance that has ended (facts->ended), and returns ERR_NOT_FOUND. The reason is
// never empty; the text has EC2's StateReason. Where EC2 could not encrypt its volumes, the text names the keys of the
// class and the rights that are missing, and the end recurs. `class`: that it was launched with; NULL: it is gone.
// O(devices).
ErrCode instance_end(CloudError *error, const InstanceFacts *facts, const EC2NodeClass *class);
