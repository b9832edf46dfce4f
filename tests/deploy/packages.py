"""What is installed beside the program: man pages, completion, the Debian package, krew's manifest."""

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))

import pages

TENON = None
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

    def completed(self, *words):
        """What bash offers for the last word."""
        script = (f"source {self.root}/share/bash-completion/completions/tenon; COMP_WORDS=({' '.join(f'{word!r}' for word in words)}); "
                  f"COMP_CWORD={len(words) - 1}; _tenon; echo \"${{COMPREPLY[@]}}\"")
        return subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, text=True, check=True).stdout.split()

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
        if not shutil.which("man"):
            self.skipTest("no man on this machine")
        for name in ("tenon", "tenon-plan", "kubectl-tenon"):
            shown = subprocess.run(["man", "-M", self.root / "share/man", "--warnings=all", name], capture_output=True, text=True,
                                   env={**os.environ, "MANROFFSEQ": "", "MAN_KEEP_FORMATTING": "", "LC_ALL": "C.UTF-8"}, check=True)
            self.assertEqual(shown.stderr, "")
            self.assertIn("SYNOPSIS", shown.stdout)

    def test_bash_completes_commands_flags_and_words(self):
        self.assertEqual(self.completed("tenon", "exp"), ["explain"])
        self.assertEqual(self.completed("tenon", "plan", "--bud"), ["--budgets"])
        self.assertEqual(self.completed("tenon", "plan", "--budgets", ""), ["lift", "respect"])
        self.assertIn("--leader-election-name", self.completed("tenon", "run", "--leader"))

    def test_other_shells_read_their_scripts(self):
        for shell, file in (("zsh", "zsh/site-functions/_tenon"), ("fish", "fish/vendor_completions.d/tenon.fish")):
            text = (self.root / "share" / file).read_text(encoding="utf-8")
            for command in self.commands:
                self.assertIn(command.name, text)
            if shutil.which(shell):
                subprocess.run([shell, "-n", self.root / "share" / file], check=True)

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

    def test_krews_manifest(self):
        with tempfile.TemporaryDirectory() as folder:
            package("krew", OUTPUT=folder, URL="https://example.com/r")
            platform, = yaml.safe_load((Path(folder) / "tenon.krew.yaml").read_text(encoding="utf-8"))["spec"]["platforms"]
            archive = Path(folder) / platform["uri"].rsplit("/", 1)[1]
            self.assertEqual(platform["sha256"], hashlib.sha256(archive.read_bytes()).hexdigest())
            listed = subprocess.run(["tar", "-tzf", archive], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
            self.assertEqual(listed, ["LICENSE", platform["bin"]])
