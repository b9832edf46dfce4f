"""SQS: queues whose messages become visible again when nobody deletes them in time."""

import hashlib
import itertools
import json
import threading
from dataclasses import dataclass

from tests.aws.fake.errors import Fault
from tests.aws.fake.handlers import action

LONG_POLL_MAX = 20
VISIBILITY_MAX = 43200


@dataclass
class Message:
    id: str
    body: str
    sent: float
    visible: float          # when it may be received next
    received: int = 0
    first_received: float = None
    receipt: str = None


class Queue:
    """`clock`: the fake's; `lock`: the one that handlers hold. Messages older than `retention` seconds are gone."""

    def __init__(self, name, url, clock, lock, visibility=30, retention=345600):
        self.name, self.url, self.clock = name, url, clock
        self.visibility, self.retention, self.policy, self.key = visibility, retention, None, None
        self.messages = {}
        self.deleted = 0
        self._numbers, self._arrived = itertools.count(1), threading.Condition(lock)

    def put(self, body, delay=0):
        now, number = self.clock.now(), next(self._numbers)
        name = hashlib.md5(f"{self.url}/{number}".encode()).hexdigest()
        message = Message(f"{name[:8]}-{name[8:12]}-{name[12:16]}-{name[16:20]}-{name[20:]}", body, now, now + delay)
        with self._arrived:
            self.messages[message.id] = message
            self._arrived.notify_all()
        return message

    def receive(self, most, visibility, wait):
        """Up to `most` messages, hidden for `visibility` seconds; waits for the first. The lock is held by the caller."""
        until = self.clock.now() + wait
        while True:
            now = self.clock.now()
            self._forget(now)
            ready = list(itertools.islice((one for one in self.messages.values() if one.visible <= now), most))
            if ready or now >= until:
                return [self._hand_out(one, now, visibility) for one in ready]
            self._arrived.wait(min(until - now, 0.1))

    def _forget(self, now):
        """The oldest come first."""
        while self.messages and next(iter(self.messages.values())).sent + self.retention <= now:
            del self.messages[next(iter(self.messages))]

    def _hand_out(self, message, now, visibility):
        message.received += 1
        message.first_received = message.first_received or now
        message.visible = now + visibility
        message.receipt = f"{message.id}#{message.received}"
        return message

    def delete(self, receipt):
        """An old receipt of a message that was received again since deletes it, too, or nothing: both are success."""
        message_id, mark, number = receipt.partition("#")
        if not mark or not number.isdigit():
            raise Fault("ReceiptHandleIsInvalid", f'The input receipt handle "{receipt}" is not a valid receipt handle.')
        if self.messages.pop(message_id, None):
            self.deleted += 1


def find(context, url):
    found = next((queue for queue in context.region.queues.values() if queue.url.endswith(path_of(url))), None)
    if not found:
        raise no_queue()
    return found


def path_of(url):
    """/ACCOUNT/NAME of a queue's URL: clients may reach the fake by another host's name."""
    return "/" + "/".join(url.split("/")[-2:])


def no_queue():
    return Fault("QueueDoesNotExist", "The specified queue does not exist.")


@action("sqs", "GetQueueUrl")
def get_queue_url(context, QueueName, QueueOwnerAWSAccountId=None):
    if QueueName not in context.region.queues:
        raise no_queue()
    return {"QueueUrl": context.region.queues[QueueName].url}


@action("sqs", "GetQueueAttributes")
def get_queue_attributes(context, QueueUrl, AttributeNames=()):
    queue = find(context, QueueUrl)
    has = {"VisibilityTimeout": str(queue.visibility), "MessageRetentionPeriod": str(queue.retention),
           "QueueArn": context.region.arn("sqs", queue.name),
           "SqsManagedSseEnabled": "false" if queue.key else "true"}
    has |= {name: value for name, value in (("Policy", queue.policy), ("KmsMasterKeyId", queue.key)) if value}
    shown = {name: value for name, value in has.items() if name in AttributeNames or "All" in AttributeNames}
    return {"Attributes": shown} if shown else {}


@action("sqs", "SetQueueAttributes")
def set_queue_attributes(context, QueueUrl, Attributes):
    queue = find(context, QueueUrl)
    if unknown := set(Attributes) - {"Policy", "KmsMasterKeyId", "SqsManagedSseEnabled"}:
        raise Fault("InvalidAttributeName", f"Unknown Attribute {sorted(unknown)[0]}.")
    if (policy := Attributes.get("Policy")) and not is_policy(policy):
        raise Fault("InvalidAttributeValue", "Invalid value for the parameter Policy.")
    queue.policy = Attributes.get("Policy", queue.policy) or None
    queue.key = Attributes.get("KmsMasterKeyId", queue.key) or None


def is_policy(text):
    try:
        return "Statement" in json.loads(text)
    except (ValueError, TypeError):
        return False


def sender_policy(arn):
    """What Karpenter's template allows EventBridge, and, as the console does, denies whoever does not encrypt."""
    allow = {"Effect": "Allow", "Principal": {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]},
             "Action": "sqs:SendMessage", "Resource": arn}
    deny = {"Effect": "Deny", "Principal": "*", "Action": "sqs:*", "Resource": arn,
            "Condition": {"Bool": {"aws:SecureTransport": "false"}}}
    return json.dumps({"Version": "2012-10-17", "Statement": [allow, deny]})


def check_range(name, value, least, most):
    if not least <= value <= most:
        raise Fault("InvalidParameterValue", f"Value {value} for parameter {name} is invalid. Reason: Must be between "
                                             f"{least} and {most}, if provided.")


@action("sqs", "ReceiveMessage")
def receive_message(context, QueueUrl, MaxNumberOfMessages=1, VisibilityTimeout=None, WaitTimeSeconds=0,
                    AttributeNames=(), MessageSystemAttributeNames=(), MessageAttributeNames=(),
                    ReceiveRequestAttemptId=None):
    queue = find(context, QueueUrl)
    check_range("MaxNumberOfMessages", MaxNumberOfMessages, 1, 10)
    check_range("WaitTimeSeconds", WaitTimeSeconds, 0, LONG_POLL_MAX)
    visibility = queue.visibility if VisibilityTimeout is None else VisibilityTimeout
    check_range("VisibilityTimeout", visibility, 0, VISIBILITY_MAX)
    messages = queue.receive(MaxNumberOfMessages, visibility, WaitTimeSeconds)
    names = {*AttributeNames, *MessageSystemAttributeNames}
    return {"Messages": [describe(message, names) for message in messages]} if messages else {}


def describe(message, names):
    attributes = {"SentTimestamp": milliseconds(message.sent), "ApproximateReceiveCount": str(message.received),
                  "ApproximateFirstReceiveTimestamp": milliseconds(message.first_received), "SenderId": "AIDAFAKE"}
    shown = {name: value for name, value in attributes.items() if name in names or "All" in names}
    return {"MessageId": message.id, "ReceiptHandle": message.receipt, "Body": message.body,
            "MD5OfBody": hashlib.md5(message.body.encode()).hexdigest(), "Attributes": shown or None}


def milliseconds(seconds):
    return str(int(seconds * 1000))


@action("sqs", "DeleteMessage")
def delete_message(context, QueueUrl, ReceiptHandle):
    find(context, QueueUrl).delete(ReceiptHandle)


@action("sqs", "SendMessage")
def send_message(context, QueueUrl, MessageBody, DelaySeconds=0):
    message = find(context, QueueUrl).put(MessageBody, DelaySeconds)
    return {"MessageId": message.id, "MD5OfMessageBody": hashlib.md5(MessageBody.encode()).hexdigest()}
