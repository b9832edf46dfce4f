"""tenon's signatures beside botocore's signer, and the vectors of Signature Version 4 that botocore's tests have."""

import calendar
import datetime
import os
import random
import time
from unittest import mock
from urllib.parse import quote

from botocore import auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

ACCESS_KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
REGION, SERVICE = "us-east-1", "service"
RANDOM_REQUESTS = 1000

# What a vector has that no request of tenon's can have.
LEFT_OUT = {"post-sts-header-after": "the token is added after signing; tenon signs it"}


def run(driver, folder, options):
    """[passed, failed]"""
    count = [0, 0]
    for path, _, files in sorted(os.walk(folder)):
        name = os.path.basename(path)
        if f"{name}.req" in files and name not in LEFT_OUT:
            judge(count, name, *vector(driver, os.path.join(path, name)))
    random_ = random.Random(f"{options.seed}:signatures")
    for number in range(RANDOM_REQUESTS):
        judge(count, f"request {number}", *drawn(driver, random_))
    return count


def judge(count, name, mine, theirs):
    count[mine != theirs] += 1
    if mine != theirs:
        print(f"signature {name}:\n    tenon    {mine}\n    expected {theirs}")


def vector(driver, path_of):
    with open(path_of + ".req", encoding="utf-8") as file:
        head, _, body = file.read().partition("\n\n")
    with open(path_of + ".authz", encoding="utf-8") as file:
        theirs = file.read()
    first, *lines = head.rstrip("\n").split("\n")
    method, target = first.rsplit(" ", 1)[0].split(" ", 1)
    headers = []
    for line in lines:
        if line[0] in " \t":
            headers[-1][1] += "\n" + line
        else:
            headers.append(list(line.split(":", 1)))
    given = {name.lower(): value for name, value in headers}
    own = {"host", "x-amz-date", "x-amz-security-token"}
    at = calendar.timegm(time.strptime(given["x-amz-date"], "%Y%m%dT%H%M%SZ"))
    path_, _, query = target.partition("?")
    mine = driver.ask(do="sign", method=method, host=given["host"], path=path_, query=query, body=body,
                      headers=[pair for pair in headers if pair[0].lower() not in own], region=REGION, service=SERVICE,
                      wall_s=at, access_key=ACCESS_KEY, secret=SECRET,
                      session_token=given.get("x-amz-security-token") or token_of(path_of))
    return mine["Authorization"], theirs


def token_of(path):
    """The session token that a vector's request gets when it is signed."""
    with open(path + ".sreq", encoding="utf-8") as file:
        found = [line.partition(":")[2] for line in file if line.lower().startswith("x-amz-security-token:")]
    return found[0].strip() if found else ""


def drawn(driver, random_):
    """A random request of a random service, as tenon and as botocore sign it."""
    word = lambda letters, most: "".join(random_.choice(letters) for _ in range(random_.randint(1, most)))
    plain = "abcdefghijklmnopqrstuvwxyz0123456789"
    service, region = random_.choice(["ec2", "iam", "eks", "arc-zonal-shift", "pricing"]), f"us-{word(plain, 6)}-1"
    host = f"{word(plain, 9)}.example.com" + random_.choice(["", ":8443"])
    path = "/" + "/".join(quote(word(plain + ":/ +%é.~_-", 9), safe="") for _ in range(random_.randint(0, 4)))
    pairs = sorted((quote(word(plain + "/ =&é", 5), safe=""), quote(word(plain + "/ =&é", 5), safe=""))
                   for _ in range(random_.randint(0, 3)))
    query = "&".join(f"{name}={value}" for name, value in pairs)
    headers = [["Content-Type", "application/x-www-form-urlencoded; charset=utf-8"], ["X-Amz-Target", word(plain, 20)],
               ["X-" + word(plain, 5), f" {word(plain + '  ', 12)} "]]
    body, token = word(plain + "=&%é\n", 200), random_.choice(["", word(plain + "/+=", 300)])
    at = random_.randint(0, 2**32)
    access_key, secret = word(plain, 20).upper(), word(plain + "/+", 40)
    mine = driver.ask(do="sign", method="POST", host=host, path=path, query=query, headers=headers, body=body,
                      region=region, service=service, wall_s=at, access_key=access_key, secret=secret,
                      session_token=token)
    request = AWSRequest("POST", f"https://{host}{path}" + (f"?{query}" if query else ""), data=body.encode())
    for name, value in headers:
        request.headers[name] = value
    now = datetime.datetime.fromtimestamp(at, datetime.timezone.utc).replace(tzinfo=None)
    with mock.patch("botocore.auth.get_current_datetime", return_value=now):
        auth.SigV4Auth(Credentials(access_key, secret, token or None), service, region).add_auth(request)
    theirs = {name: request.headers[name] for name in mine if name in request.headers}
    return mine, theirs
