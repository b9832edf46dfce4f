// karpenter-global-settings as options of the process. Reference legacy.md 5.5.
#pragma once

#include "cli/run/manager_options.h"
#include "text/value.h"

// Sets the options that the keys of the ConfigMap stand for, but not those that a flag or a variable has set: these
// weigh more, as in v0.32, which had both. A value that cannot be taken leaves its option as it was; `bad` gets a
// sentence for it, and `idle` one for each key that has no effect. A name of the cluster chooses AWS if nothing else
// chose a provider. ERR_INVALID: the options that result do not fit together.
ErrCode old_settings_take(ManagerOptions *options, const Value *config_map, SliceVec *bad, SliceVec *idle, Err *err);
