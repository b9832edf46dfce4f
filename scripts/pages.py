#!/usr/bin/env python3
"""Man pages and shell completions, made from what the program says of itself (--help, which is made from its tables of flags).

    scripts/pages.py PROGRAM FOLDER [--date YYYY-MM-DD]      man/tenon.1, man/tenon-plan.1, …; completion/tenon.{bash,zsh,fish}
"""

import argparse
import re
import subprocess
from pathlib import Path

FLAG = re.compile(r"^  (?:(-\w), )?(--[\w-]+)(?: (\S+))?(?:  \[(.*)\])?(?:  +(\S.*))?$")
FILES = ("FILE", "DIR")
# In a flag's text: "table (default), wide or json", at its beginning or behind a colon. With "or", unless the value is a WORD.
ITEM = r"[\w.-]+(?: \([^)]*\))?"
FILE_TEXT = re.compile(r"(?:^|: )file (?:that|with) ")
LIST = re.compile(rf"(?:^|: )({ITEM}(?:(?:, | or ){ITEM})+)(?= [a-z]|[;,:)]|$)")


class Flag:
    """A flag of a command. `value`: the name of its value, or words with bars between; `preset`: variable and default."""

    def __init__(self, short, name, value, preset, text):
        self.short, self.name, self.value, self.preset, self.text = short, name, value, preset, text

    @property
    def names(self):
        return [name for name in (self.short, self.name) if name]

    @property
    def words(self):
        """The values that it may have, where --help lists them."""
        if not self.value or self.takes_file:
            return []
        if self.value == self.value.lower():
            return self.value.split("|")
        found = LIST.search(self.text or "")
        if not found or not (" or " in found[1] or self.value == "WORD"):
            return []
        return re.split(r", | or ", re.sub(r" \([^)]*\)", "", found[1]))

    @property
    def takes_file(self):
        return bool(self.value) and (any(word in FILES for word in self.value.split("|")) or bool(FILE_TEXT.search(self.text or "")))

    @property
    def wants_value(self):
        """A BOOL may stand alone, and does."""
        return self.value not in (None, "BOOL")

    @property
    def is_repeatable(self):
        return "(repeatable" in (self.text or "")


def has_flags(paragraph):
    return bool(FLAG.match(paragraph.split("\n")[0]))


class Command:
    """A command's --help, taken apart. `parts`: paragraphs before the flags; `after`: those behind them."""

    def __init__(self, name, summary, text):
        self.name, self.summary = name, summary
        usage, _, rest = text.partition("\n")
        self.usage = usage.removeprefix("Usage: ")
        operand = (self.usage.split() + ["", "", ""])[2]
        self.takes_files = operand == "FILE..."
        # What stands first, where it is one of few words.
        self.operands = [operand] if re.fullmatch(r"[a-z]+", operand) else []
        self.parts, self.flags, self.after = [], [], []
        paragraphs = rest.strip("\n").split("\n\n")
        for paragraph, follower in zip(paragraphs, [*paragraphs[1:], ""]):
            self.take(paragraph, follower)

    def take(self, paragraph, follower):
        if has_flags(paragraph):
            self.take_flags(paragraph.split("\n"))
        elif has_flags(follower) and "\n" not in paragraph and not paragraph.endswith("."):
            self.flags.append(paragraph)        # the title of those that follow
        else:
            (self.after if self.flags else self.parts).append(paragraph)

    def take_flags(self, lines):
        for line in lines:
            found = FLAG.match(line)
            if found:
                self.flags.append(Flag(*found.groups()))
            else:
                last = self.flags[-1]
                last.text = f"{last.text or ''} {line.strip()}".strip()

    def real_flags(self):
        return [flag for flag in self.flags if isinstance(flag, Flag)]


def said(program, *words):
    return subprocess.run([program, *words], stdout=subprocess.PIPE, text=True, check=True).stdout


def commands_of(program):
    """Each command but help, from the list that the program prints."""
    rows = re.findall(r"^  ([\w-]+) +(\S.*)$", said(program, "help"), re.M)
    return [Command(name, summary, said(program, name, "--help")) for name, summary in rows if name != "help"]


