"""Filters of Describe calls: values with wildcards, tags, and which names there are.

A name that EC2's documentation does not list for the action is refused as EC2 does; one that it lists and this fake does
not know is refused as not played.
"""

import re
from functools import lru_cache

from tests.aws.fake.errors import Fault, NotPlayed
from tests.aws.fake.wire.models import documented_filters

VALUES_MAX = 200


def select(context, resources, filters, attributes, tags_of=None):
    """The resources that pass all filters.

    `attributes`: {filter's name: function(resource) -> a value or several}; `tags_of(resource)`: its tags as a dict."""
    tests = [make_test(context, one, attributes, tags_of) for one in filters]
    return [resource for resource in resources if all(test(resource) for test in tests)]


def make_test(context, one, attributes, tags_of):
    name, values = one.get("Name"), one.get("Values", [])
    if not name:
        raise Fault("InvalidParameterValue", "The filter 'null' is invalid")
    if len(values) > VALUES_MAX:
        raise Fault("FilterLimitExceeded",
                    f"The maximum number of filter values specified on a single call is {VALUES_MAX}")
    pattern = compile_values(tuple(values))
    value_of = tag_value(name, tags_of) if tags_of and name.startswith("tag") else attributes.get(name)
    if value_of is None:
        known = documented_filters(context.operation)
        raise NotPlayed(f"the filter {name}") if name in known else \
            Fault("InvalidParameterValue", f"The filter '{name}' is invalid")
    return lambda resource: any(pattern(text) for text in texts(value_of(resource)))


def tag_value(name, tags_of):
    if name.startswith("tag:"):
        return lambda resource: tags_of(resource).get(name[4:])
    return {"tag-key": lambda resource: tags_of(resource).keys(),
            "tag-value": lambda resource: tags_of(resource).values()}.get(name)


def texts(value):
    if value is None:
        return ()
    if isinstance(value, (str, int, float)):
        value = (value,)
    return [str(part).lower() if isinstance(part, bool) else str(part) for part in value]


@lru_cache(1000)
def compile_values(values):
    """A function that says whether a text is one of the values: * and ? are wildcards, a backslash takes their meaning."""
    plain = frozenset(value for value in values if not re.search(r"[*?\\]", value))
    wild = [re.compile(to_expression(value), re.DOTALL) for value in values if value not in plain]
    return lambda text: text in plain or any(expression.fullmatch(text) for expression in wild)


def to_expression(value):
    parts = re.findall(r"\\.|.", value, re.DOTALL)
    return "".join({"*": ".*", "?": "."}.get(part, re.escape(part[-1])) for part in parts)


def at_path(path):
    """Reads a value of a description: "ProcessorInfo.SupportedArchitectures"; lists on the way are walked."""
    names = path.split(".")

    def read(resource):
        found = [resource]
        for name in names:
            found = [part for one in found if isinstance(one, dict) and one.get(name) is not None
                     for part in (one[name] if isinstance(one[name], list) else [one[name]])]
        return found
    return read
