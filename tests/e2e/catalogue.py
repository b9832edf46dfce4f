"""The instance types of the tests: Karpenter's KWOK types by their formula, and two types with GPUs."""

ZONES = ["test-zone-a", "test-zone-b", "test-zone-c", "test-zone-d"]
CPUS = [1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256]
GIB_PER_CPU = {"c": 2, "s": 4, "m": 8}
PRICE_PER_CPU, PRICE_PER_GB, PRICE_PER_GPU, SPOT_SHARE = 0.025, 0.001, 2.0, 0.7
GPU = "nvidia.com/gpu"


def instance_types():
    """The types in the format of --instance-types-file-path."""
    plain = [instance_type(f"{family}-{cpus}x-{arch}-{system}", cpus, cpus * gib, arch, system)
             for cpus in CPUS for family, gib in GIB_PER_CPU.items() for system in ("linux", "windows")
             for arch in ("amd64", "arm64")]
    return plain + [instance_type(f"g-{cpus}x-amd64-linux", cpus, cpus * 4, "amd64", "linux", gpus)
                    for cpus, gpus in [(8, 1), (32, 4)]]


def instance_type(name, cpus, gib, arch, system, gpus=0):
    price = PRICE_PER_CPU * cpus + PRICE_PER_GB * gib * 2**30 / 1e9 + PRICE_PER_GPU * gpus
    room = {"cpu": str(cpus), "memory": f"{gib}Gi", "pods": str(min(cpus * 16, 1024)), "ephemeral-storage": "20Gi"}
    return {"name": name, "architecture": arch, "operatingSystems": [system],
            "resources": {**room, **({GPU: str(gpus)} if gpus else {})},
            "offerings": [offering(zone, capacity_type, price * share) for zone in ZONES
                          for capacity_type, share in [("spot", SPOT_SHARE), ("on-demand", 1)]]}


def offering(zone, capacity_type, price):
    return {"Price": price, "Available": True, "Requirements": [
        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": [capacity_type]},
        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]}]}