def completed_commands(commands):
    """Those, and help."""
    command = Command("help", "says more about a command", "Usage: tenon help COMMAND\n")
    command.operands = [each.name for each in commands]
    return [*commands, command]


# --- man

def roff(text):
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"), flags=re.M)


def page_head(name, summary, about):
    return (f'.TH {name.upper()} 1 "{about["date"]}" "tenon {about["version"]}" "tenon"\n.SH NAME\n{name} \\- {roff(summary)}\n')


def man_flag(flag):
    if not isinstance(flag, Flag):
        return f".SS {roff(flag)}\n"
    names = ", ".join(f"\\fB{roff(name)}\\fR" for name in (flag.short, flag.name) if name)
    value = f" \\fI{roff(flag.value)}\\fR" if flag.value else ""
    preset = f"\n({roff(flag.preset)})" if flag.preset else ""
    return f".TP\n{names}{value}\n{roff(flag.text or '')}{preset}\n"


def man_paragraph(text):
    return f".PP\n{roff(text)}\n" if not text.startswith(" ") else f".PP\n.nf\n{roff(text)}\n.fi\n"


def man_page(command, about):
    text = page_head(f"tenon-{command.name}", command.summary, about)
    text += f".SH SYNOPSIS\n\\fB{roff(command.usage)}\\fR\n"
    text += ".SH DESCRIPTION\n" + "".join(map(man_paragraph, command.parts or [command.summary.capitalize() + "."]))
    text += (".SH OPTIONS\n" + "".join(map(man_flag, command.flags))) if command.flags else ""
    text += (".SH NOTES\n" + "".join(map(man_paragraph, command.after))) if command.after else ""
    return text + ".SH SEE ALSO\n.BR tenon (1)\n"


def man_main(commands, about):
    text = page_head("tenon", "gives a Kubernetes cluster the nodes that its pods need", about)
    text += ".SH SYNOPSIS\n\\fBtenon\\fR \\fICOMMAND\\fR [\\fIflags\\fR]\n.PP\n\\fBkubectl tenon\\fR \\fICOMMAND\\fR [\\fIflags\\fR]\n"
    text += ".SH COMMANDS\n" + "".join(f".TP\n.BR tenon\\-{roff(each.name)} (1)\n{roff(each.summary)}\n" for each in commands)
    return text


# --- completion

def bash_case(patterns, then):
    return f"    {' | '.join(patterns)}) {then} ;;\n" if patterns else ""


def bash_values(command):
    """The cases of "COMMAND FLAG": what is offered behind a flag that has a value."""
    text = ""
    for flag in command.real_flags():
        patterns = [f'"{command.name} {name}"' for name in flag.names]
        if flag.takes_file:
            text += bash_case(patterns, '_tenon_files "$word"; return')
        elif flag.words:
            text += bash_case(patterns, f'_tenon_words "{" ".join(flag.words)}" "$word"; return')
        elif flag.wants_value:
            text += bash_case(patterns, "return")
    return text


def bash_operands(command):
    """The cases of "COMMAND POSITION": what is offered where no flag is begun."""
    if command.takes_files:
        return bash_case([f'"{command.name} "*'], '_tenon_files "$word"; return')
    words = f'_tenon_words "{" ".join(command.operands)}" "$word"; return'
    return bash_case([f'"{command.name} 2"'], words) if command.operands else ""


def bash_completion(commands):
    flags = "".join(bash_case([each.name], f'words="{" ".join(flag.name for flag in each.real_flags())}"') for each in commands)
    return f"""\
# bash completion of tenon; made by scripts/pages.py
_tenon_words() {{
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}}
_tenon_files() {{
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$1")
}}
_tenon() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command=${{COMP_WORDS[1]}} words=
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        _tenon_words "{' '.join(each.name for each in commands)}" "$word"
        return
    fi
    # bash takes --flag=value for three words.
    [ "$word" != = ] || word=
    [ "$before" != = ] || before=${{COMP_WORDS[COMP_CWORD - 2]}}
    case "$command $before" in
{"".join(map(bash_values, commands))}    esac
    [ "${{word#-}}" != "$word" ] || case "$command $COMP_CWORD" in
{"".join(map(bash_operands, commands))}    esac
    case $command in
{flags}    esac
    _tenon_words "$words" "$word"
}}
complete -F _tenon tenon
complete -F _tenon kubectl-tenon
"""


