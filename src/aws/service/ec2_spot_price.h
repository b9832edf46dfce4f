// EC2: the history of spot prices. Reference aws.md 4.5.
#pragma once

#include "aws/protocol/operation.h"
#include "aws/service/ec2.h"

// spot_price: US dollars an hour (in China: yuan), as a decimal number.
#define EC2_SPOT_PRICE(X, T)                                                                                           \
    X(T, STRING, availability_zone, "availabilityZone")                                                                \
    X(T, STRING, instance_type, "instanceType")                                                                        \
    X(T, STRING, spot_price, "spotPrice")                                                                              \
    X(T, TIME, timestamp, "timestamp")
AWS_STRUCT(Ec2SpotPrice, EC2_SPOT_PRICE);

#define EC2_DESCRIBE_SPOT_PRICE_HISTORY_INPUT(X, T)                                                                    \
    X(T, STRINGS, instance_types, "InstanceType")                                                                      \
    X(T, STRINGS, product_descriptions, "ProductDescription")                                                          \
    X(T, TIME, start_time, "startTime")                                                                                \
    X(T, LIST, filters, "Filter", Ec2Filter)                                                                           \
    X(T, INTEGER, max_results, "MaxResults")                                                                           \
    X(T, STRING, next_token, "NextToken")
AWS_STRUCT(Ec2DescribeSpotPriceHistoryInput, EC2_DESCRIBE_SPOT_PRICE_HISTORY_INPUT);

#define EC2_DESCRIBE_SPOT_PRICE_HISTORY_OUTPUT(X, T)                                                                   \
    X(T, LIST, spot_price_history, "spotPriceHistorySet", Ec2SpotPrice)                                                \
    X(T, STRING, next_token, "nextToken")
AWS_STRUCT(Ec2DescribeSpotPriceHistoryOutput, EC2_DESCRIBE_SPOT_PRICE_HISTORY_OUTPUT);

// Pages of at most 2000. With start_time now: the latest price of each type and zone.
extern const AwsOperation ec2_describe_spot_price_history;
