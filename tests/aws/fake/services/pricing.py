"""The price list: GetProducts, whose products are JSON in strings."""

import hashlib
import json

from tests.aws.fake.errors import Fault, NotPlayed
from tests.aws.fake.handlers import action
from tests.aws.fake.services.ec2.pages import page


@action("pricing", "GetProducts")
def get_products(context, ServiceCode, Filters=(), FormatVersion="aws_v1", NextToken=None, MaxResults=100):
    if ServiceCode != "AmazonEC2":
        raise NotPlayed(f"prices of {ServiceCode}")
    wanted = {}
    for one in Filters:
        if one["Type"] != "TERM_MATCH":
            raise NotPlayed(f"filters of type {one['Type']}")
        wanted[one["Field"]] = one["Value"]
    context.params.setdefault("MaxResults", 100)
    rows = [row for row in products(context, wanted.get("regionCode")) if is_wanted(row[1], wanted)]
    try:
        shown, token = page(context, rows, lambda row: row[0], most=100)
    except Fault as fault:
        raise Fault("InvalidNextTokenException", fault.message) from fault
    return {"FormatVersion": "aws_v1", "NextToken": token, "PriceList": [print_product(context, *row) for row in shown]}


def is_wanted(attributes, wanted):
    """Fields are compared without regard to case: the attribute is servicecode, clients ask for serviceCode."""
    by_field = {field.lower(): text for field, text in attributes.items()}
    return all(by_field.get(field.lower(), "").lower() == value.lower() for field, value in wanted.items())


def products(context, region_name):
    """(sku, attributes, price) of each type of a region that has a price; for people's sake only Linux."""
    world = context.fake.world
    if region_name not in world.region_names:
        return
    for name in world.region(region_name).offerings:
        price = world.catalogue.on_demand(region_name, name)
        if price is None:
            continue
        bare = world.catalogue.types[name]["BareMetal"]
        for tenancy in ("Dedicated", "Shared"):
            sku = hashlib.sha256(f"{region_name}/{name}/{tenancy}".encode()).hexdigest()[:16].upper()
            yield sku, {
                "servicecode": "AmazonEC2", "regionCode": region_name, "instanceType": name, "tenancy": tenancy,
                "productFamily": "Compute Instance (bare metal)" if bare else "Compute Instance",
                "operatingSystem": "Linux", "preInstalledSw": "NA", "capacitystatus": "Used", "marketoption": "OnDemand",
                "locationType": "AWS Region", "licenseModel": "No License required", "currentGeneration": "Yes",
            }, price * (1.06 if tenancy == "Dedicated" and not bare else 1)


def print_product(context, sku, attributes, price):
    currency = "CNY" if attributes["regionCode"].startswith("cn-") else "USD"
    own = {key: value for key, value in attributes.items() if key != "productFamily"}
    term, rate = f"{sku}.JRTCKXETXF", f"{sku}.JRTCKXETXF.6YS6EN2CT7"
    return json.dumps({
        "product": {"productFamily": attributes["productFamily"], "attributes": own, "sku": sku},
        "serviceCode": "AmazonEC2", "version": "20261101000000", "publicationDate": "2026-11-01T00:00:00Z",
        "terms": {"OnDemand": {term: {
            "sku": sku, "offerTermCode": "JRTCKXETXF", "effectiveDate": "2026-11-01T00:00:00Z", "termAttributes": {},
            "priceDimensions": {rate: {
                "rateCode": rate, "unit": "Hrs", "beginRange": "0", "endRange": "Inf", "appliesTo": [],
                "description": f"{price:.10f} {currency} per On Demand Linux {attributes['instanceType']} Instance Hour",
                "pricePerUnit": {currency: f"{price:.10f}"}}}}}}})
