// EC2: the history of spot prices. Reference aws.md 4.5.
#include "aws/service/ec2_spot_price.h"

AWS_SHAPE(Ec2SpotPrice, EC2_SPOT_PRICE);
AWS_SHAPE(Ec2DescribeSpotPriceHistoryInput, EC2_DESCRIBE_SPOT_PRICE_HISTORY_INPUT);
AWS_SHAPE(Ec2DescribeSpotPriceHistoryOutput, EC2_DESCRIBE_SPOT_PRICE_HISTORY_OUTPUT);

AWS_OPERATION(ec2_describe_spot_price_history, ec2_service, "DescribeSpotPriceHistory", Ec2DescribeSpotPriceHistory,
              AWS_PAGED(Ec2DescribeSpotPriceHistory, next_token, next_token));
