// SSM: parameters. Reference aws.md 5.1.
#include "aws/service/ssm.h"

const AwsService ssm_service = {
    .id = "ssm",
    .endpoint_prefix = "ssm",
    .signing_name = "ssm",
    .api_version = "2014-11-06",
    .json_target = "AmazonSSM",
    .protocol = AWS_JSON_1_1,
};

AWS_SHAPE(SsmParameter, SSM_PARAMETER);
AWS_SHAPE(SsmGetParameterInput, SSM_GET_PARAMETER_INPUT);
AWS_SHAPE(SsmGetParameterOutput, SSM_GET_PARAMETER_OUTPUT);

AWS_OPERATION(ssm_get_parameter, ssm_service, "GetParameter", SsmGetParameter);
