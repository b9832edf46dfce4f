// EC2: machine images. Reference aws.md 5.
#pragma once

#include "aws/protocol/operation.h"
#include "aws/service/ec2.h"

// Times are strings in this reply: "2026-11-23T08:00:00.000Z".
#define EC2_IMAGE(X, T)                                                                                                \
    X(T, STRING, image_id, "imageId")                                                                                  \
    X(T, STRING, name, "name")                                                                                         \
    X(T, STRING, architecture, "architecture")                                                                         \
    X(T, STRING, creation_date, "creationDate")                                                                        \
    X(T, STRING, deprecation_time, "deprecationTime")                                                                  \
    X(T, STRING, state, "imageState")
AWS_STRUCT(Ec2Image, EC2_IMAGE);

#define EC2_DESCRIBE_IMAGES_INPUT(X, T)                                                                                \
    X(T, STRINGS, image_ids, "ImageId")                                                                                \
    X(T, STRINGS, owners, "Owner")                                                                                     \
    X(T, LIST, filters, "Filter", Ec2Filter)                                                                           \
    X(T, BOOL, include_deprecated, "IncludeDeprecated")                                                                \
    X(T, INTEGER, max_results, "MaxResults")                                                                           \
    X(T, STRING, next_token, "NextToken")
AWS_STRUCT(Ec2DescribeImagesInput, EC2_DESCRIBE_IMAGES_INPUT);

#define EC2_DESCRIBE_IMAGES_OUTPUT(X, T)                                                                               \
    X(T, LIST, images, "imagesSet", Ec2Image)                                                                          \
    X(T, STRING, next_token, "nextToken")
AWS_STRUCT(Ec2DescribeImagesOutput, EC2_DESCRIBE_IMAGES_OUTPUT);

// Pages of at most 1000.
extern const AwsOperation ec2_describe_images;
