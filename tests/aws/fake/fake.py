"""The fake as an object: all its parts, its address, and the start and end of its server."""

import itertools
import json
import threading

from tests.aws.fake import catalogue, control, services
from tests.aws.fake.auth.gate import Gate
from tests.aws.fake.auth.identities import Identities
from tests.aws.fake.calls import Calls
from tests.aws.fake.clock import Clock
from tests.aws.fake.errors import Fault
from tests.aws.fake.furniture import Furniture
from tests.aws.fake.listener import Listener, Reply
from tests.aws.fake.pipeline import Pipeline
from tests.aws.fake.rules import Rules
from tests.aws.fake.services.ec2.deaths import Deaths
from tests.aws.fake.services.ec2.events import Events
from tests.aws.fake.services.metadata import Metadata
from tests.aws.fake.services.world import World
from tests.aws.fake.settings import Settings
from tests.aws.fake.throttle import Throttle

# The regions that have an endpoint of a service; the others have one in each.
ENDPOINTS = {"iam": {"us-east-1", "cn-north-1", "us-gov-west-1"},
             "pricing": {"us-east-1", "eu-central-1", "ap-south-1", "cn-northwest-1"}}


class Fake:
    """`with Fake(cluster="test") as fake:` serves at `fake.url` until the end of the block.

    `fake.control` has what tests do to it, the same that /_fake/ offers over HTTP."""

    def __init__(self, **settings):
        self.settings = Settings(**settings)
        self.lock = threading.RLock()
        self.clock = Clock()
        self.began = self.clock.now()
        self._iam_ids = itertools.count(1)
        self.calls, self.rules = Calls(), Rules(self.settings.seed)
        self.throttle = Throttle(self.settings.throttle)
        self.identities = Identities(self.clock)
        self.identities.add_user(self.settings.access_key, self.settings.secret)
        self.deaths, self.events = Deaths(), Events(self.clock)
        furniture = Furniture(self)
        self.world = World(catalogue.load(), furniture.furnish, self.settings.seed, self.settings.everywhere)
        self.gate = Gate(self.clock, self.identities,
                         lambda service: ENDPOINTS.get(service) or self.world.region_names)
        self.metadata = Metadata(self)
        self.control = control.Control(self)
        self.pipeline = Pipeline(self, services.HANDLERS)
        self.listener = Listener(self.settings.host, self.settings.port, self.answer, self.clock.wall)
        furniture.roles()

    @property
    def url(self):
        return self.listener.url

    def new_iam_id(self, prefix):
        return f"{prefix}FAKE{next(self._iam_ids):012}"

    def answer(self, request):
        if request.path.startswith("/_fake/"):
            return self.answer_control(request)
        return self.metadata.answer(request) or self.pipeline.answer(request)

    def answer_control(self, request):
        try:
            status, kind, text = control.answer(self.control, request)
        except (KeyError, TypeError, ValueError, AttributeError, Fault) as error:
            status, kind, text = 400, "application/json", json.dumps({"error": f"{type(error).__name__}: {error}"})
        return Reply(status, text.encode(), {"Content-Type": kind})

    def __enter__(self):
        self.listener.start()
        return self

    def __exit__(self, *_):
        self.listener.stop()

    def environment(self):
        """Variables that make a client of AWS use the fake."""
        return {"AWS_ENDPOINT_URL": self.url, "AWS_REGION": self.settings.region,
                "AWS_ACCESS_KEY_ID": self.settings.access_key, "AWS_SECRET_ACCESS_KEY": self.settings.secret,
                "AWS_EC2_METADATA_SERVICE_ENDPOINT": self.url}
