// The table of statements: upstream's, as its CloudFormation template has them. Reference aws.md 10.2.
#include "cli/aws/policy_rows.h"

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
#include "aws/service/iam.h"
#include "aws/service/pricing.h"
#include "aws/service/sqs.h"
#include "aws/service/ssm.h"

#define EQUALS             "StringEquals"
#define LIKE               "StringLike"
#define CLUSTER            "kubernetes.io/cluster/{cluster}"
#define EC2(resource)      "arn:{partition}:ec2:{region}:*:" resource "/*"
#define EC2_BARE(resource) "arn:{partition}:ec2:{region}::" resource "/*" // of no account
#define PROFILES           "arn:{partition}:iam::{account}:instance-profile/*"

// What has these tags was made by the cluster's nodes' controller.
#define IS_OURS                                                                                                        \
    {EQUALS, "aws:ResourceTag/" CLUSTER, {"owned"}}, {                                                                 \
        LIKE, "aws:ResourceTag/karpenter.sh/nodepool", {                                                               \
            "*"                                                                                                        \
        }                                                                                                              \
    }
// What is made gets them.
#define BECOMES_OURS                                                                                                   \
    {EQUALS, "aws:RequestTag/" CLUSTER, {"owned"}}, {EQUALS, "aws:RequestTag/eks:eks-cluster-name", {"{cluster}"}}, {  \
        LIKE, "aws:RequestTag/karpenter.sh/nodepool", {                                                                \
            "*"                                                                                                        \
        }                                                                                                              \
    }
// The same of instance profiles.
#define PROFILE_IS_OURS                                                                                                \
    {EQUALS, "aws:ResourceTag/" CLUSTER, {"owned"}},                                                                   \
        {EQUALS, "aws:ResourceTag/topology.kubernetes.io/region", {"{region}"}}, {                                     \
        LIKE, "aws:ResourceTag/karpenter.k8s.aws/ec2nodeclass", {                                                      \
            "*"                                                                                                        \
        }                                                                                                              \
    }
#define PROFILE_BECOMES_OURS                                                                                           \
    {EQUALS, "aws:RequestTag/" CLUSTER, {"owned"}}, {EQUALS, "aws:RequestTag/eks:eks-cluster-name", {"{cluster}"}},    \
        {EQUALS, "aws:RequestTag/topology.kubernetes.io/region", {"{region}"}}, {                                      \
        LIKE, "aws:RequestTag/karpenter.k8s.aws/ec2nodeclass", {                                                       \
            "*"                                                                                                        \
        }                                                                                                              \
    }
#define MADE_BY_LAUNCHES                                                                                               \
    {                                                                                                                  \
        EC2("fleet"), EC2("instance"), EC2("volume"), EC2("network-interface"), EC2("launch-template"),                \
            EC2("spot-instances-request")                                                                              \
    }

