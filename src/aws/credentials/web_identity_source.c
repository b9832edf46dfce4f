// AssumeRoleWithWebIdentity. Reference aws.md 8: no duration is asked for, and an identity that STS cannot check yet is
// tried again.
#include "aws/credentials/role_source.h"

#include "aws/credentials/sts_answer.h"
#include "base/alloc.h"

enum { TRIES = 3 };

typedef struct {
    AwsSource source;
    Arena arena;
    AwsSourceMakings makings;
    AwsRole role;
    Slice token_file;
    AwsClient *sts;
} WebIdentitySource;

static ErrCode ask(const WebIdentitySource *source, Arena *arena, int64_t wall_ns,
                   StsAssumeRoleWithWebIdentityOutput *output, AwsOutcome *ret_outcome, Err *err) {
    const AwsEnvironment *environment = &source->makings.settings->environment;
    StsAssumeRoleWithWebIdentityInput input = {
        .role_arn = source->role.role_arn,
        .role_session_name = source->role.session_name,
    };
    AwsCallOptions options = {0};
    Slice token;

    *ret_outcome = (AwsOutcome){0};
    if (!input.role_session_name.len)
        input.role_session_name = arena_printf(arena, "%lld", (long long)wall_ns);
    TRY(environment->read_file(environment->context, arena, source->token_file, &token, err));
    input.web_identity_token = options.secret = slice_trim(token);
    return aws_call(source->sts, arena, &sts_assume_role_with_web_identity, &input, &options, output, ret_outcome, err);
}

static bool may_pass(const AwsOutcome *outcome) {
    return slice_eq_text(outcome->fault.code, "InvalidIdentityToken") ||
           slice_eq_text(outcome->fault.code, "IDPCommunicationError");
}

static ErrCode fetch(AwsSource *self, Arena *arena, int64_t wall_ns, AwsFetched *ret_fetched, Err *err) {
    const WebIdentitySource *source = (const WebIdentitySource *)self;
    const AwsTransport *transport = &source->makings.transport;
    StsAssumeRoleWithWebIdentityOutput output;
    AwsOutcome outcome;
    ErrCode code;

    for (uint32_t attempt = 1;; attempt++) {
        code = ask(source, arena, wall_ns, &output, &outcome, err);
        if (code == OK || !may_pass(&outcome) || attempt == TRIES || !transport->rest(transport->self, NS_PER_S))
            break;
    }
    TRY(code);
    return aws_sts_fetched(output.credentials, ret_fetched, err);
}

static void free_web_identity(AwsSource *self) {
    WebIdentitySource *source = (WebIdentitySource *)self;

    aws_client_free(source->sts);
    arena_free(&source->arena);
    free(source);
}

AwsSource *aws_web_identity_source_new(const AwsSourceMakings *makings, const AwsRole *role, Slice token_file) {
    WebIdentitySource *made = NEW(WebIdentitySource);

    made->source = (AwsSource){"web identity", fetch, free_web_identity};
    made->makings = *makings;
    made->role = aws_role_copy(&made->arena, role);
    made->token_file = arena_slice(&made->arena, token_file);
    made->sts = aws_source_sts(makings, (AwsIdentity){0});
    return &made->source;
}
