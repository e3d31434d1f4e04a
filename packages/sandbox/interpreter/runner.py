"""Loaded into Pyodide once, before the image of its memory is made. `run` is what python.ts calls."""

import asyncio
import gc
import json
import math
import os
import posix
import random
import sys
import time
import types

from pyodide import webloop

# Part of the image, because an import from the archive takes milliseconds in every run.
import base64, bisect, collections, copy, csv, dataclasses, datetime, decimal, difflib, enum, fractions, functools  # noqa: E401
import hashlib, heapq, html, itertools, operator, pprint, re, statistics, string, textwrap, typing, unicodedata  # noqa: E401
import urllib.parse, uuid  # noqa: E401

FILE = "evaluate.py"
# Ways from Python to JavaScript and to raw memory. Behind them is a wall; without this an import would end the run.
ABSENT = {"js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core", "micropip", "ctypes", "_ctypes"}


class Absent:
    """The first finder of modules: those of ABSENT do not exist."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


sys.meta_path[:] = [Absent] + [finder for finder in sys.meta_path if "pyodide" not in repr(finder)]
for name in [name for name in sys.modules if name.partition(".")[0] in ABSENT]:
    del sys.modules[name]


class Clock:
    """What an event loop waits with when there is nothing to read or write."""

    @staticmethod
    def select(timeout):
        if timeout is None:
            raise RuntimeError("evaluate waits for something that never happens.")
        if timeout > 0:
            time.sleep(timeout)
        return []


class EventLoop(asyncio.BaseEventLoop):
    """Tasks and timers, no files or sockets."""

    _selector = Clock

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass


asyncio.new_event_loop = asyncio.events.new_event_loop = EventLoop
# Pyodide has put its own in their places, which call JavaScript.
asyncio.run, time.sleep = webloop._orig_run, webloop._orig_sleep
asyncio.events._set_running_loop(None)
del webloop

# They name nothing of the host, and nothing that would be of use.
os.environ.clear()
posix.environ.clear()
sys.argv = [""]

LIMITS = json.loads(LIMITS_JSON)
encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


class Failure(Exception):
    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


def run(work):
    """bytes → bytes: what interpreter.ts calls Work → the JSON text of an outcome."""
    try:
        random.seed()
        value = evaluate(json.loads(work))
        # Halves of surrogate pairs are no UTF-8, and their escapes are JSON's.
        text = value.encode("utf-8", "backslashreplace")
        if len(text) > LIMITS["outputBytesMax"]:
            raise Failure("output", f"evaluate returned more than {LIMITS['outputBytesMax']} bytes of JSON.")
        return b'{"ok":true,"value":' + text + b"}"
    except Failure as failure:
        return outcome(failure.kind, str(failure))
    except MemoryError as error:
        line = line_of(error)
        error.__traceback__ = None
        return outcome("memory", f"The code needs more than {LIMITS['memoryBytesMax'] >> 20} MiB of memory.", line)
    except BaseException as error:
        kind = "syntax" if isinstance(error, SyntaxError) and error.filename == FILE else "code"
        return outcome(kind, message_of(error), line_of(error))


def evaluate(work):
    module = types.ModuleType("evaluate")
    sys.modules["evaluate"] = module
    exec(compile(work["source"], FILE, "exec", dont_inherit=True), module.__dict__)
    function = module.__dict__.get("evaluate")
    if not callable(function):
        raise Failure("no_function", "The code defines no function evaluate.")
    result = function(*json.loads(work["arguments"]))
    if hasattr(result, "__await__"):
        result = asyncio.run(settle(result))
    check(result, "", [])
    return encode(result)


async def settle(awaitable):
    return await awaitable


def check(value, path, above):
    """Raises a Failure that names the first part that is not JSON."""
    if value is None or isinstance(value, (str, bool, int)):
        return
    if isinstance(value, float):
        if not math.isfinite(value):
            refuse(str(value), path)
    elif isinstance(value, (dict, list, tuple)):
        if any(one is value for one in above):
            refuse("a cycle", path)
        if len(above) >= LIMITS["outputLevelsMax"]:
            refuse(f"more than {LIMITS['outputLevelsMax']} levels", "")
        check_parts(value, path, [*above, value])
    else:
        refuse(f"an object of class {type(value).__name__}", path)


def check_parts(value, path, inside):
    if isinstance(value, dict):
        for key, member in value.items():
            if not isinstance(key, str):
                refuse(f"a dict with the key {repr(key)[:100]} (a key must be text)", path)
            check(member, f"{path}[{key[:100]!r}]", inside)
    else:
        for index, one in enumerate(value):
            check(one, f"{path}[{index}]", inside)


def refuse(what, path):
    raise Failure("result", f"evaluate returned {what}{f' at {path}' if path else ''}, which is not JSON.")


def outcome(kind, message, line=None):
    failure = {"ok": False, "kind": kind, "message": message[: LIMITS["messageLengthMax"]], "line": line}
    return encode({name: value for name, value in failure.items() if value is not None}).encode("utf-8", "backslashreplace")


def message_of(error):
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
    except BaseException:
        text = ""
    name = type(error).__name__
    return f"{name}: {text}" if text else name


def line_of(error):
    """The innermost line of the author's source."""
    if isinstance(error, SyntaxError) and error.filename == FILE:
        return error.lineno
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


# Compiles and imports what every run needs, so that it is part of the image.
warm = {"source": "async def evaluate(one):\n    return {'one': [one, 1.5]}", "arguments": '["é"]'}
text = run(json.dumps(warm).encode()).decode()
assert text == '{"ok":true,"value":{"one":["é",1.5]}}', text
del sys.modules["evaluate"], warm, text
gc.collect()
# Collections during a run leave the image's objects, and with them its pages, alone.
gc.freeze()
