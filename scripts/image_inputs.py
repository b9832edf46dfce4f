#!/usr/bin/env python3
"""What the image is made from besides this tree: Debian's packages and sources, by version and hash.

    scripts/image_inputs.py fetch amd64 FOLDER    downloads them, unpacks packages into FOLDER/root, sources into FOLDER/source
    scripts/image_inputs.py lock                  writes deploy/image/packages.lock anew, with what Debian has now

apt runs with folders of its own, for each architecture, and this machine's list of Debian's archives: nothing is installed, and no
right is needed. A file whose hash is not in the lock ends it: Debian keeps only the newest of each, so renew the lock then.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "deploy" / "image" / "packages.lock"
SOURCES_OF_APT = Path("/etc/apt/sources.list.d")
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tenon" / "image"
ARCHITECTURES = ("amd64", "arm64")

# Built with less than Debian's packages: curl, libmicrohttpd and its GnuTLS without what their shared libraries drag along; simdjson,
# which Debian has as a shared library only.
BUILT = ["curl", "gnutls28", "libmicrohttpd", "simdjson"]
# Linked statically as they are.
LINKED = ["coinor-libclp-dev", "coinor-libcoinutils-dev", "libblas-dev", "libbz2-dev", "libexpat1-dev",
          "libgcc-12-dev", "libgfortran-12-dev", "libgmp-dev", "liblapack-dev", "libssl-dev", "libtasn1-6-dev", "libxxhash-dev",
          "libyaml-dev", "nettle-dev", "zlib1g-dev"]
# Go into the image as files.
SHIPPED = ["ca-certificates", "libc6", "libgcc-s1"]
# What the unit tests of another architecture than this machine's need besides; not in the image.
TESTED = ["libcmocka0", "libcmocka-dev"]
HEAD = """\
# What the image is made from: scripts/image_inputs.py lock. Columns: what it is, architecture, package, version, file, SHA-256.
"""


class InputsError(Exception):
    """The inputs cannot be had as the lock has them; the text says what to do."""


def codename():
    return re.search(r"^VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text(encoding="ascii"), re.M).group(1)


def archives():
    """Lines of a sources.list for this release's archives, packages and sources."""
    code = codename()
    for path in sorted(SOURCES_OF_APT.glob("*.sources")):
        for stanza in path.read_text(encoding="utf-8").split("\n\n"):
            fields = dict(re.findall(r"^([A-Za-z-]+): *(.*)$", stanza, re.M))
            signed = f" [signed-by={fields['Signed-By']}]" if "Signed-By" in fields else ""
            for suite in fields.get("Suites", "").split():
                if suite.split("-")[0] == code:
                    yield from (f"{kind}{signed} {fields['URIs']} {suite} main" for kind in ("deb", "deb-src"))


class Apt:
    """apt for one architecture in folders of its own."""

    def __init__(self, architecture):
        self.folder = CACHE / "apt" / architecture
        for part in ("state/lists/partial", "cache/archives/partial"):
            (self.folder / part).mkdir(parents=True, exist_ok=True)
        lines = list(archives())
        if not lines:
            raise InputsError(f"no archives of Debian's {codename()} in {SOURCES_OF_APT}/*.sources")
        (self.folder / "sources.list").write_text("\n".join(lines) + "\n", encoding="utf-8")
        settings = {"Dir::State": self.folder / "state", "Dir::State::status": "/dev/null", "Dir::Cache": self.folder / "cache",
                    "Dir::Etc::sourcelist": self.folder / "sources.list", "Dir::Etc::sourceparts": "-",
                    "APT::Architecture": architecture, "APT::Architectures::": architecture, "Debug::NoLocking": "1"}
        self.words = ["apt-get", "--quiet=2", *(word for name, value in settings.items() for word in ("-o", f"{name}={value}"))]

    def run(self, *words, folder=None):
        return subprocess.run([*self.words, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=True).stdout

    def update(self):
        self.run("update")

    def offers(self, kind, names):
        """(package, version, file, hash) of packages ("download") or sources ("source") as they are now."""
        for name in names:
            for file, digest in re.findall(r"^'[^']+' (\S+) \d+ SHA256:(\w+)", self.run(
                    kind, "--print-uris", *(["--download-only"] if kind == "source" else []), name), re.M):
                yield name, file.split("_")[1].removesuffix(".dsc"), file, digest


def write_lock():
    rows = []
    for architecture in ARCHITECTURES:
        apt = Apt(architecture)
        apt.update()
        for kind, names in (("package", LINKED + SHIPPED), ("test", TESTED)):
            rows += [(kind, architecture, *row) for row in apt.offers("download", sorted(names))]
    rows += [("source", "all", *row) for row in apt.offers("source", BUILT) if not row[2].endswith(".asc")]
    LOCK.write_text(HEAD + "".join(" ".join(row) + "\n" for row in rows), encoding="ascii")


def locked(architecture):
    """Rows of the lock for an architecture, as dicts."""
    names = ("kind", "architecture", "package", "version", "file", "sha256")
    for line in LOCK.read_text(encoding="ascii").splitlines():
        if line and not line.startswith("#"):
            row = dict(zip(names, line.split(), strict=True))
            if row["architecture"] in (architecture, "all"):
                yield row


def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def is_there(path, row):
    return path.is_file() and digest_of(path) == row["sha256"]


def download(apt, rows, folder):
    folder.mkdir(parents=True, exist_ok=True)
    missing = sorted({(row["kind"], row["package"]) for row in rows if not is_there(folder / row["file"], row)})
    if missing:
        apt.update()
    for kind, name in missing:
        apt.run(*(["source", "--download-only"] if kind == "source" else ["download"]), name, folder=folder)
    wrong = [row["file"] for row in rows if not is_there(folder / row["file"], row)]
    if wrong:
        raise InputsError(f"not as {LOCK.relative_to(ROOT)} has them: {', '.join(wrong)}. Debian has newer ones: run "
                          "`scripts/image_inputs.py lock`, look at what changed, and build again")


def unpack(rows, files, folder):
    for row in rows:
        if row["kind"] != "source":
            subprocess.run(["dpkg-deb", "--extract", files / row["file"], folder / "root"], check=True)
        elif row["file"].endswith(".dsc"):
            subprocess.run(["dpkg-source", "--no-check", "--extract", files / row["file"], folder / "source" / row["package"]],
                           stdout=subprocess.DEVNULL, check=True)
    # What has both is linked statically.
    for path in (folder / "root" / "usr" / "lib").rglob("lib*.so"):
        if path.with_suffix(".a").exists():
            path.unlink()


def fetch(architecture, folder):
    rows = list(locked(architecture))
    files = CACHE / "files"
    download(Apt(architecture), rows, files)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "source").mkdir(parents=True)
    unpack(rows, files, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["fetch", "lock"])
    parser.add_argument("architecture", nargs="?", choices=ARCHITECTURES)
    parser.add_argument("folder", nargs="?", type=Path)
    options = parser.parse_args()
    try:
        if options.what == "lock":
            write_lock()
        else:
            fetch(options.architecture, options.folder)
    except (InputsError, subprocess.CalledProcessError) as error:
        sys.exit(f"image_inputs.py: {error}")


if __name__ == "__main__":
    main()
