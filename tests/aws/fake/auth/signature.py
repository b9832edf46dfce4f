"""Signature Version 4, verified: the canonical request is made again from what arrived.

Written from AWS's description of it and independent of botocore's signer, so that tests of that signer and ours mean
something. Clients sign the path encoded a second time, as all services but S3 want it.
"""

import calendar
import hashlib
import hmac
import re
import time
from urllib.parse import parse_qsl, quote

ALGORITHM = "AWS4-HMAC-SHA256"
SKEW_SECONDS = 300
AUTHORIZATION = re.compile(
    ALGORITHM + r" Credential=([^/\s,]+)/(\d{8})/([a-z0-9-]+)/([a-z0-9-]+)/aws4_request,\s*SignedHeaders=([^,\s]+),"
    r"\s*Signature=([0-9a-f]{64})")


class Scope:
    """What an Authorization header says."""

    def __init__(self, match):
        self.access_key, self.date, self.region, self.service, headers, self.signature = match.groups()
        self.headers = headers.split(";")

    @property
    def text(self):
        return f"{self.date}/{self.region}/{self.service}/aws4_request"


def read(request):
    """The scope of a request's signature; None where it has none that can be read."""
    match = AUTHORIZATION.fullmatch(request.headers.get("authorization", ""))
    return Scope(match) if match else None


def signed_at(request):
    """Seconds since 1970 of X-Amz-Date; None where there is none."""
    try:
        return calendar.timegm(time.strptime(request.headers.get("x-amz-date", ""), "%Y%m%dT%H%M%SZ"))
    except ValueError:
        return None


def is_valid(request, scope, secret):
    """Whether the signature is that of this request with this secret, and all is signed that must be."""
    must = {name for name in request.headers if name == "host" or name.startswith("x-amz-")}
    if not must <= set(scope.headers) or scope.headers != sorted(scope.headers):
        return False
    stamp = request.headers.get("x-amz-date", "")
    if stamp[:8] != scope.date:
        return False
    digest = hashlib.sha256(canonical(request, scope.headers).encode()).hexdigest()
    text = "\n".join((ALGORITHM, stamp, scope.text, digest))
    return hmac.compare_digest(sign(secret, scope, text), scope.signature)


def sign(secret, scope, text):
    key = ("AWS4" + secret).encode()
    for part in (scope.date, scope.region, scope.service, "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.digest(key, text.encode(), "sha256").hex()


def canonical(request, signed):
    pairs = sorted((encode(key), encode(value)) for key, value in parse_qsl(request.query, keep_blank_values=True))
    query = "&".join(f"{key}={value}" for key, value in pairs)
    headers = "".join(f"{name}:{' '.join(request.headers.get(name, '').split())}\n" for name in signed)
    body = request.headers.get("x-amz-content-sha256") or hashlib.sha256(request.body).hexdigest()
    if body != "UNSIGNED-PAYLOAD" and body != hashlib.sha256(request.body).hexdigest():
        body = "the hash that was sent is not that of the body"
    path = quote(request.path, safe="/-_.~")
    return "\n".join((request.method, path, query, headers, ";".join(signed), body))


def encode(text):
    return quote(text, safe="-_.~")
