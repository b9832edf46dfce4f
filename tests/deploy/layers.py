"""The image's writer: the same bytes from the same files, and a layout that a runtime can read."""

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))

import image

TENON = None
ARCHITECTURES = ("amd64", "arm64")
PART = 1 << 20     # of the program: packing all of it takes a second
ABOUT = {"version": "9.9.9", "commit": "c0ffee", "epoch": 1700000000}


def files():
    """Two layers with the program as it was built; the image has another one (scripts/image_binary.sh)."""
    return [{"etc/passwd": (0o644, b"tenon:x:65532:65532::/:/\n"), "lib64/ld.so": "/lib/ld.so", "lib/ld.so": (0o755, b"loader")},
            {"usr/bin/tenon": (0o755, Path(TENON).read_bytes()[:PART])}]


def made(folder, key=None):
    return image.write(Path(folder), {each: files() for each in ARCHITECTURES}, ABOUT, key)


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


class Bytes(unittest.TestCase):
    def test_two_folders_and_two_masks_give_the_same(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            first = made(one)
            mask = os.umask(0o077)
            try:
                self.assertEqual(made(other), first)
            finally:
                os.umask(mask)
            self.assertEqual(content(one), content(other))

    def test_another_byte_gives_another_digest(self):
        packed = [image.layer({"a": (0o644, text)}, 0)[1] for text in (b"x", b"y")]
        self.assertNotEqual(*map(image.sha256, packed))


class Reading(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)
        cls.key, cls.public = cls.path / "key.pem", cls.path / "public.pem"
        for words in (["genpkey", "-algorithm", "ed25519", "-out", cls.key], ["pkey", "-in", cls.key, "-pubout", "-out", cls.public]):
            subprocess.run(["openssl", *words], check=True)
        cls.output = cls.path / "image"
        cls.output.mkdir()
        cls.digest = made(cls.output, cls.key)
        cls.layout = cls.output / "layout"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def blob(self, descriptor):
        data = (self.layout / "blobs" / "sha256" / descriptor["digest"].removeprefix("sha256:")).read_bytes()
        self.assertEqual((len(data), image.sha256(data)), (descriptor["size"], descriptor["digest"]))
        return data

    def manifest(self, architecture):
        entry, = json.loads((self.layout / "index.json").read_bytes())["manifests"]
        self.assertEqual(entry["digest"], self.digest)
        found = {each["platform"]["architecture"]: each for each in json.loads(self.blob(entry))["manifests"]}
        self.assertEqual(set(found), set(ARCHITECTURES))
        return json.loads(self.blob(found[architecture]))

    def test_every_descriptor_is_right(self):
        for architecture in ARCHITECTURES:
            with self.subTest(architecture):
                self.describes_itself(architecture)

    def describes_itself(self, architecture):
        manifest = self.manifest(architecture)
        config = json.loads(self.blob(manifest["config"]))
        self.assertEqual(config["architecture"], architecture)
        plain = [gzip.decompress(self.blob(each)) for each in manifest["layers"]]
        self.assertEqual(config["rootfs"]["diff_ids"], [image.sha256(each) for each in plain])
        self.assertEqual((config["config"]["User"], config["config"]["Entrypoint"]), ("65532:65532", ["/usr/bin/tenon"]))
        names = {path.name for path in (self.layout / "blobs" / "sha256").iterdir()}
        for name in names:
            self.assertEqual(hashlib.sha256((self.layout / "blobs" / "sha256" / name).read_bytes()).hexdigest(), name)

    def test_files_belong_to_root_and_nobody_may_write_them(self):
        for packed in self.manifest("amd64")["layers"]:
            with tarfile.open(fileobj=io.BytesIO(self.blob(packed))) as tar:
                entries = tar.getmembers()
            self.assertEqual([each.name for each in entries if not each.isdir()], sorted(each.name for each in entries if not each.isdir()))
            for each in entries:
                self.assertEqual((each.uid, each.gid, each.mtime), (0, 0, ABOUT["epoch"]))
                self.assertFalse(each.mode & 0o6022 and not each.issym(), each.name)

    def test_the_bill_names_what_is_in_it(self):
        for architecture in ARCHITECTURES:
            with self.subTest(architecture):
                self.names_what_is_in_it(json.loads((self.output / f"sbom-{architecture}.spdx.json").read_text(encoding="utf-8")))

    def names_what_is_in_it(self, bill):
        names = {each["name"] for each in bill["packages"]}
        self.assertLessEqual({"tenon", "curl", "libssl-dev", "libc6", "ca-certificates", "simdjson"}, names)
        self.assertNotIn("libcmocka-dev", names)    # of tests alone
        idents = {each["SPDXID"] for each in bill["packages"]}
        self.assertEqual(len(idents), len(bill["packages"]))
        self.assertEqual({each["relatedSpdxElement"] for each in bill["relationships"]}, idents)

    def test_sums_and_signature(self):
        subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=self.output, check=True)
        verify = ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", self.public, "-in", self.output / "SHA256SUMS",
                  "-sigfile", self.output / "SHA256SUMS.sig"]
        self.assertEqual(subprocess.run(verify, stdout=subprocess.DEVNULL, check=False).returncode, 0)
        forged = self.path / "forged"
        forged.write_bytes((self.output / "SHA256SUMS").read_bytes().replace(b"a", b"b"))
        verify[verify.index("-in") + 1] = forged
        self.assertNotEqual(subprocess.run(verify, stdout=subprocess.DEVNULL, check=False).returncode, 0)


class Refusals(unittest.TestCase):
    def test_a_program_that_wants_more_is_not_packed(self):
        with self.assertRaisesRegex(image.ImageError, "libcurl"):
            image.program_files("amd64", Path(TENON))

    def test_an_image_that_grew_is_not_written(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(image.ImageError, "at most"):
            image.write(Path(folder), {"amd64": [{"a": (0o644, os.urandom(image.SIZE_MAX + 1))}]}, ABOUT)
