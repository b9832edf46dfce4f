// What Terraform says about subnets, security groups, the access of nodes, and the installation of Karpenter.
#pragma once

#include "doctor/facts.h"
#include "doctor/hcl.h"

// Adds what the blocks of one module say. O(blocks × what their expressions lead to).
void terraform_gather(Arena *arena, const HclBlockVec *blocks, Facts *facts);
