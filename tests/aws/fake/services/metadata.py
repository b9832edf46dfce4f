"""Plain HTTP beside the services: the instance metadata service (IMDSv2) and the credentials of pods and containers.

A hop limit cannot be measured on loopback: `hops` says how far away the client counts as being. A token's reply that would
need more hops than the limit allows never arrives, as on an instance.
"""

import hashlib
import json
from dataclasses import dataclass, field

from tests.aws.fake.auth.identities import ACCOUNT
from tests.aws.fake.clock import iso
from tests.aws.fake.errors import Hang
from tests.aws.fake.listener import Reply

TOKEN_HEADER, TTL_HEADER = "x-aws-ec2-metadata-token", "x-aws-ec2-metadata-token-ttl-seconds"
TTL_MAX = 21600
HANG_SECONDS = 30


@dataclass
class Settings:
    enabled: bool = True
    hop_limit: int = 2
    hops: int = 1                   # from the client to the instance
    tokens_required: bool = True
    role: str = ""
    region: str = ""
    instance: str = "i-0fa4e00000000001"
    type: str = "m5.large"
    image: str = "ami-0fa4e00000000001"
    pod_role: str = ""
    pod_tokens: list = field(default_factory=lambda: ["pod-identity-token"])


class Metadata:
    def __init__(self, fake):
        cluster = fake.settings.cluster
        self.fake, self._tokens = fake, {}
        self.settings = Settings(region=fake.settings.region, role=f"KarpenterNodeRole-{cluster}",
                                 pod_role=f"KarpenterControllerRole-{cluster}")
        self._sessions = {}     # role: Identity

    def expire_tokens(self):
        """The tokens that clients have are worth nothing from now on."""
        self._tokens.clear()

    def answer(self, request):
        """The reply to a request of a path that belongs here, else None."""
        if request.path.startswith("/latest/"):
            return self.imds(request)
        if request.path.startswith(("/v1/credentials", "/v2/credentials")):
            return self.container(request)
        return None

    def imds(self, request):
        if not self.settings.enabled:
            raise Hang(HANG_SECONDS)
        if request.path == "/latest/api/token":
            return self.new_token(request)
        if not self.is_let_in(request):
            return Reply(401, b"Unauthorized")
        pages = self.pages()
        if request.path == self.credentials_path:
            pages[request.path] = lambda: self.credentials(self.settings.role, {"Code": "Success", "Type": "AWS-HMAC"})
        page = pages.get(request.path.rstrip("/") or request.path)
        return Reply(200, page().encode(), {"Content-Type": "text/plain"}) if page else Reply(404, b"Not Found")

    def new_token(self, request):
        ttl = request.headers.get(TTL_HEADER, "")
        if request.method != "PUT":
            return Reply(405)
        if "x-forwarded-for" in request.headers:
            return Reply(403)
        if not ttl.isdigit() or not 1 <= int(ttl) <= TTL_MAX:
            return Reply(400, b"Bad Request")
        if self.settings.hops > self.settings.hop_limit:
            raise Hang(HANG_SECONDS)
        token = hashlib.sha256(f"{len(self._tokens)}/{self.fake.clock.now()}".encode()).hexdigest()
        self._tokens[token] = self.fake.clock.now() + int(ttl)
        return Reply(200, token.encode(), {TTL_HEADER: ttl, "Content-Type": "text/plain"})

    def is_let_in(self, request):
        token = request.headers.get(TOKEN_HEADER)
        if token is None:
            return not self.settings.tokens_required
        return self._tokens.get(token, 0) > self.fake.clock.now()

    @property
    def credentials_path(self):
        return f"/latest/meta-data/iam/security-credentials/{self.settings.role}"

    def pages(self):
        s = self.settings
        zone = min(self.fake.world.catalogue.zones[s.region])
        values = {"instance-id": s.instance, "instance-type": s.type, "ami-id": s.image, "local-ipv4": "10.0.0.10",
                  "placement/region": s.region, "placement/availability-zone": zone,
                  "iam/security-credentials": s.role}
        found = {f"/latest/meta-data/{name}": (lambda value=value: value) for name, value in values.items()}
        found["/latest/dynamic/instance-identity/document"] = lambda: json.dumps({
            "accountId": ACCOUNT, "architecture": "x86_64", "availabilityZone": zone, "imageId": s.image,
            "instanceId": s.instance, "instanceType": s.type, "privateIp": "10.0.0.10", "region": s.region,
            "pendingTime": iso(self.fake.began, False), "version": "2017-09-30"})
        return found

    def credentials(self, role, more):
        """A session's credentials; a new session within five minutes of the end of the last, as EC2 and EKS do."""
        now, session = self.fake.clock.now(), self._sessions.get(role)
        ahead = min(300, self.fake.settings.session_seconds / 2)
        if not session or session.expires - now < ahead:
            session = self.fake.identities.start_session(role, "metadata", self.fake.settings.session_seconds)
            self._sessions[role] = session
        return json.dumps({**more, "LastUpdated": iso(now, False), "AccessKeyId": session.access_key,
                           "SecretAccessKey": session.secret, "Token": session.token,
                           "Expiration": iso(session.expires, False)})

    def container(self, request):
        """EKS pod identity and ECS: the same JSON, for a token in Authorization."""
        if request.path.startswith("/v1/") and request.headers.get("authorization") not in self.settings.pod_tokens:
            return Reply(401, json.dumps({"code": "InvalidTokenException", "message": "the token is invalid"}).encode())
        text = self.credentials(self.settings.pod_role, {"AccountId": ACCOUNT})
        return Reply(200, text.encode(), {"Content-Type": "application/json"})
