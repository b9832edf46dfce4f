// EC2: what its operations share. Reference aws.md 2.5.
#pragma once

#include "aws/protocol/operation.h"

extern const AwsService ec2_service;

#define EC2_TAG(X, T)                                                                                                  \
    X(T, STRING, key, "key")                                                                                           \
    X(T, STRING, value, "value")
AWS_STRUCT(Ec2Tag, EC2_TAG);

// The tags of what a request makes: "instance", "volume", "fleet", "launch-template", …
#define EC2_TAG_SPECIFICATION(X, T)                                                                                    \
    X(T, STRING, resource_type, "ResourceType")                                                                        \
    X(T, LIST, tags, "Tag", Ec2Tag)
AWS_STRUCT(Ec2TagSpecification, EC2_TAG_SPECIFICATION);

// Keeps what has one of the values; several filters all must.
#define EC2_FILTER(X, T)                                                                                               \
    X(T, STRING, name, "Name")                                                                                         \
    X(T, STRINGS, values, "Value")
AWS_STRUCT(Ec2Filter, EC2_FILTER);

// A launch template by id or by name. In replies version is empty where none was asked for.
#define EC2_LAUNCH_TEMPLATE_SPECIFICATION(X, T)                                                                        \
    X(T, STRING, launch_template_id, "launchTemplateId")                                                               \
    X(T, STRING, launch_template_name, "launchTemplateName")                                                           \
    X(T, STRING, version, "version")
AWS_STRUCT(Ec2LaunchTemplateSpecification, EC2_LAUNCH_TEMPLATE_SPECIFICATION);
