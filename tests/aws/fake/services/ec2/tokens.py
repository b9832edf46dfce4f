"""Client tokens: the same request again has the same answer and no second effect, another request is refused."""

import hashlib
import json

from tests.aws.fake.errors import Fault


def remember(context, play):
    """The reply of an earlier call with this token, else that of `play()`. DryRun calls have no token's memory."""
    token = context.params.get("ClientToken")
    if not token or context.params.get("DryRun"):
        return play()
    if len(token) > 128:
        raise Fault("InvalidParameterValue", "The client token must be at most 128 ASCII characters long.")
    asked = {key: value for key, value in context.params.items() if key != "ClientToken"}
    digest = hashlib.sha256(json.dumps(asked, sort_keys=True, default=str).encode()).hexdigest()
    known, key = context.region.client_tokens, (context.account, context.operation.name, token)
    before = known.get(key)
    if before and before["until"] > context.now:
        if before["digest"] != digest:
            raise Fault("IdempotentParameterMismatch", "Arguments on this idempotent request are inconsistent with "
                                                       "arguments used in previous request(s).")
        return before["reply"]
    reply = play()
    known[key] = {"digest": digest, "reply": reply, "until": context.now + context.fake.world.timing.token_kept}
    return reply
