"""A machine that has only what Debian says some packages need: a folder to chroot into, made of this machine's own packages.

Nothing is downloaded, and nothing outside of the folder is written. What is copied: the packages that are essential, those that are
named, and what they depend on, as this machine has them; dpkg knows of these and no others. Their scripts are not run; what they
would have made and is needed here, users and alternatives, is.
"""

import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

DATABASE = Path("/var/lib/dpkg")
# Of a system whose /bin is /usr/bin.
MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
# Nobody reads these here.
LEFT_OUT = re.compile(r"/usr/share/(doc|doc-base|info|lintian|locale|man)/")


class BareError(Exception):
    """This machine lacks a package that is needed."""


class Known:
    """What dpkg knows of this machine. `stanzas` and `fields`: by name of the package."""

    def __init__(self, architecture):
        self.architecture, self.stanzas, self.fields, self.provided = architecture, {}, {}, {}
        for stanza in (DATABASE / "status").read_text(encoding="utf-8").split("\n\n"):
            fields = dict(re.findall(r"^([A-Za-z-]+): *(.*)$", stanza, re.M))
            if fields.get("Status", "").endswith(" ok installed") and fields["Architecture"] in (architecture, "all"):
                self.take(fields["Package"], stanza, fields)

    def take(self, name, stanza, fields):
        self.stanzas[name], self.fields[name] = stanza, fields
        for each in names_of(fields.get("Provides", "")):
            self.provided[each[0]] = name

    def essential(self):
        return [name for name, fields in self.fields.items() if fields.get("Essential") == "yes"]

    def chosen(self, alternatives):
        for name in alternatives:
            if name in self.fields or name in self.provided:
                return name if name in self.fields else self.provided[name]
        raise BareError(f"this machine has none of these packages: {', '.join(alternatives)}")

    def with_needs(self, depends):
        """The names of all packages that a field of dependencies leads to."""
        found, waiting = set(), names_of(depends)
        while waiting:
            name = self.chosen(waiting.pop())
            if name not in found:
                found.add(name)
                waiting += [each for field in ("Depends", "Pre-Depends") for each in names_of(self.fields[name].get(field, ""))]
        return sorted(found)

    def list_of(self, name):
        """The file in which dpkg lists a package's files."""
        lists = (DATABASE / f"info/{name}{suffix}.list" for suffix in (f":{self.architecture}", ""))
        return next(each for each in lists if each.exists())


def names_of(field):
    """Of a field such as "a (>= 1), b | c:any": [["a"], ["b", "c"]]."""
    return [[re.match(r"[\w.+-]+", each.strip())[0] for each in group.split("|")] for group in field.split(",") if group.strip()]


class Machine:
    """The folder `root` as a machine that has the packages which `depends`, a field of dependencies, leads to."""

    def __init__(self, root, depends):
        architecture = subprocess.run(["dpkg", "--print-architecture"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        self.root, self.known = Path(root), Known(architecture)
        self.names = self.known.with_needs(", ".join([*self.known.essential(), depends]))
        for name in MERGED:
            if os.path.islink(f"/{name}"):
                os.symlink(os.readlink(f"/{name}"), self.root / name)
                (self.root / os.readlink(f"/{name}")).mkdir(parents=True)
        for name in self.names:
            for path in self.known.list_of(name).read_text(encoding="utf-8").splitlines():
                self.copy(path)
        self.make_alternatives()
        self.make_database()
        self.make_rest()

    def inside(self, path):
        return self.root / path.lstrip("/")

    def copy(self, path):
        target = self.inside(path)
        if LEFT_OUT.match(path) or os.path.lexists(target) or not os.path.lexists(path):
            return
        mode = os.lstat(path).st_mode
        target.parent.mkdir(parents=True, exist_ok=True)
        if stat.S_ISLNK(mode):
            os.symlink(os.readlink(path), target)
        elif stat.S_ISDIR(mode):
            target.mkdir()
        elif os.access(path, os.R_OK):
            shutil.copy(path, target)

    def make_alternatives(self):
        """Links such as libblas.so.3, for which several packages stand."""
        for file in (DATABASE / "alternatives").iterdir():
            lines = file.read_text(encoding="utf-8").split("\n")
            head = [file.name, *lines[1:lines.index("")]]
            for name, link in zip(head[::2], head[1::2]):
                choice = f"/etc/alternatives/{name}"
                if os.path.islink(choice) and os.path.exists(self.inside(os.readlink(choice))):
                    self.copy(choice)
                    self.copy(link)

    def make_database(self):
        for folder in ("info", "updates", "triggers"):
            self.inside(str(DATABASE / folder)).mkdir(parents=True, exist_ok=True)
        self.inside(str(DATABASE / "status")).write_text("".join(f"{self.known.stanzas[name].strip()}\n\n" for name in self.names),
                                                         encoding="utf-8")
        for name in self.names:
            shutil.copy(self.known.list_of(name), self.inside(str(DATABASE / "info")))

    def make_rest(self):
        for name in ("passwd", "group"):
            shutil.copy(f"/usr/share/base-passwd/{name}.master", self.inside(f"/etc/{name}"))
        for name in ("dev", "proc", "tmp"):
            (self.root / name).mkdir(exist_ok=True)
        try:
            os.mknod(self.root / "dev/null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        except PermissionError:
            (self.root / "dev/null").touch()    # nothing is read from it

    def run(self, *words):
        """What a command prints in there, standard error as well; it has to end well."""
        as_root = [] if os.getuid() == 0 else ["unshare", "--map-root-user"]
        done = subprocess.run([*as_root, "chroot", self.root, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              stdin=subprocess.DEVNULL, check=False,
                              env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"})
        if done.returncode:
            raise AssertionError(f"{' '.join(words)}: {done.stdout}")
        return done.stdout
