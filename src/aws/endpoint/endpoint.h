// Endpoints: where a service of a region is asked, and for which region the request is signed.
//
// Behaviour: reference aws.md 2.5 and 8; the SDKs' rules of endpoints, which tests/aws/wire compares for all
// partitions.
#pragma once

#include "aws/endpoint/partition.h"
#include "aws/protocol/operation.h"

typedef struct {
    Slice region;
    bool use_fips, use_dual_stack;
    Slice url; // where the user wants the service to be asked instead; empty: none
} AwsEndpointOptions;

typedef struct {
    Slice url;  // without '/' at its end: "https://ec2.us-east-1.amazonaws.com"
    Slice host; // of the Host header: with its port where the URL has one
    Slice path; // of the URL, "" or "/base"
    Slice signing_region;
} AwsEndpoint;

// Finds the endpoint; it lives in `arena`. O(1). ERR_INVALID: the region is none that could be part of a host's name,
// the URL is no URL, or FIPS or dual stack is wanted of a URL, which only the user can know.
ErrCode aws_endpoint_find(Arena *arena, const AwsService *service, const AwsEndpointOptions *options,
                          AwsEndpoint *ret_endpoint, Err *err);

// The region in which a service is asked about things of `region`: that region, but for prices, which few regions
// know. Reference aws.md 4.5.
Slice aws_service_region(const AwsService *service, Slice region);
