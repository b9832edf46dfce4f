// EC2: machine images. Reference aws.md 5.
#include "aws/service/ec2_image.h"

AWS_SHAPE(Ec2Image, EC2_IMAGE);
AWS_SHAPE(Ec2DescribeImagesInput, EC2_DESCRIBE_IMAGES_INPUT);
AWS_SHAPE(Ec2DescribeImagesOutput, EC2_DESCRIBE_IMAGES_OUTPUT);

AWS_OPERATION(ec2_describe_images, ec2_service, "DescribeImages", Ec2DescribeImages,
              AWS_PAGED(Ec2DescribeImages, next_token, next_token));
