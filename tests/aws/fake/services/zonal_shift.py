"""ARC zonal shift: which zones traffic, and so tenon, should leave."""

from urllib.parse import unquote

from tests.aws.fake.errors import Fault
from tests.aws.fake.handlers import action


@action("arc-zonal-shift", "GetManagedResource")
def get_managed_resource(context, resourceIdentifier):
    arn = unquote(resourceIdentifier)
    known = {cluster["arn"]: cluster["name"] for cluster in context.region.clusters.values()}
    if arn not in known:
        raise Fault("ResourceNotFoundException", f"The managed resource {arn} was not found.", 404)
    shifts = [shift for shift in context.region.shifts.get(arn, {}).values() if shift["expiryTime"] > context.now]
    gone = {shift["awayFrom"] for shift in shifts if shift["appliedStatus"] == "APPLIED"}
    return {"arn": arn, "name": known[arn], "autoshifts": [], "zonalShifts": shifts,
            "appliedWeights": {zone: 0.0 if zone in gone else 1.0 for zone in context.region.zones.values()},
            "zonalAutoshiftStatus": "DISABLED"}


def start(region, arn, zone_id, now, seconds, applied=True):
    """A shift away from a zone; it replaces the one of the same zone."""
    number = f"{region.ids.getrandbits(32):08x}"
    region.shifts.setdefault(arn, {})[zone_id] = {
        "appliedStatus": "APPLIED" if applied else "NOT_APPLIED", "awayFrom": zone_id, "comment": "a test's",
        "expiryTime": now + seconds, "resourceIdentifier": arn, "startTime": now,
        "zonalShiftId": f"{number}-0000-4000-8000-000000000000", "shiftType": "ZONAL_SHIFT"}


def cancel(region, arn, zone_id):
    region.shifts.get(arn, {}).pop(zone_id, None)
