"""Who may pass: the signature, its time and region, the session's end; refused in the words of each kind of service."""

from tests.aws.fake.auth import signature
from tests.aws.fake.clock import utc
from tests.aws.fake.errors import Fault

# Calls that carry a token of their own instead of a signature.
UNSIGNED = {("sts", "AssumeRoleWithWebIdentity")}

EC2_REFUSED = ("AuthFailure", "AWS was not able to validate the provided access credentials", 401)
EC2_EXPIRED = ("RequestExpired", "Request has expired.", 400)
INVALID_TOKEN = "The security token included in the request is invalid."
EXPIRED_TOKEN = "The security token included in the request is expired"
MISMATCH = ("The request signature we calculated does not match the signature you provided. Check your AWS Secret Access "
            "Key and signing method. Consult the service documentation for details.")

# What is wrong, by protocol: code, message, status. `{why}` is a text that depends on the request.
REFUSALS = {
    "ec2": {
        "missing": ("MissingParameter", "The request must contain the parameter AWSAccessKeyId", 400),
        "unknown": EC2_REFUSED, "token": EC2_REFUSED, "mismatch": EC2_REFUSED, "scope": EC2_REFUSED,
        "early": EC2_REFUSED, "expired": EC2_EXPIRED, "late": EC2_EXPIRED,
    },
    "query": {
        "missing": ("MissingAuthenticationToken", "Request is missing Authentication Token", 403),
        "unknown": ("InvalidClientTokenId", INVALID_TOKEN, 403), "token": ("InvalidClientTokenId", INVALID_TOKEN, 403),
        "expired": ("ExpiredToken", EXPIRED_TOKEN, 403),
        "mismatch": ("SignatureDoesNotMatch", MISMATCH, 403), "scope": ("SignatureDoesNotMatch", "{why}", 403),
        "early": ("SignatureDoesNotMatch", "{why}", 403), "late": ("SignatureDoesNotMatch", "{why}", 403),
    },
    "json": {
        "missing": ("MissingAuthenticationTokenException", "Missing Authentication Token", 400),
        "unknown": ("UnrecognizedClientException", INVALID_TOKEN, 400),
        "token": ("UnrecognizedClientException", INVALID_TOKEN, 400),
        "expired": ("ExpiredTokenException", EXPIRED_TOKEN, 400),
        "mismatch": ("InvalidSignatureException", MISMATCH, 400), "scope": ("InvalidSignatureException", "{why}", 400),
        "early": ("InvalidSignatureException", "{why}", 400), "late": ("InvalidSignatureException", "{why}", 400),
    },
}
REFUSALS["rest-json"] = {what: (code, text, 403) for what, (code, text, _) in REFUSALS["json"].items()}


class Gate:
    def __init__(self, clock, identities, regions_of):
        """`regions_of(service)`: the regions that signatures for a service may name."""
        self.clock, self.identities, self.regions_of = clock, identities, regions_of

    def check(self, service, action, request, scope):
        """The identity that signed, None for calls that need no signature. Raises Fault."""
        if (service.name, action) in UNSIGNED:
            return None

        def refuse(what, why=""):
            code, text, status = REFUSALS[service.protocol][what]
            return Fault(code, text.replace("{why}", why), status)

        at = signature.signed_at(request)
        if not scope or at is None:
            raise refuse("missing")
        identity = self.identities.find(scope.access_key)
        if not identity:
            raise refuse("unknown")
        if request.headers.get("x-amz-security-token") != identity.token:
            raise refuse("token")
        self.check_scope(service, scope, refuse)
        self.check_time(request, at, refuse)
        if not signature.is_valid(request, scope, identity.secret):
            raise refuse("mismatch")
        if identity.expires is not None and self.clock.now() >= identity.expires:
            raise refuse("expired")
        return identity

    def check_scope(self, service, scope, refuse):
        if scope.service != service.signing_name:
            raise refuse("scope", f"Credential should be scoped to correct service: '{service.signing_name}'. ")
        if scope.region not in self.regions_of(service.name):
            raise refuse("scope", f"Credential should be scoped to a valid region, not '{scope.region}'. ")

    def check_time(self, request, at, refuse):
        now, most = self.clock.wall(), signature.SKEW_SECONDS
        stamp = request.headers["x-amz-date"]
        if at < now - most:
            raise refuse("late", f"Signature expired: {stamp} is now earlier than {compact(now - most)} "
                                 f"({compact(now)} - 5 min.)")
        if at > now + most:
            raise refuse("early", f"Signature not yet current: {stamp} is still later than {compact(now + most)} "
                                  f"({compact(now)} + 5 min.)")


def compact(seconds):
    return utc(seconds).strftime("%Y%m%dT%H%M%SZ")
