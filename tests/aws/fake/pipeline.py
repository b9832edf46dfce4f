"""The way of one call: whose it is, what is injected, whether it may pass, what it asks for, its effect, the reply."""

import logging
import time
import uuid
from dataclasses import dataclass

from tests.aws.fake.auth import signature
from tests.aws.fake.errors import Fault, NotPlayed
from tests.aws.fake.listener import Reply
from tests.aws.fake.rules import fault_of
from tests.aws.fake.wire import constraints, form, json_body, models, rest, xml

LOG = logging.getLogger("fake")


@dataclass
class Context:
    """What a handler knows of its call beside the parameters."""

    fake: object
    service: models.Service
    operation: object           # botocore's OperationModel
    identity: object
    region: object              # services.world.Region
    params: dict
    body_bytes: int = 0

    @property
    def now(self):
        return self.fake.clock.now()

    @property
    def account(self):
        return self.identity.account

    def dry_run(self):
        """Ends a call that only asks whether it would be allowed."""
        if self.params.get("DryRun"):
            raise Fault("DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412)


class Pipeline:
    def __init__(self, fake, handlers):
        """`handlers`: {(service, action): Handler}."""
        self.fake, self.handlers = fake, handlers
        self.services = models.load()
        self.xml = {name: xml.XmlWriter(service) for name, service in self.services.items()
                    if service.protocol in ("ec2", "query")}

    def answer(self, request):
        call = self.fake.calls.begin(self.fake.clock.now())
        began = time.monotonic()
        call.request_id = str(uuid.uuid4())
        call.method, call.path, call.body_bytes = request.method, request.path, len(request.body)
        call.user_agent = request.headers.get("user-agent", "")
        call.attempt = request.headers.get("amz-sdk-request", "")
        try:
            reply = self.serve(request, call)
        finally:
            call.seconds = time.monotonic() - began
            self.fake.calls.end(call)
        return reply

    def serve(self, request, call):
        service, hits = None, []
        try:
            parsed, scope, service = self.identify(request, call)
            hits = self.fake.rules.hit(f"{call.service}:{call.action}")
            if any(rule.effect == "drop" for rule in hits):
                return Reply(0, cut=-1)
            time.sleep(sum(rule.seconds for rule in hits if rule.effect == "delay"))
            for rule in hits:
                if rule.effect == "error":
                    raise fault_of(rule)
            reply = self.play(service, request, parsed, scope, call)
        except Fault as fault:
            reply = self.refuse(service, fault, call)
        except Exception as error:      # a bug of the fake: loud, in the log and in the reply
            LOG.exception("%s:%s", call.service, call.action)
            reply = self.refuse(service, Fault("InternalFailure", f"the fake failed: {error!r}", 500), call)
        call.status = reply.status
        return spoil(reply, hits, call)

    def identify(self, request, call):
        is_form = request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")
        parsed = form.read_form(request.body) if is_form else None
        scope = signature.read(request)
        service, call.action = models.find(self.services, request, parsed, scope.service if scope else "")
        if not service:
            raise Fault("UnknownOperationException", "no service that the fake plays takes this request", 404)
        call.service, call.region = service.name, scope.region if scope else ""
        call.access_key = scope.access_key if scope else ""
        return parsed, scope, service

    def play(self, service, request, parsed, scope, call):
        operation = service.operation(call.action)
        if not operation:
            raise unknown_operation(service, call.action)
        if service.protocol in ("ec2", "query") and parsed.get("Version") != service.version:
            raise Fault("NoSuchVersion", f"The requested version ({parsed.get('Version', '')}) of service "
                                         f"{service.name} does not exist")
        identity = self.fake.gate.check(service, call.action, request, scope)
        call.params = params = self.decode(service, operation, request, parsed)
        if service.name == "ec2":
            self.fake.throttle.check(identity.account, call.region, call.action, params)
        constraints.check(service, operation.input_shape, params)
        self.check_rights(service, call.action, identity)
        handler = self.handlers.get((service.name, call.action))
        if not handler:
            raise NotPlayed(f"{service.name}:{call.action}")
        unplayed = params.keys() - handler.params
        if unplayed:
            raise NotPlayed(f"{', '.join(sorted(unplayed))} of {service.name}:{call.action}")
        region = self.fake.world.region(call.region) if call.region in self.fake.world.region_names else None
        context = Context(self.fake, service, operation, identity, region, params, len(request.body))
        output = handler.run(context)
        return self.reply(service, operation, output or {}, call.request_id)

    def check_rights(self, service, action, identity):
        name = f"{service.signing_name}:{action}"
        if not self.fake.identities.is_denied(identity, name):
            return
        why = (f"User: {identity.arn if identity else 'anonymous'} is not authorized to perform: {name} "
               f"because no identity-based policy allows the {name} action")
        if service.protocol == "ec2":
            raise Fault("UnauthorizedOperation", f"You are not authorized to perform this operation. {why}", 403)
        if service.protocol == "query":
            raise Fault("AccessDenied", why, 403)
        raise Fault("AccessDeniedException", why, 403 if service.protocol == "rest-json" else 400)

    def decode(self, service, operation, request, parsed):
        if service.protocol in ("ec2", "query"):
            return form.decode(service.protocol, parsed, operation.input_shape)
        if service.protocol == "json":
            return json_body.decode(request.body, operation.input_shape)
        return rest.decode(service, operation, request)

    def reply(self, service, operation, output, request_id):
        if service.name in self.xml:
            body = self.xml[service.name].reply(operation, output, request_id)
            return Reply(200, body, {"Content-Type": "text/xml;charset=UTF-8", "x-amzn-RequestId": request_id})
        body = json_body.encode(output, operation.output_shape)
        return Reply(200, body, {"Content-Type": service.content_type, "x-amzn-RequestId": request_id})

    def refuse(self, service, fault, call):
        call.code = fault.code
        headers = {"x-amzn-RequestId": call.request_id}
        if service and service.name in self.xml:
            headers["Content-Type"] = "text/xml;charset=UTF-8"
            return Reply(fault.status, self.xml[service.name].error(fault, call.request_id), headers)
        body, more = json_body.error(service, fault)
        return Reply(fault.status, body, {**headers, **more})


def unknown_operation(service, action):
    if service.protocol == "ec2":
        if not action:
            return Fault("MissingAction", "The request must contain the parameter Action")
        return Fault("InvalidAction", f"The action {action} is not valid for this web service.")
    if service.protocol == "query":
        return Fault("InvalidAction", f"Could not find operation {action} for version {service.version}")
    return Fault("UnknownOperationException", "", 404 if service.protocol == "rest-json" else 400)


def spoil(reply, hits, call):
    """What is lost of a reply after its effect."""
    effects = {rule.effect for rule in hits}
    if "lose" in effects:
        reply.cut, call.status = -1, 0
    elif "cut" in effects:
        reply.cut = len(reply.body) // 2
    return reply
