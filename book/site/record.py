"""record.py BUILD FOLDER: the runs that the front page replays, into FOLDER: recorded.js, and recorded.html to read without it.

Lab 02's solution and the same without the barrier in its loop: what the grader prints and when, what the warps of a
block do (right.svg, racy.svg), and the sum that each gives in many orders of the warps.
"""
import html
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import time

LAB = "lab02_shared_memory"
ORDERS = 24
INCLUDES = ["-I.", f"-I{LAB}"]
KERNEL, BARRIER = "__global__ void reduce_shared", "        __syncthreads();\n"


def make(*arguments):
    return subprocess.run(["make", "-s", *arguments], check=True, capture_output=True, text=True).stdout.strip()


def output_of(command):
    """What a command prints on a terminal, as (seconds since it began, text)."""
    pid, terminal = pty.fork()
    if pid == 0:
        environment = dict(os.environ, TERM="xterm", COLUMNS="84")
        environment.pop("NO_COLOR", None)
        os.execvpe(command[0], command, environment)
    begun = time.monotonic()
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        yield time.monotonic() - begun, data.decode(errors="replace")
    os.waitpid(pid, 0)


def as_html(line):
    """A line with the terminal's colors."""
    def color(match):
        codes = [code for code in match.group(1).split(";") if code not in ("", "0")]
        return "".join(f'<span class="t{code}">' for code in codes) if codes else "\x00"

    opened, parts = 0, []
    for part in re.split(r"(<span[^>]*>|\x00)", re.sub(r"\x1b\[([0-9;]*)m", color, html.escape(line))):
        if part == "\x00":
            part, opened = "</span>" * opened, 0
        opened += part.startswith("<span")
        parts.append(part)
    return "".join(parts) + "</span>" * opened


def events(command):
    """What to show when: {at, line} stays until {at, up: N} takes N lines away; the next event takes {at, status} away."""
    shown, rest = [], ""
    for at, text in output_of(command):
        *lines, rest = (rest + text).replace("\r\n", "\n").split("\n")
        for line in lines:
            up = re.search(r"\x1b\[(\d+)A", line)
            shown += [{"at": at, "up": int(up.group(1))}] if up else []
            shown.append({"at": at, "line": as_html(last_written(line))})
        status = as_html(last_written(rest))
        if status and not (shown and shown[-1].get("status") == status):
            shown.append({"at": at, "status": status})
    return shown


def last_written(line):
    """What a terminal shows of a line that was written over."""
    return re.sub(r"\x1b\[\d*[A-HJK]", "", line.split("\r")[-1])


def left_standing(shown):
    """The lines that stand there in the end."""
    lines = []
    for event in shown:
        lines = lines[:-event["up"]] if "up" in event else lines + ([event["line"]] if "line" in event else [])
    return lines


def sums(build, source):
    program = f"{build}/site/sums"
    subprocess.run([f"{build}/sim/simcc", f'-DKERNELS="{source}"', *INCLUDES, "book/site/sums.cu", "-o", program], check=True)
    environment = dict(os.environ, LABS_SIM_HAZARDS="0")
    return [float(subprocess.run([program], check=True, capture_output=True, text=True,
                                 env=dict(environment, LABS_SIM_SCHEDULE=str(order + 1))).stdout)
            for order in range(ORDERS)]


def kernel(text):
    """[[number, line], ...], without comments."""
    text = text.split("\n")
    first = next(i for i, line in enumerate(text) if line.startswith(KERNEL))
    last = text.index("}", first)
    return [[i + 1, text[i]] for i in range(first, last + 1) if text[i].strip() and not text[i].lstrip().startswith("//")]


def picture(grader, page, to):
    """What the warps of a block do; its text."""
    subprocess.run([*grader, "reduce: a block", "--html", page], stdout=subprocess.DEVNULL)
    pathlib.Path(f"{page}.piece").write_text(f"{page}\tblock\t\t1\t\n")
    drawn = subprocess.run(["awk", "-f", "picture/cut.awk", f"{page}.piece"], check=True, capture_output=True, text=True).stdout
    to.write_text(drawn)
    return html.unescape(re.search("<title>(.*)</title>", drawn).group(1))


def run(build, source, name, to):
    make("sim", "lab02", f"SRC={source}", f"BUILD={build}")
    folder = make("where-lab02", f"SRC={source}", f"BUILD={build}")
    grader = [f"{folder}/grader", "--backend", "sim", "--seed", "1", "--only"]
    shown = events([*grader, "reduce"])
    for event in shown:
        for key in ("line", "status"):
            if key in event:
                event[key] = event[key].replace(f"{build}/site/{name}/", f"{LAB}/")
    return {"source": kernel(pathlib.Path(source).read_text()), "events": shown, "sums": sums(build, source),
            "told": picture(grader, f"{build}/site/{name}/page.html", to / f"{name}.svg")}


def main(build, folder):
    solution = pathlib.Path(f"{LAB}/solution.cu").read_text()
    begin = solution.index(KERNEL)
    barrier = solution.index(BARRIER, begin)
    assert barrier < solution.index("\n}\n", begin)
    racy = solution[:barrier] + solution[barrier + len(BARRIER):]
    folder.mkdir(parents=True, exist_ok=True)
    runs = {}
    for name, text in (("right", solution), ("racy", racy)):
        source = pathlib.Path(f"{build}/site/{name}/skeleton.cu")
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text)
        runs[name] = run(build, str(source), name, folder)
    number = solution[:barrier].count("\n") + 1
    at = [line[0] for line in runs["right"]["source"]].index(number)
    runs["right"]["differs"] = number
    runs["racy"]["source"].insert(at, [0, BARRIER.rstrip()])
    (folder / "recorded.js").write_text("var recorded = " + json.dumps(runs, indent=0) + ";\n")
    (folder / "recorded.html").write_text("".join(
        f"<details><summary>The {name} kernel: what the grader said</summary>\n<pre>"
        + "\n".join(left_standing(one["events"])) + "</pre></details>\n"
        for name, one in runs.items()))


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
