// Network interfaces of a launch template. Reference aws.md 3.5.
#pragma once

#include "cloud/aws/template/template.h"

// Whether the cluster's network is one of IPv6, which the address of its kube-dns tells.
bool template_is_ipv6(Slice dns_ip);

// The interfaces: those of the class, or `efa_count` ones of the type "efa", or a single one. All have the class's
// security groups, which never stand outside of interfaces. Texts are shared. O(interfaces × groups).
Ec2NetworkInterfaceSpecificationVec template_interfaces(Arena *arena, const TemplateFacts *facts, uint32_t efa_count);
