// What a process does before it leads. Reference aws.md 8.
#include "cloud/aws/provider/provider.h"

#include "aws/service/ec2_type.h"
#include "cloud/aws/provider/cluster.h"
#include "cloud/aws/provider/market.h"

// Whether EC2 can be reached and lets us ask: a dry run.
static ErrCode probe_ec2(AwsProvider *provider, Err *err) {
    Ec2DescribeInstanceTypesInput input = {.dry_run = aws_bool(true)};
    Ec2DescribeInstanceTypesOutput output;
    AwsOutcome outcome = {0};
    Arena arena = {0};
    Err fault = {0};
    ErrCode code =
        aws_call(provider->client, &arena, &ec2_describe_instance_types, &input, NULL, &output, &outcome, &fault);

    if (code == ERR_DENIED && outcome.kind == AWS_DENIED)
        code =
            err_set(err, code, "EC2 refuses: %s; allow ec2:DescribeInstanceTypes to this process's role", fault.text);
    else if (code == ERR_DENIED && !outcome.fault.status)
        code = err_set(err, code,
                       "no credentials: %s; give the pod a role (IRSA, EKS Pod Identity), or set AWS_ACCESS_KEY_ID and "
                       "AWS_SECRET_ACCESS_KEY",
                       fault.text);
    else if (code == ERR_DENIED)
        code =
            err_set(err, code, "EC2 does not accept the credentials: %s; see aws sts get-caller-identity", fault.text);
    else if (code != OK)
        code =
            err_set(err, code, "EC2 cannot be asked: %s; see aws ec2 describe-instance-types --dry-run --region %.*s",
                    fault.text, SLICE_ARG(provider->region));
    arena_free(&arena);
    return code;
}

ErrCode aws_provider_probe(AwsProvider *provider, Err *err) {
    CloudError error = {0};

    TRY(probe_ec2(provider, err));
    TRY(provider_cluster_probe(provider, err));
    if (provider_types_refresh(provider, &error) == OK)
        return OK;
    return err_set(err, error.err.code, "unable to list instance types: %s%s", error.err.text,
                   error.err.code == ERR_DENIED
                       ? "; allow ec2:DescribeInstanceTypes and ec2:DescribeInstanceTypeOfferings"
                       : "; see aws ec2 describe-instance-types and describe-instance-type-offerings");
}
