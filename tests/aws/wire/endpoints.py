"""tenon's endpoints beside botocore's rules: its own cases, and all regions and services with all flags."""

import itertools
import json
import os

from botocore.endpoint_provider import EndpointProvider
from botocore.exceptions import BotoCoreError
from botocore.session import Session

from model import DATA_NAMES

SERVICES = ("ec2", "iam", "sts", "sqs", "ssm", "pricing", "eks", "arc-zonal-shift", "events")
IDS = {name: service_id for service_id, name in DATA_NAMES.items()}
URL = "https://example.test:8443/base"


def run(driver, folder):
    """[passed, failed]"""
    count = [0, 0]
    loader = Session().get_component("data_loader")
    partitions = loader.load_data("partitions")
    regions = sorted({region for one in partitions["partitions"] for region in one["regions"] if "global" not in region})
    for service in SERVICES:
        provider = EndpointProvider(loader.load_service_model(service, "endpoint-rule-set-1"), partitions)
        for region, fips, dual, url in itertools.product(regions + ["xx-future-9"], (False, True), (False, True), ("", URL)):
            judge(driver, count, service, {"Region": region, "UseFIPS": fips, "UseDualStack": dual, "Endpoint": url},
                  resolve(provider, region, fips, dual, url))
        with open(os.path.join(folder, service, "endpoint-tests-1.json"), encoding="utf-8") as file:
            for case in json.load(file)["testCases"]:
                params = case.get("params", {})
                # Only the SDKs' former way had a global endpoint; only what is sent to EventBridge may go to several regions.
                if not params.get("UseGlobalEndpoint") and "EndpointId" not in params:
                    judge(driver, count, service, params, expected(case["expect"]))
    return count


def resolve(provider, region, fips, dual, url):
    params = {"Region": region, "UseFIPS": fips, "UseDualStack": dual}
    try:
        endpoint = provider.resolve_endpoint(**params, **({"Endpoint": url} if url else {}))
    except BotoCoreError:
        return None
    schemes = endpoint.properties.get("authSchemes") or [{}]
    return endpoint.url, schemes[0].get("signingRegion") or (None if url else region)


def expected(said):
    """(URL, region that is signed for or None where the case does not say); None: an error."""
    if "endpoint" not in said:
        return None
    schemes = said["endpoint"].get("properties", {}).get("authSchemes") or [{}]
    return said["endpoint"]["url"], schemes[0].get("signingRegion")


def judge(driver, count, service, params, theirs):
    mine = driver.ask(do="endpoint", service=IDS.get(service, service), region=params.get("Region", ""),
                      url=params.get("Endpoint", ""), use_fips=params.get("UseFIPS", False),
                      use_dual_stack=params.get("UseDualStack", False))
    if not params.get("Region") and params.get("Endpoint"):
        return      # tenon always needs a region, to sign for it
    alike = "error" in mine if theirs is None else (
        mine.get("url") == theirs[0] and theirs[1] in (None, mine.get("signing_region")))
    count[not alike] += 1
    if not alike and count[1] <= 10:
        print(f"endpoint of {service} {params}:\n    tenon    {mine}\n    expected {theirs}")
