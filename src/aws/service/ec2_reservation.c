// EC2: capacity reservations and placement groups. Reference aws.md 3.6.
#include "aws/service/ec2_reservation.h"

AWS_SHAPE(Ec2CapacityReservation, EC2_CAPACITY_RESERVATION);
AWS_SHAPE(Ec2DescribeCapacityReservationsInput, EC2_DESCRIBE_CAPACITY_RESERVATIONS_INPUT);
AWS_SHAPE(Ec2DescribeCapacityReservationsOutput, EC2_DESCRIBE_CAPACITY_RESERVATIONS_OUTPUT);
AWS_SHAPE(Ec2PlacementGroup, EC2_PLACEMENT_GROUP);
AWS_SHAPE(Ec2DescribePlacementGroupsInput, EC2_DESCRIBE_PLACEMENT_GROUPS_INPUT);
AWS_SHAPE(Ec2DescribePlacementGroupsOutput, EC2_DESCRIBE_PLACEMENT_GROUPS_OUTPUT);

AWS_OPERATION(ec2_describe_capacity_reservations, ec2_service, "DescribeCapacityReservations",
              Ec2DescribeCapacityReservations, AWS_PAGED(Ec2DescribeCapacityReservations, next_token, next_token));
AWS_OPERATION(ec2_describe_placement_groups, ec2_service, "DescribePlacementGroups", Ec2DescribePlacementGroups);
