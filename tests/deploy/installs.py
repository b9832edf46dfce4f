"""The Debian package on a machine that has nothing but what it asks for (bare.py): no compilers, no libraries for building."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import bare

ROOT = Path(__file__).resolve().parents[2]
TENON = None
COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "as", "ld")
LINK = "etc/systemd/system/multi-user.target.wants/tenon.service"


class Installed(unittest.TestCase):
    """One machine for all, in the order of names: the last test takes the package away."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        subprocess.run([ROOT / "scripts/package.sh", "deb"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True,
                       env={**os.environ, "TENON": TENON, "OUTPUT": folder.name, "MAINTAINER": "A <a@example.com>"})
        package, = Path(folder.name).glob("*.deb")
        depends = subprocess.run(["dpkg-deb", "--field", package, "Depends"], stdout=subprocess.PIPE, text=True, check=True).stdout
        root = Path(folder.name) / "root"
        root.mkdir()
        cls.machine = bare.Machine(root, f"{depends.strip()}, man-db")
        shutil.copy(package, root / "tenon.deb")
        shutil.copytree(ROOT / "examples", root / "examples")
        cls.said = cls.machine.run("dpkg", "--install", "/tenon.deb")

    def test_dpkg_has_all_that_it_wants(self):
        self.assertIn("install ok installed", self.machine.run("dpkg", "--status", "tenon"))
        self.assertNotIn("warning", self.said)

    def test_there_is_no_compiler(self):
        for name in COMPILERS:
            self.assertIsNone(shutil.which(name, path=str(self.machine.root / "usr/bin")), name)

    def test_tenon_plans_as_it_does_here(self):
        words = ["plan", "-f", "examples/"]
        here = subprocess.run([TENON, *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True).stdout
        self.assertIn("new nodes for", here)
        self.assertEqual(self.machine.run("tenon", *words), here)

    def test_man_shows_its_pages(self):
        for name in ("tenon", "tenon-plan", "kubectl-tenon"):
            self.assertIn("SYNOPSIS", self.machine.run("man", name))

    def test_the_plugin_starts(self):
        self.assertTrue(self.machine.run("kubectl-tenon", "version").startswith("tenon "))

    def test_when_it_is_removed_nothing_of_it_stays(self):
        link = self.machine.root / LINK
        self.assertFalse(os.path.lexists(link))
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to("/lib/systemd/system/tenon.service")
        self.machine.run("dpkg", "--remove", "tenon")
        self.assertFalse(os.path.lexists(link))
        self.machine.run("dpkg", "--purge", "tenon")
        left = [path for path in self.machine.root.rglob("*tenon*") if path.name != "tenon.deb"]
        self.assertEqual(left, [])
