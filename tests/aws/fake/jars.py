#!/usr/bin/env python3
"""Fetches ElasticMQ and what it needs from Maven Central into a folder: jars.py FOLDER. What is there already is kept.

elasticmq.txt has a line for each file, "SHA256  PATH"; whatever has another sum is refused.
"""

import hashlib
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CENTRAL = "https://repo1.maven.org/maven2/"
TRIES = 3


def fetch(line, folder):
    wanted, path = line.split()
    file = folder / path.rpartition("/")[2]
    if file.exists() and hashlib.sha256(file.read_bytes()).hexdigest() == wanted:
        return
    data = download(CENTRAL + path)
    found = hashlib.sha256(data).hexdigest()
    if found != wanted:
        raise SystemExit(f"{CENTRAL}{path}: expected sha256 {wanted}, got {found}")
    file.write_bytes(data)


def download(url):
    for left in reversed(range(TRIES)):
        try:
            with urllib.request.urlopen(url, timeout=60) as reply:
                return reply.read()
        except OSError as error:
            if not left:
                raise SystemExit(f"{url}: {error}") from error
    return b""


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    lines = Path(__file__).with_name("elasticmq.txt").read_text(encoding="ascii").splitlines()
    with ThreadPoolExecutor(4) as pool:
        for _ in pool.map(lambda line: fetch(line, folder), lines):
            pass


if __name__ == "__main__":
    main()
