// SSM: parameters. Reference aws.md 5.1.
#pragma once

#include "aws/protocol/operation.h"

extern const AwsService ssm_service;

#define SSM_PARAMETER(X, T)                                                                                            \
    X(T, STRING, name, "Name")                                                                                         \
    X(T, STRING, value, "Value")
AWS_STRUCT(SsmParameter, SSM_PARAMETER);

#define SSM_GET_PARAMETER_INPUT(X, T) X(T, STRING, name, "Name")
AWS_STRUCT(SsmGetParameterInput, SSM_GET_PARAMETER_INPUT);

#define SSM_GET_PARAMETER_OUTPUT(X, T) X(T, STRUCTURE, parameter, "Parameter", SsmParameter)
AWS_STRUCT(SsmGetParameterOutput, SSM_GET_PARAMETER_OUTPUT);

extern const AwsOperation ssm_get_parameter;
