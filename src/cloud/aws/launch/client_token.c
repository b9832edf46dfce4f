// The digest of a request and its claims.
#include "cloud/aws/launch/client_token.h"

#include "aws/sign/digest.h"
#include "base/buffer.h"
#include "cloud/aws/launch/deal.h"

ErrCode fleet_client_token(Arena *arena, const Ec2CreateFleetInput *input, const SliceVec *claims, Slice *ret_token,
                           Err *err) {
    SliceVec sorted = fleet_order(arena, claims);
    Ec2CreateFleetInput plain = *input;
    char digest[AWS_DIGEST_HEX + 1];
    AwsMessage message;
    Buffer text = {0};

    plain.client_token = (Slice){0};
    TRY(aws_write(arena, &ec2_create_fleet, &plain, &message, err));
    buffer_append(&text, message.body);
    for (vec_each(const Slice, claim, &sorted)) {
        buffer_append_char(&text, '\n');
        buffer_append(&text, *claim);
    }
    aws_digest_hex(buffer_slice(&text), digest);
    buffer_free(&text);
    *ret_token = arena_slice(arena, slice_of(digest));
    return OK;
}