def zsh_text(text):
    return re.sub(r"(['\[\]:\\])", lambda found: "'\\''" if found[0] == "'" else "\\" + found[0], text or "")


def zsh_flag(flag):
    value = ""
    if flag.words:
        value = f":value:({' '.join(flag.words)})"
    elif flag.wants_value:
        value = ":file:_files" if flag.takes_file else f":{zsh_text(flag.value)}:"
    # With "=", the value may stand in the same word.
    names = [*flag.names[:-1], flag.name + ("=" if flag.wants_value else "")]
    spelled = names[0] if len(names) == 1 else f"'{{{','.join(names)}}}'"
    others = "*" if flag.is_repeatable else f"({' '.join(flag.names)})"
    return f"'{others}{spelled}[{zsh_text(flag.text)}]{value}'"


def zsh_operands(command):
    if command.takes_files:
        return ["'*:file:_files'"]
    return [f"'1:what:({' '.join(command.operands)})'"] if command.operands else []


def zsh_case(command):
    words = [*map(zsh_flag, command.real_flags()), *zsh_operands(command)]
    return f"    {command.name}) _arguments {' '.join(words)} ;;\n" if words else ""


def zsh_completion(commands):
    names = " ".join(f"'{each.name}:{zsh_text(each.summary)}'" for each in commands)
    return f"""\
#compdef tenon kubectl-tenon
# zsh completion of tenon; made by scripts/pages.py
_tenon() {{
    if (( CURRENT == 2 )); then
        local -a commands=({names})
        _describe command commands
        return
    fi
    shift words
    (( CURRENT-- ))
    case $words[1] in
{"".join(map(zsh_case, commands))}    esac
}}
_tenon "$@"
"""


def fish_text(text):
    return (text or "").replace("\\", "\\\\").replace("'", "\\'")


def fish_flag(command, flag):
    words = f" -s {flag.short[1:]}" if flag.short else ""
    if flag.words:
        words += f" -x -a '{' '.join(flag.words)}'"
    elif flag.wants_value:
        words += " -r -F" if flag.takes_file else " -x"
    return (f"complete -c tenon -n '__fish_seen_subcommand_from {command.name}' -l {flag.name[2:]}{words} "
            f"-d '{fish_text(flag.text)}'")


def fish_operands(command):
    seen = f"__fish_seen_subcommand_from {command.name}"
    if command.takes_files:
        return [f"complete -c tenon -n '{seen}' -F"]
    words = " ".join(command.operands)
    # Not behind the word that it is already.
    return [f"complete -c tenon -n '{seen}; and test (count (commandline -opc)) = 2' -a '{words}'"] if words else []


def fish_completion(commands):
    lines = ["# fish completion of tenon; made by scripts/pages.py", "complete -c tenon -f"]
    for each in commands:
        lines.append(f"complete -c tenon -n __fish_use_subcommand -a {each.name} -d '{fish_text(each.summary)}'")
        lines += fish_operands(each)
        lines += [fish_flag(each, flag) for flag in each.real_flags()]
    return "\n".join(lines) + "\n"


def write(program, folder, about):
    commands = commands_of(program)
    pages = {"tenon.1": man_main(commands, about), "kubectl-tenon.1": ".so man1/tenon.1\n"}
    pages |= {f"tenon-{each.name}.1": man_page(each, about) for each in commands}
    completed = completed_commands(commands)
    scripts = {"tenon.bash": bash_completion(completed), "tenon.zsh": zsh_completion(completed), "tenon.fish": fish_completion(completed)}
    for part, files in (("man", pages), ("completion", scripts)):
        (folder / part).mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / part / name).write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--date", default="", help="of the pages; that of the commit")
    options = parser.parse_args()
    version = said(options.program, "version").split()[1]
    write(options.program, options.folder, {"version": version, "date": options.date})


if __name__ == "__main__":
    main()
