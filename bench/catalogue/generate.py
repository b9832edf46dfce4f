#!/usr/bin/env python3
"""Makes src/cloud/aws/data/ec2.tsv, the instance catalogue that tenon is built with. The format is in README.md.

    generate.py            fetches the packages and writes the file
    generate.py --check    fetches the packages and fails when the committed file differs
"""

import argparse
import sys
import tempfile
from itertools import groupby
from pathlib import Path

import sources
from prices import HOME, Prices, family_of, print_price

OUTPUT = Path(__file__).resolve().parents[2] / "src" / "cloud" / "aws" / "data" / "ec2.tsv"
ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}
USAGE_CLASSES = {"on-demand": "o", "spot": "s", "capacity-block": "b"}
COLUMNS = ("name arch cpus memory-mib hypervisor flags usage cards ipv4 efa branch network-mbps ebs-mbps attachments "
           "storage-gb clock-mhz manufacturer gpus accelerators neuron offers").split()
# Regions with prices of their own but without a list of what is offered where: everything priced is offered in every
# zone. Zone names and ids as AWS documents them.
UNLISTED_REGIONS = {
    "cn-north-1": {"cn-north-1a": "cnn1-az1", "cn-north-1b": "cnn1-az2"},
    "us-gov-east-1": {f"us-gov-east-1{letter}": f"usge1-az{i}" for i, letter in enumerate("abc", 1)},
    "us-gov-west-1": {f"us-gov-west-1{letter}": f"usgw1-az{i}" for i, letter in enumerate("abc", 1)},
}


def architecture(row: dict):
    """The first architecture that Kubernetes has a word for, else None (Macs)."""
    known = (ARCHITECTURES[name] for name in row["ProcessorInfo"]["SupportedArchitectures"] if name in ARCHITECTURES)
    return next(known, None)


def flags(row: dict) -> str:
    network, placement = row["NetworkInfo"], row["PlacementGroupInfo"]["SupportedStrategies"]
    if not {"partition", "spread"} <= set(placement):
        raise SystemExit(f"{row['InstanceType']}: placement strategies {placement} do not fit the format")
    return "".join(letter for letter, holds in (
        ("b", row["BareMetal"]),
        ("e", network["EncryptionInTransitSupported"]),
        ("n", "nested-virtualization" in row["ProcessorInfo"].get("SupportedFeatures", [])),
        ("v", row["NitroEnclavesSupport"] == "supported"),
        ("c", "cluster" in placement),
        ("a", network["EnaSupport"] != "unsupported"),
    ) if holds)


def cards(row: dict) -> str:
    """Maximum interfaces per network card, runs as N*cards: "3", "15*4", "8+7". The first is the default card."""
    network = row["NetworkInfo"]
    ordered = sorted(network["NetworkCards"], key=lambda card: card["NetworkCardIndex"])
    indexes = [card["NetworkCardIndex"] for card in ordered]
    if network["DefaultNetworkCardIndex"] != 0 or indexes != list(range(len(ordered))):
        raise SystemExit(f"{row['InstanceType']}: network cards do not fit the format")
    runs = [(most, len(list(run))) for most, run in groupby(card["MaximumNetworkInterfaces"] for card in ordered)]
    return "+".join(f"{most}*{count}" if count > 1 else str(most) for most, count in runs)


def ebs_bandwidth(row: dict):
    ebs = row["EbsInfo"]
    return ebs["EbsOptimizedInfo"]["MaximumBandwidthInMbps"] if ebs["EbsOptimizedSupport"] == "default" else ""


def storage(row: dict) -> str:
    info = row.get("InstanceStorageInfo")
    if not info:
        return ""
    return str(info["TotalSizeInGB"]) + ("!" if info["NvmeSupport"] == "unsupported" else "")


def devices(rows: list) -> str:
    return ";".join(f"{row['Count']}x{row['Manufacturer']}/{row['Name']}/{row['MemoryInfo']['SizeInMiB']}"
                    for row in rows)


def neuron(row: dict) -> str:
    found = row.get("NeuronInfo", {}).get("NeuronDevices", [])
    return ";".join(f"{device['Count']}x{device['Name']}/{device['CoreInfo']['Count']}" for device in found)


