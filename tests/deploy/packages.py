"""What is installed beside the program: man pages, completion, the Debian package, krew's manifest."""

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))

import pages
import programs_of_image

TENON = None
VERSION = re.search(r"^project\(tenon VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)[1]
SCRIPT = ROOT / "scripts" / "package.sh"


def package(what, **variables):
    subprocess.run([SCRIPT, what], env={**os.environ, "TENON": TENON, **variables}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                   check=True)


def plain(page):
    """A page's text without roff's words."""
    return re.sub(r"\\f[BIR]|\\&", "", page).replace("\\-", "-").replace("\\e", "\\")


def words(text):
    return {word.strip("[](),.:;") for word in text.split()}


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name) / "usr/local"
        package("install", DESTDIR=cls.folder.name)
        cls.commands = pages.commands_of(TENON)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def page(self, name):
        return plain(gzip.decompress((self.root / "share/man/man1" / f"{name}.1.gz").read_bytes()).decode())

    def test_the_program_runs_under_both_names(self):
        for name in ("tenon", "kubectl-tenon"):
            said = subprocess.run([self.root / "bin" / name, "version"], stdout=subprocess.PIPE, text=True, check=True).stdout
            self.assertTrue(said.startswith("tenon "))

    def test_each_command_has_a_page_with_all_its_flags(self):
        self.assertGreater(len(self.commands), 8)
        for command in self.commands:
            page = self.page(f"tenon-{command.name}")
            help_text = pages.said(TENON, command.name, "--help")
            named = re.findall(r"^  (?:-\w, )?(--[\w-]+)", help_text, re.M)
            self.assertEqual([flag.name for flag in command.real_flags()], named, command.name)
            self.assertEqual(words(help_text) - words(page), {"Usage"}, command.name)
            self.assertIn(f"tenon-{command.name}", self.page("tenon"))

    def test_pages_are_found_and_shown(self):
        for name in ("tenon", "tenon-plan", "kubectl-tenon"):
            shown = subprocess.run(["man", "-M", self.root / "share/man", "--warnings=all", name], capture_output=True, text=True,
                                   env={**os.environ, "MANROFFSEQ": "", "MAN_KEEP_FORMATTING": "", "LC_ALL": "C.UTF-8"}, check=True)
            self.assertEqual(shown.stderr, "")
            self.assertIn("SYNOPSIS", shown.stdout)

    def test_the_unit_starts_what_was_installed(self):
        unit = (self.root / "lib/systemd/system/tenon.service").read_text(encoding="utf-8")
        self.assertIn("ExecStart=/usr/local/bin/tenon run ", unit)


class Packages(unittest.TestCase):
    def test_the_debian_package(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            for folder in (one, other):
                package("deb", OUTPUT=folder, MAINTAINER="A <a@example.com>")
            file, = Path(one).glob("*.deb")
            self.assertEqual(hashlib.sha256(file.read_bytes()).digest(), hashlib.sha256((Path(other) / file.name).read_bytes()).digest())
            depends = subprocess.run(["dpkg-deb", "--field", file, "Depends"], stdout=subprocess.PIPE, text=True, check=True).stdout
            for name in ("libc6", "libcurl4", "coinor-libclp1"):
                self.assertIn(name, depends)
            subprocess.run(["dpkg-deb", "--extract", file, f"{one}/root"], check=True)
            checked = subprocess.run(["md5sum", "--check", "--quiet", "-"], cwd=f"{one}/root", check=False,
                                     input=subprocess.run(["dpkg-deb", "--info", file, "md5sums"], stdout=subprocess.PIPE, check=True).stdout)
            self.assertEqual(checked.returncode, 0)
            if shutil.which("lintian"):
                subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", file], check=True)


class Krew(unittest.TestCase):
    URL = "https://example.com/r"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.output = Path(folder.name) / "out"
        self.programs = Path(folder.name) / "programs"
        programs_of_image.make(self.programs, VERSION)

    def pack(self):
        package("krew", OUTPUT=str(self.output), URL=self.URL, PROGRAMS=str(self.programs))
        spec = yaml.safe_load((self.output / "tenon.krew.yaml").read_text(encoding="utf-8"))["spec"]
        return spec, {platform["selector"]["matchLabels"]["arch"]: platform for platform in spec["platforms"]}

    def refused(self):
        with self.assertRaises(subprocess.CalledProcessError) as caught:
            self.pack()
        return caught.exception.stderr.decode()

    def test_the_manifest_names_an_archive_for_each_architecture(self):
        spec, platforms = self.pack()
        self.assertEqual((spec["version"], spec["homepage"]), (f"v{VERSION}", self.URL))
        self.assertEqual(list(platforms), ["amd64", "arm64"])
        self.assertEqual({platform["selector"]["matchLabels"]["os"] for platform in platforms.values()}, {"linux"})
        for name, platform in platforms.items():
            self.assertEqual(platform["uri"], f"{self.URL}/tenon-{VERSION}-linux-{name}.tar.gz")
            archive = self.output / platform["uri"].removeprefix(f"{self.URL}/")
            self.assertEqual(platform["sha256"], hashlib.sha256(archive.read_bytes()).hexdigest())

    def test_each_archive_has_its_program_which_starts(self):
        _, platforms = self.pack()
        for name, platform in platforms.items():
            with tarfile.open(self.output / Path(platform["uri"]).name) as archive:
                self.assertEqual([(each.name, each.mode) for each in archive], [("LICENSE", 0o644), (platform["bin"], 0o755)])
                archive.extract(platform["bin"], self.output / name)
            program = self.output / name / platform["bin"]
            self.assertEqual(programs_of_image.machine_of(program.read_bytes()), name)
            if name == programs_of_image.this_machine():
                said = subprocess.run([program, "version"], stdout=subprocess.PIPE, text=True, check=True).stdout
                self.assertTrue(said.startswith(f"tenon {VERSION}"), said)

    def test_the_manifest_says_which_c_library_is_needed(self):
        spec, _ = self.pack()
        self.assertRegex(spec["caveats"], r"glibc 2\.\d+ or newer")

    def test_a_program_that_wants_this_machines_libraries_is_refused(self):
        shutil.copy(TENON, self.programs / programs_of_image.this_machine() / "tenon")
        self.assertRegex(self.refused(), r"would not start on other machines, it wants .*libClp\.so")

    def test_a_program_that_is_missing_is_named(self):
        (self.programs / "arm64/tenon").unlink()
        self.assertIn("arm64/tenon is not there", self.refused())
