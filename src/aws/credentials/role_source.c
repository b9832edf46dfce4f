// AssumeRole.
#include "aws/credentials/role_source.h"

#include "aws/credentials/sts_answer.h"
#include "base/alloc.h"

typedef struct {
    AwsSource source;
    Arena arena;
    AwsRole role;
    AwsSource *base;
    AwsClient *sts;
} RoleSource;

// The identity of the client of STS: what the base gives now. A fetch is rare, so nothing is kept.
static ErrCode take_base(void *self, int64_t wall_ns, const AwsGrant *refused, AwsGrant **ret_grant, Err *err) {
    AwsSource *base = ((RoleSource *)self)->base;
    Arena scratch = {0};
    AwsFetched fetched;
    ErrCode code = base->fetch(base, &scratch, wall_ns, &fetched, err);

    (void)refused;
    if (code == OK)
        *ret_grant = aws_grant_new(&fetched.keys, fetched.expires_ns);
    arena_wipe(&scratch);
    return code;
}

static ErrCode fetch(AwsSource *self, Arena *arena, int64_t wall_ns, AwsFetched *ret_fetched, Err *err) {
    const RoleSource *source = (const RoleSource *)self;
    StsAssumeRoleInput input = {
        .role_arn = source->role.role_arn,
        .role_session_name = source->role.session_name,
        .external_id = source->role.external_id,
    };
    StsAssumeRoleOutput output;

    if (!input.role_session_name.len)
        input.role_session_name = arena_printf(arena, "%lld", (long long)wall_ns);
    if (source->role.duration_s)
        input.duration_seconds = aws_integer(source->role.duration_s);
    TRY(aws_call(source->sts, arena, &sts_assume_role, &input, NULL, &output, NULL, err));
    return aws_sts_fetched(output.credentials, ret_fetched, err);
}

static void free_role(AwsSource *self) {
    RoleSource *source = (RoleSource *)self;

    aws_client_free(source->sts);
    aws_source_free(source->base);
    arena_free(&source->arena);
    free(source);
}

AwsSource *aws_role_source_new(const AwsSourceMakings *makings, const AwsRole *role, AwsSource *base) {
    RoleSource *made = NEW(RoleSource);

    made->source = (AwsSource){"role", fetch, free_role};
    made->role = aws_role_copy(&made->arena, role);
    made->base = base;
    made->sts = aws_source_sts(makings, (AwsIdentity){take_base, made});
    return &made->source;
}
