// IAM: instance profiles, and the policies of roles. Reference aws.md 6.3.
#pragma once

#include "aws/protocol/operation.h"

extern const AwsService iam_service;

#define IAM_TAG(X, T)                                                                                                  \
    X(T, STRING, key, "Key")                                                                                           \
    X(T, STRING, value, "Value")
AWS_STRUCT(IamTag, IAM_TAG);

#define IAM_ROLE(X, T) X(T, STRING, role_name, "RoleName")
AWS_STRUCT(IamRole, IAM_ROLE);

#define IAM_INSTANCE_PROFILE(X, T)                                                                                     \
    X(T, STRING, instance_profile_name, "InstanceProfileName")                                                         \
    X(T, STRING, path, "Path")                                                                                         \
    X(T, LIST, roles, "Roles", IamRole)
AWS_STRUCT(IamInstanceProfile, IAM_INSTANCE_PROFILE);

#define IAM_GET_INSTANCE_PROFILE_INPUT(X, T) X(T, STRING, instance_profile_name, "InstanceProfileName")
AWS_STRUCT(IamGetInstanceProfileInput, IAM_GET_INSTANCE_PROFILE_INPUT);

#define IAM_GET_INSTANCE_PROFILE_OUTPUT(X, T) X(T, STRUCTURE, instance_profile, "InstanceProfile", IamInstanceProfile)
AWS_STRUCT(IamGetInstanceProfileOutput, IAM_GET_INSTANCE_PROFILE_OUTPUT);

#define IAM_CREATE_INSTANCE_PROFILE_INPUT(X, T)                                                                        \
    X(T, STRING, instance_profile_name, "InstanceProfileName")                                                         \
    X(T, STRING, path, "Path")                                                                                         \
    X(T, LIST, tags, "Tags", IamTag)
AWS_STRUCT(IamCreateInstanceProfileInput, IAM_CREATE_INSTANCE_PROFILE_INPUT);

#define IAM_CREATE_INSTANCE_PROFILE_OUTPUT(X, T)                                                                       \
    X(T, STRUCTURE, instance_profile, "InstanceProfile", IamInstanceProfile)
AWS_STRUCT(IamCreateInstanceProfileOutput, IAM_CREATE_INSTANCE_PROFILE_OUTPUT);

#define IAM_ADD_ROLE_TO_INSTANCE_PROFILE_INPUT(X, T)                                                                   \
    X(T, STRING, instance_profile_name, "InstanceProfileName")                                                         \
    X(T, STRING, role_name, "RoleName")
AWS_STRUCT(IamAddRoleToInstanceProfileInput, IAM_ADD_ROLE_TO_INSTANCE_PROFILE_INPUT);

#define IAM_REMOVE_ROLE_FROM_INSTANCE_PROFILE_INPUT(X, T)                                                              \
    X(T, STRING, instance_profile_name, "InstanceProfileName")                                                         \
    X(T, STRING, role_name, "RoleName")
AWS_STRUCT(IamRemoveRoleFromInstanceProfileInput, IAM_REMOVE_ROLE_FROM_INSTANCE_PROFILE_INPUT);

#define IAM_DELETE_INSTANCE_PROFILE_INPUT(X, T) X(T, STRING, instance_profile_name, "InstanceProfileName")
AWS_STRUCT(IamDeleteInstanceProfileInput, IAM_DELETE_INSTANCE_PROFILE_INPUT);

#define IAM_LIST_INSTANCE_PROFILES_INPUT(X, T)                                                                         \
    X(T, STRING, path_prefix, "PathPrefix")                                                                            \
    X(T, INTEGER, max_items, "MaxItems")                                                                               \
    X(T, STRING, marker, "Marker")
AWS_STRUCT(IamListInstanceProfilesInput, IAM_LIST_INSTANCE_PROFILES_INPUT);

#define IAM_LIST_INSTANCE_PROFILES_OUTPUT(X, T)                                                                        \
    X(T, LIST, instance_profiles, "InstanceProfiles", IamInstanceProfile)                                              \
    X(T, STRING, marker, "Marker")
AWS_STRUCT(IamListInstanceProfilesOutput, IAM_LIST_INSTANCE_PROFILES_OUTPUT);

#define IAM_ATTACHED_POLICY(X, T)                                                                                      \
    X(T, STRING, policy_name, "PolicyName")                                                                            \
    X(T, STRING, policy_arn, "PolicyArn")
AWS_STRUCT(IamAttachedPolicy, IAM_ATTACHED_POLICY);

#define IAM_LIST_ATTACHED_ROLE_POLICIES_INPUT(X, T)                                                                    \
    X(T, STRING, role_name, "RoleName")                                                                                \
    X(T, INTEGER, max_items, "MaxItems")                                                                               \
    X(T, STRING, marker, "Marker")
AWS_STRUCT(IamListAttachedRolePoliciesInput, IAM_LIST_ATTACHED_ROLE_POLICIES_INPUT);

#define IAM_LIST_ATTACHED_ROLE_POLICIES_OUTPUT(X, T)                                                                   \
    X(T, LIST, attached_policies, "AttachedPolicies", IamAttachedPolicy)                                               \
    X(T, STRING, marker, "Marker")
AWS_STRUCT(IamListAttachedRolePoliciesOutput, IAM_LIST_ATTACHED_ROLE_POLICIES_OUTPUT);

extern const AwsOperation iam_get_instance_profile;
extern const AwsOperation iam_create_instance_profile;
extern const AwsOperation iam_add_role_to_instance_profile;
extern const AwsOperation iam_remove_role_from_instance_profile;
extern const AwsOperation iam_delete_instance_profile;
// Pages of at most 1000. Tags are not in the answer.
extern const AwsOperation iam_list_instance_profiles;
// Managed policies, AWS's and the account's; not those that are written into the role. Only `tenon doctor` asks.
extern const AwsOperation iam_list_attached_role_policies;