def offer(region: tuple, prices: Prices, name: str) -> str:
    """Where a type is offered in a region and for how much: "*0.118", "ac=", "*~0.2", "b?", "" (not offered)."""
    region_name, zones, types = region
    if name not in types:
        return ""
    letters = "*" if len(types[name]) == len(zones) else "".join(sorted(zone[-1] for zone in types[name]))
    price, estimated = prices.on_demand(region_name, name)
    if price is None:
        return letters + "?"
    home = prices.home(name)
    if region_name != HOME and home and not estimated and print_price(price) == print_price(home):
        return letters + "="
    return letters + ("~" if estimated else "") + print_price(price)


def type_line(row: dict, regions: list, prices: Prices, branch: dict, bandwidth: dict) -> str:
    name, network, processor, ebs = row["InstanceType"], row["NetworkInfo"], row["ProcessorInfo"], row["EbsInfo"]
    offers = ",".join(offer(region, prices, name) for region in regions).rstrip(",")
    values = (name, architecture(row), row["VCpuInfo"]["DefaultVCpus"], row["MemoryInfo"]["SizeInMiB"],
              row.get("Hypervisor", ""), flags(row),
              "".join(letter for word, letter in USAGE_CLASSES.items() if word in row["SupportedUsageClasses"]),
              cards(row), network["Ipv4AddressesPerInterface"],
              network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0),
              branch.get(name, 0), bandwidth.get(name, ""), ebs_bandwidth(row),
              f"{ebs['MaximumEbsAttachments']}{ebs['AttachmentLimitType'][0]}", storage(row),
              round(processor["SustainedClockSpeedInGhz"] * 1000) if "SustainedClockSpeedInGhz" in processor else "",
              processor["Manufacturer"], devices(row.get("GpuInfo", {}).get("Gpus", [])),
              devices(row.get("InferenceAcceleratorInfo", {}).get("Accelerators", [])), neuron(row), offers)
    return "type\t" + "\t".join(map(str, values))


def list_regions(offerings: dict, tables: dict) -> list:
    """[(name, zones, types)], us-east-1 first because other prices refer to it, then by name."""
    regions = [(name, zones, types) for name, (zones, types) in offerings.items()]
    for name, zones in UNLISTED_REGIONS.items():
        regions.append((name, zones, {type_name: set(zones) for type_name in tables[name]}))
    for name, zones, _ in regions:
        if any(zone != name + zone[-1] for zone in zones):
            raise SystemExit(f"{name}: zone names {sorted(zones)} do not fit the format")
    return sorted(regions, key=lambda region: (region[0] != HOME, region[0]))


def generate(folder: Path) -> str:
    moto = sources.fetch_moto(folder)
    go = sources.find_go(folder)
    karpenter = sources.fetch_module(go, folder, *sources.KARPENTER)
    snapshot = sources.read_snapshot(sources.fetch_module(go, folder, *sources.SNAPSHOT))
    tables = sources.read_prices(karpenter)
    prices = Prices(tables, snapshot)
    branch, bandwidth = sources.read_branch_interfaces(karpenter), sources.read_bandwidth(karpenter)
    regions = list_regions(sources.read_offerings(moto), tables)
    rows = sources.read_gzip(moto / "resources" / "instance_types.json.gz")
    types = [rows[name] for name in sorted(rows) if architecture(rows[name])]

    lines = ["tenon-ec2-catalogue\t1", f"source\tmoto {sources.MOTO}"]
    lines += [f"source\t{module} {version}" for module, version in (sources.KARPENTER, sources.SNAPSHOT)]
    lines.append("columns\t" + "\t".join(COLUMNS))
    for name, zones, _ in regions:
        currency = "CNY" if name.startswith("cn-") else "USD"
        lines.append(f"region\t{name}\t{currency}\t" + ",".join(f"{zone}={zones[zone]}" for zone in sorted(zones)))
    for family in sorted({family_of(row["InstanceType"]) for row in types}):
        lines.append(f"family\t{family}\t{prices.spot_percent(family)}")
    lines += [type_line(row, regions, prices, branch, bandwidth) for row in types]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the committed file, write nothing")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tenon-catalogue-") as folder:
        text = generate(Path(folder))
    if not arguments.check:
        OUTPUT.parent.mkdir(parents=True, exist_ok=True)
        OUTPUT.write_text(text)
        print(f"{OUTPUT}: {len(text.encode())} bytes, {text.count(chr(10) + 'type')} types")
        return 0
    if OUTPUT.read_text() == text:
        print(f"{OUTPUT}: up to date")
        return 0
    print(f"{OUTPUT}: differs from what the sources give; run {Path(__file__).name} and commit the result",
          file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
