// Decoding of storage objects.
#pragma once

#include "model/decode/parts.h"

// The CSI driver that replaces an in-tree volume plugin ("kubernetes.io/aws-ebs" gives ebs.csi.aws.com), else the name
// itself.
Symbol csi_driver_of_plugin(Symbols *symbols, Symbol plugin);
