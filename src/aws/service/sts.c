// STS: temporary credentials. Reference aws.md 8.
#include "aws/service/sts.h"

const AwsService sts_service = {
    .id = "sts",
    .endpoint_prefix = "sts",
    .signing_name = "sts",
    .api_version = "2011-06-15",
    .protocol = AWS_QUERY,
};

AWS_SHAPE(StsCredentials, STS_CREDENTIALS);
AWS_SHAPE(StsAssumeRoleInput, STS_ASSUME_ROLE_INPUT);
AWS_SHAPE(StsAssumeRoleOutput, STS_ASSUME_ROLE_OUTPUT);
AWS_SHAPE(StsAssumeRoleWithWebIdentityInput, STS_ASSUME_ROLE_WITH_WEB_IDENTITY_INPUT);
AWS_SHAPE(StsAssumeRoleWithWebIdentityOutput, STS_ASSUME_ROLE_WITH_WEB_IDENTITY_OUTPUT);

AWS_OPERATION(sts_assume_role, sts_service, "AssumeRole", StsAssumeRole);
AWS_OPERATION(sts_assume_role_with_web_identity, sts_service, "AssumeRoleWithWebIdentity", StsAssumeRoleWithWebIdentity,
              .is_unsigned = true);
