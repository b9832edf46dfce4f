#!/usr/bin/env python3
"""Writes the container image as an OCI layout: no daemon, no root, the same bytes from the same input.

    scripts/image.py --output FOLDER --version V --commit C [--epoch SECONDS] [--key FILE] amd64=FOLDER arm64=FOLDER

Each FOLDER is one of scripts/image_binary.sh: `tenon`, and the unpacked packages in `inputs/root`. The image has the program, the C
library, the certificates of public authorities, and licences; no shell, no package manager. Beside the layout: an SBOM for each
architecture (SPDX 2.3), SHA256SUMS, and with a key (Ed25519, PEM) its signature SHA256SUMS.sig. The last line printed is the digest.
"""

import argparse
import gzip
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
from datetime import datetime, timezone
from pathlib import Path

from image_inputs import BUILT, SHIPPED, locked

ROOT = Path(__file__).resolve().parent.parent
USER = 65532
TRIPLETS = {"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}
LOADERS = {"amd64": ("lib64/ld-linux-x86-64.so.2", "ld-linux-x86-64.so.2"),
           "arm64": ("lib/ld-linux-aarch64.so.1", "ld-linux-aarch64.so.1")}
LIBRARIES = ["libc.so.6", "libm.so.6", "libgcc_s.so.1"]     # the last one: for threads that end early
ETC = {
    "etc/passwd": f"root:x:0:0:root:/:/nonexistent\ntenon:x:{USER}:{USER}:tenon:/:/nonexistent\n",
    "etc/group": f"root:x:0:\ntenon:x:{USER}:\n",
    "etc/nsswitch.conf": "hosts: files dns\n",
}
SIZE_MAX = 20 << 20     # of all compressed layers of one architecture
INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"


class ImageError(Exception):
    """The input is not what an image is made from; the text says what is wrong."""


# --- what is in it: {path: (mode, bytes)} or {path: the target of a link}

def library(root, triplet, name):
    """A library's bytes; packages have it below /lib or /usr/lib."""
    for folder in ("lib", "usr/lib"):
        path = root / folder / triplet / name
        if path.exists():
            return path.resolve().read_bytes()
    raise ImageError(f"{name} is in no package below {root}")


def certificates(root):
    """Mozilla's authorities in one file, by name, as update-ca-certificates makes it."""
    found = sorted((root / "usr/share/ca-certificates/mozilla").glob("*.crt"))
    if not found:
        raise ImageError(f"no certificates below {root}")
    return b"".join(path.read_bytes().rstrip(b"\n") + b"\n" for path in found)


def made_from(architecture):
    """Rows of the lock: all but what tests alone need."""
    return [row for row in locked(architecture) if row["kind"] != "test"]


def licences(architecture, root, sources):
    """What the packages and sources say of their licences."""
    papers = {row["package"]: root / "usr/share/doc" / row["package"] / "copyright" for row in made_from(architecture)}
    found = {f"usr/share/doc/{name}/copyright": (0o644, path.resolve().read_bytes()) for name, path in papers.items() if path.exists()}
    found |= {f"usr/share/doc/{name}/copyright": (0o644, (sources / name / "debian" / "copyright").read_bytes()) for name in BUILT}
    return found | {"usr/share/doc/tenon/copyright": (0o644, (ROOT / "LICENSE").read_bytes())}


def base_files(architecture, inputs):
    root, triplet = inputs / "root", TRIPLETS[architecture]
    link, loader = LOADERS[architecture]
    files = {f"lib/{triplet}/{name}": (0o755, library(root, triplet, name)) for name in [*LIBRARIES, loader]}
    files |= {link: f"/lib/{triplet}/{loader}"}
    files |= {path: (0o644, text.encode()) for path, text in ETC.items()}
    files |= {"etc/ssl/certs/ca-certificates.crt": (0o644, certificates(root))}
    return files | licences(architecture, root, inputs / "source")


def needed(program):
    """The shared libraries that a program wants."""
    text = subprocess.run(["readelf", "--dynamic", "--wide", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text)


def program_files(architecture, program):
    missing = set(needed(program)) - set(LIBRARIES) - {LOADERS[architecture][1]}
    if missing:
        raise ImageError(f"{program} wants {', '.join(sorted(missing))}, which the image does not have")
    return {"usr/bin/tenon": (0o755, program.read_bytes())}


# --- layers

def folders_of(paths):
    return sorted({str(parent) for path in paths for parent in Path(path).parents} - {"."})


def entry(path, epoch, **fields):
    info = tarfile.TarInfo(path)
    info.mtime = epoch
    for name, value in fields.items():
        setattr(info, name, value)
    return info


def layer(files, epoch):
    """A tar of the files: sorted, owned by root, all of one time. Returns it, and it compressed."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in folders_of(files):
            tar.addfile(entry(path, epoch, type=tarfile.DIRTYPE, mode=0o755))
        for path, content in sorted(files.items()):
            if isinstance(content, str):
                tar.addfile(entry(path, epoch, type=tarfile.SYMTYPE, linkname=content, mode=0o777))
            else:
                tar.addfile(entry(path, epoch, mode=content[0], size=len(content[1])), io.BytesIO(content[1]))
    return plain.getvalue(), gzip.compress(plain.getvalue(), compresslevel=9, mtime=0)


# --- the layout

def sha256(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def canonical(thing):
    return json.dumps(thing, sort_keys=True, separators=(",", ":")).encode()


class Layout:
    """An OCI image layout in a folder."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "blobs" / "sha256").mkdir(parents=True)
        (folder / "oci-layout").write_bytes(canonical({"imageLayoutVersion": "1.0.0"}))

    def blob(self, data, kind, **more):
        """Adds a blob; its descriptor."""
        digest = sha256(data)
        (self.folder / "blobs" / "sha256" / digest.removeprefix("sha256:")).write_bytes(data)
        return {"mediaType": kind, "digest": digest, "size": len(data), **more}

    def image(self, architecture, layers, about):
        """Adds an image of these layers (plain, compressed); the descriptor of its manifest."""
        when = datetime.fromtimestamp(about["epoch"], timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        config = {"architecture": architecture, "os": "linux", "created": when,
                  "config": {"User": f"{USER}:{USER}", "Entrypoint": ["/usr/bin/tenon"], "Cmd": ["run"], "WorkingDir": "/",
                             "Env": ["PATH=/usr/bin"], "Labels": labels(about)},
                  "rootfs": {"type": "layers", "diff_ids": [sha256(plain) for plain, _ in layers]},
                  "history": [{"created": when, "created_by": "scripts/image.py"} for _ in layers]}
        manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": self.blob(canonical(config), CONFIG),
                    "layers": [self.blob(packed, LAYER) for _, packed in layers], "annotations": labels(about)}
        return self.blob(canonical(manifest), MANIFEST, platform={"architecture": architecture, "os": "linux"})

    def index(self, images, about):
        """The entry of the layout: one index over all architectures. Returns its digest."""
        index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": images, "annotations": labels(about)}
        whole = self.blob(canonical(index), INDEX, annotations={"org.opencontainers.image.ref.name": about["version"]})
        (self.folder / "index.json").write_bytes(canonical({"schemaVersion": 2, "mediaType": INDEX, "manifests": [whole]}))
        return whole["digest"]


def labels(about):
    return {"org.opencontainers.image.title": "tenon", "org.opencontainers.image.version": about["version"],
            "org.opencontainers.image.revision": about["commit"], "org.opencontainers.image.licenses": "Apache-2.0"}


# --- what it was made from

def how_used(row):
    """How the image has a package, in SPDX's words."""
    return "CONTAINS" if row["package"] in SHIPPED else "STATIC_LINK"


def sbom(architecture, about, digest):
    """An SPDX document: tenon, and each package and source in the image."""
    name = f"tenon-{about['version']}-{architecture}"
    tenon = {"name": "tenon", "SPDXID": "SPDXRef-tenon", "versionInfo": about["version"], "licenseDeclared": "Apache-2.0",
             "sourceInfo": f"commit {about['commit']}", "downloadLocation": "NOASSERTION",
             "checksums": [{"algorithm": "SHA256", "checksumValue": digest.removeprefix("sha256:")}]}
    packages, relations = [tenon], [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-tenon")]
    for row in made_from(architecture):
        if row["kind"] == "source" and not row["file"].endswith(".dsc"):
            continue
        ident = "SPDXRef-" + re.sub("[^A-Za-z0-9.]", "-", row["package"])
        version = row["version"].replace("%3a", ":")
        packages.append({"name": row["package"], "SPDXID": ident, "versionInfo": version, "downloadLocation": "NOASSERTION",
                         "licenseDeclared": "NOASSERTION",
                         "checksums": [{"algorithm": "SHA256", "checksumValue": row["sha256"]}],
                         "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                           "referenceLocator": f"pkg:deb/debian/{row['package']}@{version}?arch="
                                           + ("source" if row["kind"] == "source" else architecture)}]})
        relations.append(("SPDXRef-tenon", how_used(row), ident))
    when = datetime.fromtimestamp(about["epoch"], timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
            "documentNamespace": f"urn:tenon:sbom:{name}:{digest}",
            "creationInfo": {"created": when, "creators": ["Tool: scripts/image.py"]}, "packages": packages,
            "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
                              for one, kind, other in relations]}


