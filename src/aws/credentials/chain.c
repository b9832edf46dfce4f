// The order of sources.
#include "aws/credentials/chain.h"

#include "aws/credentials/container_source.h"
#include "aws/credentials/metadata_source.h"
#include "aws/credentials/profile_source.h"
#include "aws/credentials/role_source.h"

// IRSA: what EKS writes into a pod's environment.
static ErrCode choose_web_identity(const AwsSourceMakings *makings, AwsSource **ret_source, Err *err) {
    const AwsEnvironment *environment = &makings->settings->environment;
    Slice token_file = aws_variable(environment, "AWS_WEB_IDENTITY_TOKEN_FILE");
    const AwsRole role = {
        .role_arn = aws_variable(environment, "AWS_ROLE_ARN"),
        .session_name = aws_variable(environment, "AWS_ROLE_SESSION_NAME"),
    };

    if (!token_file.len)
        return OK;
    if (!role.role_arn.len)
        return err_set(err, ERR_INVALID, "AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not");
    *ret_source = aws_web_identity_source_new(makings, &role, token_file);
    return OK;
}

ErrCode aws_chain_choose(const AwsSourceMakings *makings, AwsSource **ret_source, Err *err) {
    const AwsEnvironment *environment = &makings->settings->environment;
    AwsSource *source = NULL;

    TRY(aws_environment_source_new(environment, &source, err));
    if (!source)
        TRY(choose_web_identity(makings, &source, err));
    if (!source)
        TRY(aws_profile_source_new(makings, makings->settings->profile, &source, err));
    if (!source && aws_container_is_named(environment))
        TRY(aws_container_source_new(makings, &source, err));
    *ret_source = source ? source : aws_metadata_source_new(makings);
    return OK;
}
