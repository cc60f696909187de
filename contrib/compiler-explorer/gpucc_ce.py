#!/usr/bin/env python3
"""Called by a local Compiler Explorer in the place of a compiler: assembly with the line marks that its parser reads, and messages
as `FILE:LINE:COLUMN: error: TEXT`.

    gpucc_ce.py -g -S -o out.s shader.glsl --target gcn --stage fs

The command is `gpucc` in the path, or what the variable GPUCC names. Options that gpucc does not have (-g, -S) are dropped, all
others are those of `gpucc explain`. Exit code: that of gpucc.
"""

import json
import os
import re
import subprocess
import sys

COMMAND = os.environ.get("GPUCC", "gpucc")


def split(words):
    """The output file and what is left for gpucc."""
    out, rest, words = None, [], list(words)
    while words:
        word = words.pop(0)
        if word == "-o" and words:
            out = words.pop(0)
        elif word not in ("-g", "-S") and not word.startswith("-fdiagnostics"):
            rest.append(word)
    return out, rest


def said(line):
    """A message as compilers print it."""
    try:
        message = json.loads(line)
    except json.JSONDecodeError:
        return line
    place = [message.get(key) for key in ("file", "line", "column")]
    lead = "".join(f"{part}:" for part in place if part is not None)
    severity = {"bug": "error"}.get(message["severity"], message["severity"])
    target = f" ({message['target']})" if message.get("target") else ""
    notes = "".join(f"\n  note: {note}" for note in message.get("notes", []))
    return f"{lead} {severity}: {message['message']} [{message['code']}]{target}{notes}".strip()


def listing(page):
    """Assembly of all entry points, with `.file` and `.loc`."""
    lines = [f'\t.file\t{k} "{text["name"]}"' for k, text in enumerate(page["sources"], 1)]
    several = sum(column["status"] == "ok" for column in page["columns"]) > 1
    for column in page["columns"]:
        if column["status"] != "ok":
            lines.append(f"# {column['title']}: {column['status']}: {column['message']}")
            continue
        entry = re.sub(r"\W", "_", column["entry"])
        if several:
            entry += "_" + re.sub(r"\W", "_", column["target"])
        code = column["instructions"]
        labels = {(one["program"], one["text"].rstrip(":")) for one in code if one["address"] is None}
        program, name, at = "", entry, None
        for one in code:
            if one["program"] != program:
                # An entry point may be several programs, and each begins to count labels again.
                program, at = one["program"], None
                name = f"{entry}_{program}" if program else entry
                lines += [f"\t.globl\t{name}", f"{name}:"]
            unique = several or program

            def label(word):
                known = (program, word[0]) in labels
                return f"{name}_{word[0]}" if known and unique else word[0]

            text = re.sub(r"\bL\d+\b", label, one["text"])
            if one["address"] is None:
                lines.append(text)
                continue
            # Compiler Explorer takes what begins with a letter for an instruction; a condition may stand in front of one.
            if text.startswith("("):
                text = "if " + text
            if one["line"] != at and one["line"]:
                lines.append(f"\t.loc\t{column['source'] + 1} {one['line']} 0")
                at = one["line"]
            lines.append("\t" + text)
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:2] in (["--version"], ["-v"]):
        return subprocess.run([COMMAND, "--version"]).returncode
    out, rest = split(sys.argv[1:])
    run = subprocess.run([COMMAND, "explain", *rest, "--json", "--message-format", "json"], capture_output=True, text=True)
    for line in run.stderr.splitlines():
        print(said(line), file=sys.stderr)
    if run.stdout.strip():
        text = listing(json.loads(run.stdout))
        if out in (None, "-"):
            sys.stdout.write(text)
        else:
            with open(out, "w", encoding="utf-8") as file:
                file.write(text)
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
