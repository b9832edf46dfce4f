// `--provider kwok`: the KWOK provider as the cloud of a Manager.
#pragma once

#include "cli/run/manager.h"
#include "cloud/kwok/provider/provider.h"

// Texts are borrowed; `provider` is NULL while it is closed.
typedef struct {
    Slice types_file, types_text; // of --instance-types-file-path; empty: the types inside
    JsonLog *log;
    KwokProvider *provider;
} KwokCloud;

ManagerCloud kwok_cloud(KwokCloud *cloud);
