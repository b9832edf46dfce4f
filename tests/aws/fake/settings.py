"""What the fake is started with."""

from dataclasses import dataclass


@dataclass
class Settings:
    host: str = "127.0.0.1"
    port: int = 0                   # 0: a free one
    region: str = "us-east-1"
    cluster: str = "tenon"
    cluster_endpoint: str = "https://127.0.0.1:6443"
    kubernetes: str = "1.34"
    access_key: str = "AKIAFAKE000000000001"
    secret: str = "fake-secret"
    seed: int = 1
    throttle: bool = True
    everywhere: bool = False        # all types in all zones
    subnet_bits: int = 18           # of the subnets' masks
    session_seconds: float = 3600.0     # a role's session lives no longer
    fleet_body_max: int = 131072    # bytes of CreateFleet's body; EC2's own bound is not published