const PolicyRow policy_rows[] = {
    {.group = POLICY_LIFECYCLE,
     .sid = "AllowScopedEC2InstanceAccessActions",
     .calls = {&ec2_run_instances, &ec2_create_fleet},
     .resources = {EC2_BARE("image"), EC2_BARE("snapshot"), EC2("security-group"), EC2("subnet"),
                   EC2("capacity-reservation"), EC2("placement-group")}},
    {.group = POLICY_LIFECYCLE,
     .sid = "AllowScopedEC2LaunchTemplateAccessActions",
     .calls = {&ec2_run_instances, &ec2_create_fleet},
     .resources = {EC2("launch-template")},
     .conditions = {IS_OURS}},
    {.group = POLICY_LIFECYCLE,
     .sid = "AllowScopedEC2InstanceActionsWithTags",
     .calls = {&ec2_run_instances, &ec2_create_fleet, &ec2_create_launch_template},
     .resources = MADE_BY_LAUNCHES,
     .conditions = {BECOMES_OURS}},
    {.group = POLICY_LIFECYCLE,
     .sid = "AllowScopedResourceCreationTagging",
     .calls = {&ec2_create_tags},
     .resources = MADE_BY_LAUNCHES,
     .conditions = {BECOMES_OURS,
                    {EQUALS, "ec2:CreateAction", {"RunInstances", "CreateFleet", "CreateLaunchTemplate"}}}},
    {.group = POLICY_LIFECYCLE,
     .sid = "AllowScopedResourceTagging",
     .calls = {&ec2_create_tags},
     .resources = {EC2("instance")},
     .conditions = {IS_OURS,
                    {"StringEqualsIfExists", "aws:RequestTag/eks:eks-cluster-name", {"{cluster}"}},
                    {"ForAllValues:StringEquals",
                     "aws:TagKeys",
                     {"eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"}}}},
    {.group = POLICY_LIFECYCLE,
     .need = NEEDED_WITH_OLD_NODES,
     .sid = "AllowLinkingOldInstances",
     .calls = {&ec2_create_tags},
     .resources = {EC2("instance")},
     .conditions = {{EQUALS, "aws:ResourceTag/" CLUSTER, {"owned"}},
                    {LIKE, "aws:ResourceTag/karpenter.sh/provisioner-name", {"*"}},
                    {EQUALS, "aws:RequestTag/eks:eks-cluster-name", {"{cluster}"}},
                    {"ForAllValues:StringEquals",
                     "aws:TagKeys",
                     {"eks:eks-cluster-name", "karpenter.sh/nodeclaim", "karpenter.sh/nodepool",
                      "karpenter.k8s.aws/ec2nodeclass", "karpenter.sh/managed-by", "Name"}}}},
    {.group = POLICY_LIFECYCLE,
     .sid = "AllowScopedDeletion",
     .calls = {&ec2_terminate_instances, &ec2_delete_launch_template},
     .resources = {EC2("instance"), EC2("launch-template")},
     .conditions = {IS_OURS}},
    {.group = POLICY_LIFECYCLE,
     .sid = "AllowScopedReboot",
     .calls = {&ec2_reboot_instances},
     .resources = {EC2("instance")},
     .conditions = {IS_OURS}},
    {.group = POLICY_IAM,
     .sid = "AllowPassingInstanceRole",
     .further = "iam:PassRole",
     .resources = {"{roles}"},
     .conditions = {{EQUALS, "iam:PassedToService", {"{ec2}"}}}},
    {.group = POLICY_IAM,
     .need = NEEDED_OUTSIDE,
     .sid = "AllowScopedInstanceProfileCreationActions",
     .calls = {&iam_create_instance_profile},
     .resources = {PROFILES},
     .conditions = {PROFILE_BECOMES_OURS}},
    {.group = POLICY_IAM,
     .need = NEEDED_OUTSIDE,
     .sid = "AllowScopedInstanceProfileTagActions",
     .further = "iam:TagInstanceProfile", // CreateInstanceProfile has tags
     .resources = {PROFILES},
     .conditions = {PROFILE_IS_OURS, PROFILE_BECOMES_OURS}},
    {.group = POLICY_IAM,
     .need = NEEDED_OUTSIDE,
     .sid = "AllowScopedInstanceProfileActions",
     .calls = {&iam_add_role_to_instance_profile, &iam_remove_role_from_instance_profile, &iam_delete_instance_profile},
     .resources = {PROFILES},
     .conditions = {PROFILE_IS_OURS}},
    {.group = POLICY_EKS,
     .sid = "AllowAPIServerEndpointDiscovery",
     .calls = {&eks_describe_cluster},
     .resources = {"arn:{partition}:eks:{region}:{account}:cluster/{cluster}"}},
    {.group = POLICY_INTERRUPTION,
     .need = NEEDED_WITH_QUEUE,
     .sid = "AllowInterruptionQueueActions",
     .calls = {&sqs_delete_message, &sqs_get_queue_url, &sqs_receive_message},
     .resources = {"arn:{partition}:sqs:{region}:{account}:{queue}"}},
    {.group = POLICY_ZONAL_SHIFT,
     .need = NEEDED_WITH_ZONAL_SHIFT,
     .sid = "AllowZonalShiftReadActions",
     .calls = {&arc_get_managed_resource},
     .resources = {"*"},
     .conditions = {{EQUALS,
                     "arc-zonal-shift:ResourceIdentifier",
                     {"arn:{partition}:eks:{region}:{account}:cluster/{cluster}"}}}},
    {.group = POLICY_DISCOVERY,
     .sid = "AllowRegionalReadActions",
     .calls = {&ec2_describe_capacity_reservations, &ec2_describe_images, &ec2_describe_instances,
               &ec2_describe_instance_status, &ec2_describe_instance_type_offerings, &ec2_describe_instance_types,
               &ec2_describe_launch_templates, &ec2_describe_placement_groups, &ec2_describe_security_groups,
               &ec2_describe_spot_price_history, &ec2_describe_subnets},
     .resources = {"*"},
     .conditions = {{EQUALS, "aws:RequestedRegion", {"{region}"}}}},
    {.group = POLICY_DISCOVERY,
     .sid = "AllowSSMReadActions",
     .calls = {&ssm_get_parameter},
     .resources = {"arn:{partition}:ssm:{region}::parameter/aws/service/*", "{parameters}"}},
    {.group = POLICY_DISCOVERY,
     .need = NEEDED_OUTSIDE,
     .sid = "AllowPricingReadActions",
     .calls = {&pricing_get_products},
     .resources = {"*"}},
    {.group = POLICY_DISCOVERY,
     .need = NEEDED_OUTSIDE,
     .sid = "AllowUnscopedInstanceProfileListAction",
     .calls = {&iam_list_instance_profiles},
     .resources = {"*"}},
    {.group = POLICY_DISCOVERY,
     .need = NEEDED_OUTSIDE,
     .sid = "AllowInstanceProfileReadActions",
     .calls = {&iam_get_instance_profile},
     .resources = {PROFILES}},
};
const uint32_t policy_row_count = sizeof policy_rows / sizeof *policy_rows;
