// The certificates by which API servers know the webhooks, in the four configurations.
#pragma once

#include "cli/webhook/hook_secret.h"

// Makes the configurations that are missing, and fills bundle and path into the others
// (legacy/admission/configurations.h). All four are tried; returns the first failure. ret_written: how many were
// written.
ErrCode hook_bundles_keep(Kube kube, Arena *arena, const HookService *service, Slice authorities_pem,
                          uint32_t *ret_written, KubeError *error);
