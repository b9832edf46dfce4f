"""What tests do to the fake: as methods of `fake.control`, and as POST /_fake/METHOD with the arguments as JSON.

GET works for what only reads: /_fake/calls?action=CreateFleet&since=12, /_fake/metrics, /_fake/instances. A region is named
by `region`; without it the fake's own is meant. A wrong argument is answered with 400 and what is wrong.
"""

import json
from urllib.parse import parse_qsl

from tests.aws.fake.control.calls import Calls
from tests.aws.fake.control.capacity import Capacity
from tests.aws.fake.control.identities import Identities
from tests.aws.fake.control.instances import Instances
from tests.aws.fake.control.things import Things

READS = {"calls", "totals", "metrics", "instances", "templates", "queue", "faults", "state"}


class Control(Calls, Identities, Capacity, Instances, Things):
    """All parts together."""


def answer(control, request):
    """(status, content type, text) of a request to /_fake/…"""
    name = request.path.removeprefix("/_fake/").strip("/")
    method = None if name.startswith("_") else getattr(control, name, None)
    if not method:
        return 404, "application/json", json.dumps({"error": f"no control {name!r}"})
    if request.method != "POST" and name not in READS:
        return 405, "application/json", json.dumps({"error": f"{name} changes things: POST it"})
    found = method(**(json.loads(request.body) if request.body else dict(parse_qsl(request.query))))
    if name == "metrics":
        return 200, "text/plain; version=0.0.4", found
    return 200, "application/json", json.dumps(found, default=str)
