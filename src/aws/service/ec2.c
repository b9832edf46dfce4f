// EC2: what its operations share. Reference aws.md 2.5.
#include "aws/service/ec2.h"

const AwsService ec2_service = {
    .id = "ec2",
    .endpoint_prefix = "ec2",
    .signing_name = "ec2",
    .api_version = "2016-11-15",
    .protocol = AWS_EC2_QUERY,
};

AWS_SHAPE(Ec2Tag, EC2_TAG);
AWS_SHAPE(Ec2TagSpecification, EC2_TAG_SPECIFICATION);
AWS_SHAPE(Ec2Filter, EC2_FILTER);
AWS_SHAPE(Ec2LaunchTemplateSpecification, EC2_LAUNCH_TEMPLATE_SPECIFICATION);
