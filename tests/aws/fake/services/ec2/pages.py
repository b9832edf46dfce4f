"""Pages of Describe calls. A token names the last element that was given, so that pages stay right while things change."""

import base64
import binascii
import hashlib
import json

from tests.aws.fake.errors import Fault


def page(context, resources, key, default=None, most=1000, least=None):
    """(the resources of this page, the token of the next or None); sorted by `key(resource)`, a text.

    `default`: the size of a page that was asked for without MaxResults (None: all). More than `most` are `most`;
    less than `least` are refused."""
    size, token = context.params.get("MaxResults"), context.params.get("NextToken")
    if size is not None and least is not None and not least <= size <= most:
        relation, bound = ("greater than", least) if size < least else ("less than", most)
        raise Fault("InvalidParameterValue",
                    f"Value ( {size} ) for parameter maxResults is invalid. Expecting a value {relation} {bound}.")
    ordered = sorted(resources, key=key)
    if token:
        last = read_token(context, token)
        ordered = [resource for resource in ordered if key(resource) > last]
    size = min(size, most) if size is not None else default
    if size is None or len(ordered) <= size:
        return ordered, None
    return ordered[:size], make_token(context, key(ordered[size - 1]))


def question(context):
    """What must be asked again, unchanged, with a token."""
    asked = {key: value for key, value in context.params.items() if key not in ("NextToken", "MaxResults", "DryRun")}
    text = json.dumps([context.operation.name, asked], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def make_token(context, last):
    return base64.urlsafe_b64encode(json.dumps([question(context), last]).encode()).decode()


def read_token(context, token):
    try:
        asked, last = json.loads(base64.urlsafe_b64decode(token))
    except (ValueError, binascii.Error) as error:
        raise Fault("InvalidNextToken", "The specified NextToken is not valid") from error
    if asked != question(context):
        raise Fault("InvalidNextToken", "The specified NextToken belongs to another request")
    return last


def refuse_size_with_ids(context, ids, wire_name):
    """EC2 gives no pages of what was asked for by id."""
    if ids and "MaxResults" in context.params:
        raise Fault("InvalidParameterCombination",
                    f"The parameter {wire_name} cannot be used with the parameter maxResults")
