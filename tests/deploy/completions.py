"""Completion, as shells do it: bash and zsh on a terminal on which a line and the key for completion are typed, fish as it says itself."""

import contextlib
import os
import pty
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))

import pages

TENON = None
PATIENCE_S = 60
COMPLETE, TELL = "\t", "\x14"
# What is typed in the root of the tree, and its last word then.
CASES = {
    "tenon exp": "explain",
    "tenon hel": "help",
    "tenon help pl": "plan",
    "tenon explain no": "node",
    "tenon trace la": "launch",
    "tenon sim exa": "examples/",
    "tenon sim --plain exa": "examples/",
    "tenon sim --camp": "--campaign",
    "tenon plan --bud": "--budgets",
    "tenon plan --budgets li": "lift",
    "tenon plan --budgets=li": "--budgets=lift",
    "tenon plan --output wi": "wide",
    "tenon plan -f examples/wor": "examples/workloads/",
    "tenon plan --effort be": "best",
    "tenon doctor -o j": "json",
    "tenon doctor -f exa": "examples/",
    "tenon convert --to v1b": "v1beta1",
    "tenon run --log-level deb": "debug",
    "tenon run --kubeconfig exa": "examples/",
    "tenon run --isolated-vpc --plan": "--planned-taint",
    # Words that nobody knows are left alone.
    "tenon plan --region exa": "exa",
    "tenon trace launch exa": "exa",
    "tenon explain node no": "no",
}
# They tell the line that was typed, and empty it.
BASH = """\
set +o history; bind 'set enable-bracketed-paste off'; source {folder}/tenon.bash
tell() {{ printf '%s\\n' "$READLINE_LINE" >{told}; READLINE_LINE=; READLINE_POINT=0; }}; bind -x '"\\C-t": tell'
"""
ZSH = """\
unsetopt zle_bracketed_paste beep; fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; autoload -Uz _tenon; compdef _tenon tenon
tell() {{ print -r -- "$BUFFER" >{told}; BUFFER= }}; zle -N tell; bindkey '^T' tell
"""


class Terminal:
    """A shell on a terminal."""

    def __init__(self, command, setting, folder):
        self.told = folder / "told"
        script = folder / "setting"
        script.write_text(setting.format(folder=folder, told=self.told), encoding="utf-8")
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(ROOT)
            os.execvpe(command[0], command, {**os.environ, "TERM": "dumb", "LC_ALL": "C.UTF-8"})
        self.type(f". {script}\n")

    def type(self, text):
        os.write(self.terminal, text.encode())

    def read_on(self):
        """A shell waits when nobody takes what it prints."""
        os.set_blocking(self.terminal, False)
        with contextlib.suppress(BlockingIOError):
            while os.read(self.terminal, 1 << 16):
                pass
        os.set_blocking(self.terminal, True)

    def completed(self, line):
        self.type(line + COMPLETE + TELL)
        deadline = time.monotonic() + PATIENCE_S
        while not self.told.exists() or not self.told.read_text(encoding="utf-8").endswith("\n"):
            assert time.monotonic() < deadline, f"no answer to {line!r}"
            self.read_on()
            time.sleep(0.01)
        text = self.told.read_text(encoding="utf-8")
        self.told.unlink()
        return text.rstrip("=\n").split()    # zsh takes the = back when a blank follows

    def close(self):
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


class Completed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        pages.write(TENON, Path(folder.name), {"version": "9.9.9", "date": "2026-01-05"})
        cls.folder = Path(folder.name) / "completion"
        (cls.folder / "_tenon").symlink_to("tenon.zsh")

    def on_terminal(self, command, setting):
        terminal = Terminal(command, setting, self.folder)
        self.addCleanup(terminal.close)
        for line, last in CASES.items():
            with self.subTest(line=line):
                self.assertEqual(terminal.completed(line), [*line.split()[:-1], last])

    def test_bash(self):
        self.on_terminal(["bash", "--norc", "--noprofile", "-i"], BASH)

    def test_zsh(self):
        self.on_terminal(["zsh", "-f", "-i"], ZSH)

    def test_fish(self):
        asked = "\n".join(f"echo ask; complete -C '{line}'" for line in CASES)
        with tempfile.TemporaryDirectory() as home:
            said = subprocess.run(["fish", "--no-config", "-c", f"source {self.folder}/tenon.fish\n{asked}"], cwd=ROOT, text=True,
                                  env={**os.environ, "HOME": home, "LC_ALL": "C.UTF-8"}, stdout=subprocess.PIPE, check=True).stdout
        for (line, last), offered in zip(CASES.items(), said.split("ask\n")[1:], strict=True):
            words = [each.split("\t")[0] for each in offered.splitlines()]
            with self.subTest(line=line):
                self.assertEqual(words, [] if last == line.split()[-1] else [last])

    def test_words_are_found_in_the_texts_of_flags(self):
        found = {f"{command.name} {flag.name}": " ".join(flag.words) for command in pages.commands_of(TENON)
                 for flag in command.real_flags() if flag.words}
        self.assertEqual({name: words for name, words in found.items() if name.startswith(("plan", "run --l", "sim"))},
                         {"plan --output": "table wide json yaml", "plan --budgets": "lift respect", "plan --effort": "fast normal best",
                          "plan --preference-policy": "Respect Ignore Weigh", "plan --min-values-policy": "Strict BestEffort",
                          "run --log-level": "debug info warn error", "sim --speed": "max 60x 1x", "sim --output": "table json"})
        for words in found.values():
            self.assertRegex(words, r"^[\w ]+$")
