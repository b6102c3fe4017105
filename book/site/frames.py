"""frames.py PROGRAM FOLDER: the pictures with sliders, into FOLDER: frames/NAME-N.svg, and frames.js, which says where
the sliders stand for each.

PROGRAM draws them, frames.c; picture/cut.awk makes files of its figures.
"""
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

NAMES = ["stride", "padding", "race", "sm"]


def sliders(settings):
    """[[name, [value, ...]], ...], the last one moving fastest, as the frames come."""
    return [[name, list(dict.fromkeys(setting[name] for setting in settings))] for name in settings[0]]


def draw(program, name, folder):
    with tempfile.TemporaryDirectory() as made:
        page = pathlib.Path(made, "page")
        page.write_text(subprocess.run([program, name], check=True, capture_output=True, text=True).stdout)
        settings = [dict(part.split("=") for part in html.unescape(at).split(";"))
                    for at in re.findall(r'data-at="([^"]*)"', page.read_text())]
        told = []
        for i in range(len(settings)):
            pathlib.Path(made, "piece").write_text(f"{page}\t{name}\t{i + 1}\t1\t\n")
            picture = subprocess.run(["awk", "-f", "picture/cut.awk", f"{made}/piece"], check=True, capture_output=True,
                                     text=True).stdout
            (folder / f"{name}-{i}.svg").write_text(picture)
            told.append(html.unescape(re.search("<title>(.*)</title>", picture).group(1)))
    return {"sliders": sliders(settings), "told": told}


def main(program, folder):
    (folder / "frames").mkdir(parents=True, exist_ok=True)
    frames = {name: draw(program, name, folder / "frames") for name in NAMES}
    (folder / "frames.js").write_text("var frames = " + json.dumps(frames, indent=0) + ";\n")


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
