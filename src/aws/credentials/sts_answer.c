// Roles copied, answers read.
#include "aws/credentials/sts_answer.h"

// What is absent stays so: STS refuses an empty text.
static Slice copy(Arena *arena, Slice text) {
    return text.len ? arena_slice(arena, text) : (Slice){0};
}

AwsRole aws_role_copy(Arena *arena, const AwsRole *role) {
    return (AwsRole){
        .role_arn = copy(arena, role->role_arn),
        .session_name = copy(arena, role->session_name),
        .external_id = copy(arena, role->external_id),
        .duration_s = role->duration_s,
    };
}

ErrCode aws_sts_fetched(const StsCredentials *credentials, AwsFetched *ret_fetched, Err *err) {
    AwsKeys keys;

    if (!credentials || !credentials->expiration.has)
        return err_set(err, ERR_INVALID, "the answer of STS lacks credentials, or their end");
    keys = (AwsKeys){credentials->access_key_id, credentials->secret_access_key, credentials->session_token};
    if (!aws_keys_are_sound(&keys) || !keys.session_token.len)
        return err_set(err, ERR_INVALID, "the answer of STS lacks a key or token, or has letters that none has");
    *ret_fetched = (AwsFetched){keys, credentials->expiration.ns};
    return OK;
}