def write_sums(folder, key):
    """SHA256SUMS of all files, in the form of sha256sum, and its signature."""
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    sums = folder / "SHA256SUMS"
    sums.write_text("".join(f"{sha256((folder / file).read_bytes()).removeprefix('sha256:')}  {file}\n" for file in files), encoding="ascii")
    if key:
        subprocess.run(["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", sums, "-out", folder / "SHA256SUMS.sig"],
                       check=True)


def write(folder, parts, about, key=None):
    """Writes layout, SBOMs and sums into an empty folder. `parts`: {architecture: its layers' files}. Returns the digest."""
    layout = Layout(folder / "layout")
    images = []
    for architecture, files in sorted(parts.items()):
        layers = [layer(each, about["epoch"]) for each in files]
        size = sum(len(packed) for _, packed in layers)
        if size > SIZE_MAX:
            raise ImageError(f"{architecture}: {size} bytes of compressed layers; at most {SIZE_MAX}")
        image = layout.image(architecture, layers, about)
        (folder / f"sbom-{architecture}.spdx.json").write_text(
            json.dumps(sbom(architecture, about, image["digest"]), indent=1, sort_keys=True) + "\n", encoding="utf-8")
        images.append(image)
        print(f"{architecture}: {size / 1e6:.1f} MB compressed, {sum(len(plain) for plain, _ in layers) / 1e6:.1f} MB unpacked")
    digest = layout.index(images, about)
    write_sums(folder, key)
    return digest


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--commit", required=True)
    parser.add_argument("--epoch", type=int, default=0, help="time of all files; that of the commit")
    parser.add_argument("--key", type=Path, help="who releases")
    parser.add_argument("parts", nargs="+", metavar="ARCHITECTURE=FOLDER")
    options = parser.parse_args()
    about = {"version": options.version, "commit": options.commit, "epoch": options.epoch}
    try:
        parts = {}
        for word in options.parts:
            architecture, _, folder = word.partition("=")
            parts[architecture] = [base_files(architecture, Path(folder) / "inputs"),
                                   program_files(architecture, Path(folder) / "tenon")]
        shutil.rmtree(options.output, ignore_errors=True)
        options.output.mkdir(parents=True)
        print(write(options.output, parts, about, options.key))
    except (ImageError, OSError, KeyError, subprocess.CalledProcessError) as error:
        sys.exit(f"image.py: {error}")


if __name__ == "__main__":
    main()
