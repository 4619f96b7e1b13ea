"""A class of thirty: real websocket visitors, each changing one widget once a second.

    python tests/load/thirty_clients.py [--clients 30] [--seconds 20] [--page matrix_lab] [--widget matrix_lab_scaling]

Starts the app, lets every visitor open the page, then measures the time from a visitor's change until the
script has run and everything it drew has arrived. Prints the median and 95th percentile, runs a second,
the server's processor time and memory, and errors; exit status 1 when anything went wrong, with the server's
last words.
"""

import argparse
import asyncio
import contextlib
import itertools
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import connect

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60  # seconds until a run counts as lost


class WrongAnswerError(Exception):
    """The server did not do what was asked."""


@contextlib.contextmanager
def served(entry: str):
    """Run the app as a class would have it; yields its port, its process id and its log."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", entry, "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1", "--server.headless", "true"]
    with tempfile.TemporaryFile("w+") as log:
        server = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        try:
            for _ in range(300):
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1).read()
                    break
                if server.poll() is not None:
                    log.seek(0)
                    sys.exit(f"{entry} did not start:\n{log.read()}")
                time.sleep(0.1)
            yield port, server.pid, log
        finally:
            server.terminate()
            server.wait(10)


def memory(pid: int) -> float:
    """Megabytes that the process holds; nan where the system has no /proc."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return float("nan")
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024


def processor(pid: int) -> float:
    """Seconds of processor time that the process has used; nan where the system has no /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


#: What the server says at the end of a good run.
DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


async def run_script(server, page: dict[str, str], widgets: list[WidgetState], fragment: str = "") -> list:
    """Ask for one run of the page, or of one fragment of it, and return what it drew: (element, its fragment).

    ``page`` has a page_name; as in a browser, the first answer's page_script_hash takes its place.
    """
    ask = BackMsg(rerun_script=page)
    ask.rerun_script.query_string = "lang=en"
    ask.rerun_script.widget_states.widgets.extend(widgets)
    ask.rerun_script.fragment_id = fragment
    await server.send(ask.SerializeToString())
    elements, started = [], False
    async with asyncio.timeout(PATIENCE):
        async for frame in server:
            message = ForwardMsg.FromString(frame)
            kind = message.WhichOneof("type")
            if kind == "new_session":
                elements, started = [], True
            elif kind == "navigation":
                page.pop("page_name", None)
                page["page_script_hash"] = message.navigation.page_script_hash
            elif kind == "page_not_found":
                raise WrongAnswerError(f"there is no page {page['page_name']!r}")
            elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
                drawn = message.delta.new_element
                element = getattr(drawn, drawn.WhichOneof("type"))
                if drawn.WhichOneof("type") == "exception":
                    raise WrongAnswerError(f"the page shows an error: {element.type}")
                elements.append((element, message.delta.fragment_id))
            elif kind == "script_finished" and started:
                if message.script_finished in DONE:
                    return elements
                if message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    raise WrongAnswerError("the script could not be compiled")
    raise WrongAnswerError("the server closed the connection")


def choices(elements: list, key: str) -> list[tuple[WidgetState, str]]:
    """What a visitor can set the widget with this key to, each choice as the browser would send it."""
    for element, fragment in elements:
        states = _choices_of(element, key)
        if states:
            return [(state, fragment) for state in states]
    raise WrongAnswerError(f"the page has no widget with the key {key!r}")


def _choices_of(element, key: str) -> list[WidgetState]:
    identity = getattr(element, "id", "")
    if not isinstance(identity, str) or identity.split("-", maxsplit=2)[-1] != key:
        return []
    match type(element).__name__:
        case "ButtonGroup":
            return [
                WidgetState(id=identity, string_array_value={"data": [option.content]}) for option in element.options
            ]
        case "Slider" if element.options:
            return [WidgetState(id=identity, string_array_value={"data": [option]}) for option in element.options]
        case "Slider":
            values = np.arange(element.min, element.max + element.step / 2, element.step)
            return [WidgetState(id=identity, double_array_value={"data": [value]}) for value in values]
        case "Checkbox":
            return [WidgetState(id=identity, bool_value=value) for value in (True, False)]
        case other:
            raise WrongAnswerError(f"this script cannot operate the {other} {key!r}")


async def visit(number: int, options, port: int, opened: asyncio.Barrier, took: list, errors: list) -> None:
    """One visitor: open the page, wait for the others, then change the widget once a second."""
    try:
        address = f"ws://127.0.0.1:{port}/_stcore/stream"
        async with connect(address, subprotocols=["streamlit", "x"], max_size=None) as server:
            page = {"page_name": options.page}
            elements = await run_script(server, page, [])
            await opened.wait()
            begin = time.perf_counter() + number / options.clients  # not all in the same moment
            for turn in itertools.count():
                await asyncio.sleep(max(0, begin + turn - time.perf_counter()))
                if time.perf_counter() >= begin + options.seconds:
                    return
                # From what is on screen: a run without this widget would have drawn another page.
                states = choices(elements, options.widget)
                state, fragment = states[turn % len(states)]
                sent = time.perf_counter()
                elements = await run_script(server, page, [state], fragment)
                took.append(time.perf_counter() - sent)
    except Exception as problem:  # whatever it is: it is counted, and the others go on or are let go
        errors.append(f"visitor {number}: {type(problem).__name__}: {problem}")
        await opened.abort()


async def measure(options, port: int, pid: int) -> int:
    took, errors = [], []
    opened = asyncio.Barrier(options.clients + 1)
    visitors = [
        asyncio.create_task(visit(number, options, port, opened, took, errors)) for number in range(options.clients)
    ]
    with contextlib.suppress(asyncio.BrokenBarrierError):  # a visitor could not open the page: see its error
        await opened.wait()
    before, used, begin = memory(pid), processor(pid), time.perf_counter()
    await asyncio.gather(*visitors)
    seconds = time.perf_counter() - begin
    p50, p95 = np.percentile(took, [50, 95]) * 1000 if took else (float("nan"), float("nan"))
    print(f"{options.clients} visitors of {options.page or 'the home page'!r} changing {options.widget!r}")
    print(f"latency    p50 {p50:.0f} ms, p95 {p95:.0f} ms")
    print(f"runs       {len(took)} in {seconds:.1f} s = {len(took) / seconds:.1f}/s")
    print(f"processor  {(processor(pid) - used) / max(1, len(took)) * 1000:.1f} ms a run")
    print(f"memory     {before:.0f} MB at the start, {memory(pid):.0f} MB at the end")
    print(f"errors     {len(errors)}")
    for error in errors[:5]:
        print("  " + error)
    return 1 if errors or not took else 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--page", default="matrix_lab", help="as in its address; empty for the home page")
    parser.add_argument("--widget", default="matrix_lab_scaling", help="key of the widget to change")
    parser.add_argument("--entry", default="app.py", help="the script to serve")
    options = parser.parse_args(arguments)
    with served(options.entry) as (port, pid, log):
        status = asyncio.run(measure(options, port, pid))
        if status:
            log.seek(0)
            print("the server said:", *log.readlines()[-20:], sep="\n  ")
        return status


if __name__ == "__main__":
    sys.exit(main())
