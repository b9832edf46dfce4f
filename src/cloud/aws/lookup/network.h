// Subnets and security groups that a NodeClass names, asked of EC2. Reference aws.md 2.1, 6.1, 6.2.
#pragma once

#include "aws/call/pages.h"
#include "aws/service/ec2_network.h"
#include "model/ec2_node_class.h"

// The subnets of all terms, each once, most free addresses first, then by id. Entries without an id or a zone are
// passed over. One request for all ids and one for each term by tags. In `arena`. Errors: of aws_pages; all or nothing.
ErrCode lookup_subnets(AwsClient *client, Arena *arena, const Ec2SelectorTermVec *terms, Ec2SubnetVec *ret_subnets,
                       Err *err);

// The security groups of all terms, each once, by id. One request for all ids, one for all names, and one for each term
// by tags. Errors: as above.
ErrCode lookup_groups(AwsClient *client, Arena *arena, const Ec2SelectorTermVec *terms,
                      SecurityGroupStatusVec *ret_groups, Err *err);
