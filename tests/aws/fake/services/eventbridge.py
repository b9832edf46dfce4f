"""EventBridge: rules of the default event bus and their targets. What happens is sent by nobody: tests put it into queues."""

import json
from dataclasses import dataclass, field

from tests.aws.fake.errors import Fault, NotPlayed
from tests.aws.fake.handlers import action
from tests.aws.fake.services.ec2.pages import page

BUS = "default"
RULES_MAX, TARGETS_MAX = 300, 5
# What each event bus has of AWS's own: what Karpenter's guide makes rules for.
KARPENTER_EVENTS = {
    "Health": ("aws.health", "AWS Health Event"), "SpotInterruption": ("aws.ec2", "EC2 Spot Instance Interruption Warning"),
    "Rebalance": ("aws.ec2", "EC2 Instance Rebalance Recommendation"),
    "StateChange": ("aws.ec2", "EC2 Instance State-change Notification"),
    "ReservationInterruption": ("aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning")}


@dataclass
class EventRule:
    name: str
    arn: str
    pattern: str = None
    state: str = "ENABLED"
    description: str = None
    targets: dict = field(default_factory=dict)     # id: ARN


def pattern_of(source, kind):
    return json.dumps({"source": [source], "detail-type": [kind]})


def make(region, name, pattern, targets=(), state="ENABLED"):
    """A rule that sends to ARNs."""
    region.rules[name] = EventRule(name, region.arn("events", f"rule/{name}"), pattern, state,
                                   targets={f"Target{number}": arn for number, arn in enumerate(targets)})


def check_bus(name):
    if name.rsplit("/", 1)[-1] != BUS:
        raise Fault("ResourceNotFoundException", f"Event bus {name} does not exist.")


def check_pattern(text):
    try:
        pattern = json.loads(text)
    except ValueError as error:
        raise invalid_pattern("Invalid JSON") from error
    if not isinstance(pattern, dict):
        raise invalid_pattern("Filter is not an object")
    check_members(pattern)


def check_members(members):
    """Each member is a list of what it may be, or has members of its own."""
    for name, value in members.items():
        if isinstance(value, dict):
            check_members(value)
        elif not isinstance(value, list):
            raise invalid_pattern(f'"{name}" must be an object or an array')
        elif not value:
            raise invalid_pattern("Empty arrays are not allowed")


def invalid_pattern(reason):
    return Fault("InvalidEventPatternException", f"Event pattern is not valid. Reason: {reason}")


@action("events", "PutRule")
def put_rule(context, Name, EventPattern=None, State="ENABLED", Description=None, EventBusName=BUS):
    """The rule of that name is changed; its targets stay."""
    check_bus(EventBusName)
    if EventPattern is None:
        raise Fault("ValidationException", "Parameter(s) EventPattern or ScheduleExpression must be specified.")
    check_pattern(EventPattern)
    rules = context.region.rules
    if Name not in rules and len(rules) >= RULES_MAX:
        raise Fault("LimitExceededException", "The requested resource exceeds the maximum number allowed.")
    rule = rules.setdefault(Name, EventRule(Name, context.region.arn("events", f"rule/{Name}")))
    rule.pattern, rule.state, rule.description = EventPattern, State, Description
    return {"RuleArn": rule.arn}


@action("events", "PutTargets")
def put_targets(context, Rule, Targets, EventBusName=BUS):
    check_bus(EventBusName)
    if Rule not in context.region.rules:
        raise Fault("ResourceNotFoundException", f"Rule {Rule} does not exist on EventBus {BUS}.")
    unplayed = {name for target in Targets for name in target} - {"Id", "Arn"}
    if unplayed:
        raise NotPlayed(f"{', '.join(sorted(unplayed))} of targets")
    rule = context.region.rules[Rule]
    targets = {**rule.targets, **{target["Id"]: target["Arn"] for target in Targets}}
    if len(targets) > TARGETS_MAX:
        raise Fault("LimitExceededException", "The requested resource exceeds the maximum number allowed.")
    rule.targets = targets
    return {"FailedEntryCount": 0, "FailedEntries": []}


def describe(rule):
    return {"Name": rule.name, "Arn": rule.arn, "EventPattern": rule.pattern, "State": rule.state,
            "Description": rule.description, "EventBusName": BUS}


def events_page(context, rules, size, token):
    context.params = {key: value for key, value in context.params.items() if key not in ("Limit", "NextToken")}
    context.params.update(MaxResults=size, **({"NextToken": token} if token else {}))
    try:
        return page(context, rules, lambda rule: rule.name)
    except Fault as fault:
        raise Fault("ValidationException", "Provided token is not valid.") from fault


@action("events", "ListRules")
def list_rules(context, NamePrefix="", EventBusName=BUS, Limit=100, NextToken=None):
    check_bus(EventBusName)
    found = [rule for rule in context.region.rules.values() if rule.name.startswith(NamePrefix)]
    shown, token = events_page(context, found, Limit, NextToken)
    return {"Rules": [describe(rule) for rule in shown], "NextToken": token}


@action("events", "ListRuleNamesByTarget")
def list_rule_names_by_target(context, TargetArn, EventBusName=BUS, Limit=100, NextToken=None):
    check_bus(EventBusName)
    found = [rule for rule in context.region.rules.values() if TargetArn in rule.targets.values()]
    shown, token = events_page(context, found, Limit, NextToken)
    return {"RuleNames": [rule.name for rule in shown], "NextToken": token}
