// IAM: instance profiles, and the policies of roles. Reference aws.md 6.3.
#include "aws/service/iam.h"

const AwsService iam_service = {
    .id = "iam",
    .endpoint_prefix = "iam",
    .signing_name = "iam",
    .api_version = "2010-05-08",
    .protocol = AWS_QUERY,
};

AWS_SHAPE(IamTag, IAM_TAG);
AWS_SHAPE(IamRole, IAM_ROLE);
AWS_SHAPE(IamInstanceProfile, IAM_INSTANCE_PROFILE);
AWS_SHAPE(IamGetInstanceProfileInput, IAM_GET_INSTANCE_PROFILE_INPUT);
AWS_SHAPE(IamGetInstanceProfileOutput, IAM_GET_INSTANCE_PROFILE_OUTPUT);
AWS_SHAPE(IamCreateInstanceProfileInput, IAM_CREATE_INSTANCE_PROFILE_INPUT);
AWS_SHAPE(IamCreateInstanceProfileOutput, IAM_CREATE_INSTANCE_PROFILE_OUTPUT);
AWS_SHAPE(IamAddRoleToInstanceProfileInput, IAM_ADD_ROLE_TO_INSTANCE_PROFILE_INPUT);
AWS_SHAPE(IamRemoveRoleFromInstanceProfileInput, IAM_REMOVE_ROLE_FROM_INSTANCE_PROFILE_INPUT);
AWS_SHAPE(IamDeleteInstanceProfileInput, IAM_DELETE_INSTANCE_PROFILE_INPUT);
AWS_SHAPE(IamListInstanceProfilesInput, IAM_LIST_INSTANCE_PROFILES_INPUT);
AWS_SHAPE(IamListInstanceProfilesOutput, IAM_LIST_INSTANCE_PROFILES_OUTPUT);
AWS_SHAPE(IamAttachedPolicy, IAM_ATTACHED_POLICY);
AWS_SHAPE(IamListAttachedRolePoliciesInput, IAM_LIST_ATTACHED_ROLE_POLICIES_INPUT);
AWS_SHAPE(IamListAttachedRolePoliciesOutput, IAM_LIST_ATTACHED_ROLE_POLICIES_OUTPUT);

AWS_OPERATION(iam_get_instance_profile, iam_service, "GetInstanceProfile", IamGetInstanceProfile);
AWS_OPERATION(iam_create_instance_profile, iam_service, "CreateInstanceProfile", IamCreateInstanceProfile,
              .is_change = true);
AWS_OPERATION_MUTE(iam_add_role_to_instance_profile, iam_service, "AddRoleToInstanceProfile",
                   IamAddRoleToInstanceProfile);
AWS_OPERATION_MUTE(iam_remove_role_from_instance_profile, iam_service, "RemoveRoleFromInstanceProfile",
                   IamRemoveRoleFromInstanceProfile);
AWS_OPERATION_MUTE(iam_delete_instance_profile, iam_service, "DeleteInstanceProfile", IamDeleteInstanceProfile);
AWS_OPERATION(iam_list_instance_profiles, iam_service, "ListInstanceProfiles", IamListInstanceProfiles,
              AWS_PAGED(IamListInstanceProfiles, marker, marker));
AWS_OPERATION(iam_list_attached_role_policies, iam_service, "ListAttachedRolePolicies", IamListAttachedRolePolicies,
              AWS_PAGED(IamListAttachedRolePolicies, marker, marker));
