"""Credentials that the fake knows: users' keys, sessions of roles with their ends, and what each may not do."""

import hashlib
import threading
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

ACCOUNT = "111122223333"


@dataclass
class Identity:
    access_key: str
    secret: str
    arn: str
    token: str = None           # of sessions
    expires: float = None       # seconds since 1970; None: never
    account: str = ACCOUNT
    denied: list = field(default_factory=list)      # patterns of service:Action


class Identities:
    def __init__(self, clock):
        self.clock = clock
        self._by_key = {}
        self._made = 0
        self._lock = threading.Lock()
        self.denied = []        # patterns of service:Action that nobody may do

    def add_user(self, access_key, secret, name="tenon", denied=()):
        identity = Identity(access_key, secret, f"arn:aws:iam::{ACCOUNT}:user/{name}", denied=list(denied))
        self._by_key[access_key] = identity
        return identity

    def start_session(self, role, session, seconds):
        """New credentials of a role, of arn:aws:sts::ACCOUNT:assumed-role/ROLE/SESSION."""
        with self._lock:
            self._made += 1
            seed = hashlib.sha256(f"{role}/{session}/{self._made}".encode()).hexdigest()
        arn = f"arn:aws:sts::{ACCOUNT}:assumed-role/{role}/{session}"
        identity = Identity("ASIA" + seed[:16].upper(), seed[16:56], arn, "session-" + seed, self.clock.now() + seconds)
        self._by_key[identity.access_key] = identity
        return identity

    def find(self, access_key):
        return self._by_key.get(access_key)

    def expire_sessions(self):
        """Ends all sessions that there are now; the next ones live as long as they are given."""
        for identity in list(self._by_key.values()):
            if identity.token:
                identity.expires = self.clock.now()

    def is_denied(self, identity, action):
        """Whether `action`, as ec2:RunInstances, is denied to this identity (None: nobody known)."""
        patterns = self.denied + (identity.denied if identity else [])
        return any(fnmatchcase(action.lower(), pattern.lower()) for pattern in patterns)
