"""The services, as botocore's models describe them, and which of them a request is for."""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from botocore.loaders import Loader
from botocore.model import ServiceModel

NAMES = ("ec2", "iam", "sts", "ssm", "sqs", "pricing", "eks", "arc-zonal-shift", "events")


@dataclass
class Service:
    name: str
    model: ServiceModel
    protocol: str           # ec2, query, json or rest-json
    signing_name: str
    version: str
    target: str             # the prefix of X-Amz-Target, of protocol json
    content_type: str
    query_compatible: bool  # errors carry the code of the former query protocol in a header
    routes: list = field(default_factory=list)      # of protocol rest-json: method, pattern of the path, operation

    @property
    def namespace(self):
        return self.model.metadata["xmlNamespace"]

    def operation(self, name):
        """The model of an operation, None where the service has none of that name."""
        return self.model.operation_model(name) if name in self.model.operation_names else None


@lru_cache(1)
def load():
    """All services by name; read once in a process."""
    loader = Loader()
    return {name: read(name, ServiceModel(loader.load_service_model(name, "service-2"), name)) for name in NAMES}


def read(name, model):
    about = model.metadata
    content_type = f"application/x-amz-json-{about['jsonVersion']}" if about["protocol"] == "json" else "application/json"
    service = Service(name, model, about["protocol"], model.signing_name, about["apiVersion"],
                      about.get("targetPrefix", ""), content_type, "awsQueryCompatible" in about)
    if service.protocol == "rest-json":
        for operation in model.operation_names:
            http = model.operation_model(operation).http
            path = http["requestUri"].split("?")[0].rstrip("/") or "/"
            pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(path))
            service.routes.append((http["method"], re.compile(pattern + "/?"), operation))
    return service


def find(services, request, form, scope_service):
    """The service that a request is for, and the name of the operation; (None, "") where nothing tells."""
    target = request.headers.get("x-amz-target", "")
    if target:
        prefix, _, operation = target.partition(".")
        return next((s for s in services.values() if s.target == prefix), None), operation
    if form:
        versions = {s.version: s for s in services.values() if s.protocol in ("ec2", "query")}
        named = next((s for s in services.values() if s.signing_name == scope_service), None)
        return versions.get(form.get("Version"), named), form.get("Action", "")
    for service in services.values():
        if service.routes and service.signing_name == scope_service:
            return service, find_route(service, request)
    return None, ""


def find_route(service, request):
    return next((name for method, pattern, name in service.routes
                 if method == request.method and pattern.fullmatch(request.path)), "")


def documented_filters(operation):
    """The names of filters that the documentation of an EC2 operation lists."""
    member = operation.input_shape.members.get("Filters")
    return set(re.findall(r"<li> <p> <code>([^<]+)</code>", member.documentation)) if member else set()
