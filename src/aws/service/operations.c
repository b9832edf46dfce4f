// Every call that tenon makes of AWS.
#include "aws/service/operations.h"

#include "aws/service/arc_zonal_shift.h"
#include "aws/service/ec2_image.h"
#include "aws/service/ec2_instance.h"
#include "aws/service/ec2_launch.h"
#include "aws/service/ec2_launch_template.h"
#include "aws/service/ec2_network.h"
#include "aws/service/ec2_reservation.h"
#include "aws/service/ec2_spot_price.h"
#include "aws/service/ec2_status.h"
#include "aws/service/ec2_type.h"
#include "aws/service/eks.h"
#include "aws/service/eventbridge.h"
#include "aws/service/iam.h"
#include "aws/service/pricing.h"
#include "aws/service/sqs.h"
#include "aws/service/ssm.h"
#include "aws/service/sts.h"

const AwsOperation *const aws_operations[] = {
    &arc_get_managed_resource,
    &ec2_describe_images,
    &ec2_describe_instances,
    &ec2_terminate_instances,
    &ec2_reboot_instances,
    &ec2_create_tags,
    &ec2_create_fleet,
    &ec2_run_instances,
    &ec2_create_launch_template,
    &ec2_describe_launch_templates,
    &ec2_delete_launch_template,
    &ec2_describe_subnets,
    &ec2_describe_security_groups,
    &ec2_describe_capacity_reservations,
    &ec2_describe_placement_groups,
    &ec2_describe_spot_price_history,
    &ec2_describe_instance_status,
    &ec2_describe_instance_types,
    &ec2_describe_instance_type_offerings,
    &eks_describe_cluster,
    &events_list_rule_names_by_target,
    &events_list_rules,
    &iam_get_instance_profile,
    &iam_create_instance_profile,
    &iam_add_role_to_instance_profile,
    &iam_remove_role_from_instance_profile,
    &iam_delete_instance_profile,
    &iam_list_instance_profiles,
    &iam_list_attached_role_policies,
    &pricing_get_products,
    &sqs_get_queue_url,
    &sqs_get_queue_attributes,
    &sqs_receive_message,
    &sqs_delete_message,
    &ssm_get_parameter,
    &sts_assume_role,
    &sts_assume_role_with_web_identity,
};
const uint32_t aws_operation_count = sizeof aws_operations / sizeof *aws_operations;
