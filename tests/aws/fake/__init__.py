"""A strict fake of the AWS services that tenon uses; README.md."""

from tests.aws.fake.fake import Fake

__all__ = ["Fake"]
