"""Scalars of forms, paths and XML: text into Python's values and back."""

import base64
import binascii
import re
from datetime import datetime

from tests.aws.fake.clock import iso

INTEGER = re.compile(r"-?[0-9]{1,19}")


def parse(kind, text):
    """The value of a scalar's text; ValueError says what was expected."""
    try:
        return PARSERS[kind](text)
    except (ValueError, binascii.Error) as error:
        raise ValueError(f"not a valid {kind}") from error


def parse_integer(text):
    if not INTEGER.fullmatch(text):
        raise ValueError(text)
    return int(text)


def parse_boolean(text):
    return {"true": True, "false": False}[text] if text in ("true", "false") else fail(text)


def fail(text):
    raise ValueError(text)


def parse_time(text):
    """Seconds since 1970."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


PARSERS = {"string": str, "integer": parse_integer, "long": parse_integer, "boolean": parse_boolean, "float": float,
           "double": float, "timestamp": parse_time, "blob": lambda text: base64.b64decode(text, validate=True)}


def print_number(value):
    """12.5 as 12.5, and 3.0 as 3.0: the way that the services write them."""
    return repr(float(value))


PRINTERS = {"integer": str, "long": str, "boolean": lambda value: "true" if value else "false", "float": print_number,
            "double": print_number, "timestamp": iso, "blob": lambda value: base64.b64encode(value).decode()}
