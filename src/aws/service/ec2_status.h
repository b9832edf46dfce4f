// EC2: the health of instances. Reference aws.md 7.8.
#pragma once

#include "aws/protocol/operation.h"
#include "aws/service/ec2.h"

#define EC2_STATUS_DETAIL(X, T)                                                                                        \
    X(T, STRING, name, "name")                                                                                         \
    X(T, STRING, status, "status")                                                                                     \
    X(T, TIME, impaired_since, "impairedSince")
AWS_STRUCT(Ec2StatusDetail, EC2_STATUS_DETAIL);

#define EC2_STATUS_SUMMARY(X, T)                                                                                       \
    X(T, STRING, status, "status")                                                                                     \
    X(T, LIST, details, "details", Ec2StatusDetail)
AWS_STRUCT(Ec2StatusSummary, EC2_STATUS_SUMMARY);

// description: begins with "[Completed]" or "[Canceled]" once the event is over; it stays listed for a week.
#define EC2_STATUS_EVENT(X, T)                                                                                         \
    X(T, STRING, code, "code")                                                                                         \
    X(T, STRING, description, "description")
AWS_STRUCT(Ec2StatusEvent, EC2_STATUS_EVENT);

#define EC2_INSTANCE_STATUS(X, T)                                                                                      \
    X(T, STRING, instance_id, "instanceId")                                                                            \
    X(T, STRUCTURE, instance_status, "instanceStatus", Ec2StatusSummary)                                               \
    X(T, STRUCTURE, system_status, "systemStatus", Ec2StatusSummary)                                                   \
    X(T, STRUCTURE, attached_ebs_status, "attachedEbsStatus", Ec2StatusSummary)                                        \
    X(T, LIST, events, "eventsSet", Ec2StatusEvent)
AWS_STRUCT(Ec2InstanceStatus, EC2_INSTANCE_STATUS);

#define EC2_DESCRIBE_INSTANCE_STATUS_INPUT(X, T)                                                                       \
    X(T, STRINGS, instance_ids, "InstanceId")                                                                          \
    X(T, LIST, filters, "Filter", Ec2Filter)                                                                           \
    X(T, INTEGER, max_results, "MaxResults")                                                                           \
    X(T, STRING, next_token, "NextToken")
AWS_STRUCT(Ec2DescribeInstanceStatusInput, EC2_DESCRIBE_INSTANCE_STATUS_INPUT);

#define EC2_DESCRIBE_INSTANCE_STATUS_OUTPUT(X, T)                                                                      \
    X(T, LIST, instance_statuses, "instanceStatusSet", Ec2InstanceStatus)                                              \
    X(T, STRING, next_token, "nextToken")
AWS_STRUCT(Ec2DescribeInstanceStatusOutput, EC2_DESCRIBE_INSTANCE_STATUS_OUTPUT);

// Paged. Of running instances only.
extern const AwsOperation ec2_describe_instance_status;
