"""STS: sessions of roles, with a web identity or another session."""

import base64
import binascii
import json
import re

from tests.aws.fake.auth.identities import ACCOUNT
from tests.aws.fake.errors import Fault
from tests.aws.fake.handlers import action

ROLE = re.compile(r"arn:aws(?:-cn|-us-gov)?:iam::(\d{12}):role/(?:.*/)?([\w+=,.@-]+)")


@action("sts", "AssumeRoleWithWebIdentity")
def assume_role_with_web_identity(context, RoleArn, RoleSessionName, WebIdentityToken, DurationSeconds=3600):
    ends, subject = read_token(context, WebIdentityToken)
    if ends <= context.now:
        raise Fault("ExpiredTokenException", "Token expired: current date/time must be before the expiration date/time")
    role = find_role(context, RoleArn, "sts:AssumeRoleWithWebIdentity")
    credentials, user = start(context, role, RoleSessionName, DurationSeconds)
    return {"Credentials": credentials, "AssumedRoleUser": user, "SubjectFromWebIdentityToken": subject,
            "Audience": "sts.amazonaws.com", "Provider": "arn:aws:iam::" + ACCOUNT + ":oidc-provider/fake"}


def read_token(context, token):
    """(when it ends, whose it is): of a token that tests registered, else of a JWT, whose signature nobody checks."""
    if token in context.fake.world.web_tokens:
        return context.fake.world.web_tokens[token], "registered"
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return float(claims["exp"]), claims["sub"]
    except (IndexError, KeyError, TypeError, ValueError, binascii.Error) as error:
        raise Fault("InvalidIdentityToken", "The ID Token provided is not a valid JWT. (You may see this error if you sent an "
                                            "Access Token)") from error


def find_role(context, arn, verb):
    match = ROLE.fullmatch(arn)
    if not match:
        raise Fault("ValidationError", f"{arn} is invalid")
    if match[2] not in context.fake.world.roles:
        raise Fault("AccessDenied", f"Not authorized to perform {verb}", 403)
    return match[2]


def start(context, role, session, seconds):
    identity = context.fake.identities.start_session(role, session, min(seconds, context.fake.settings.session_seconds))
    return ({"AccessKeyId": identity.access_key, "SecretAccessKey": identity.secret, "SessionToken": identity.token,
             "Expiration": identity.expires},
            {"AssumedRoleId": f"AROA{role[:16].upper()}:{session}", "Arn": identity.arn})


@action("sts", "AssumeRole")
def assume_role(context, RoleArn, RoleSessionName, DurationSeconds=3600, ExternalId=None, Tags=()):
    role = find_role(context, RoleArn, "sts:AssumeRole")
    credentials, user = start(context, role, RoleSessionName, DurationSeconds)
    return {"Credentials": credentials, "AssumedRoleUser": user}


@action("sts", "GetCallerIdentity")
def get_caller_identity(context):
    identity = context.identity
    return {"UserId": identity.access_key, "Account": identity.account, "Arn": identity.arn}
