"""Write a Narratoria tool in Python: one file, standard library only, Python 3.9 or newer.

    from narratoria_tool import run

    def main(input, emit, call):
        emit.info("Lighting torch...")
        emit.patch({"inventory": {"torch": {"lit": True}}})
        return "Torch lit."

    run(main)

`run` reads the input from stdin, calls the function, and ends with exactly one `done`: the returned summary, or the
raised exception as an `error` event and `done` with ok false. Each event is written before the call that emits it
returns. Whatever else is printed, also by child processes, goes to stderr, so it cannot corrupt the events.
"""

import inspect
import json
import math
import os
import re
import sys
import tempfile
import threading
import traceback

__all__ = ["run", "ToolError", "Emit", "Call"]

_LEVELS = ("debug", "info", "warn", "error")
_MEDIA_TYPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*([ \t]*;.+)?")
_MAX_LINE_BYTES = 8 * 1024 * 1024


def run(handler):
    """Runs `handler(input, emit)` or `handler(input, emit, call)`: the last line of a tool's file.

    It returns a summary, a dict {"ok": bool, "summary": str}, or None.
    """
    output = _Output()
    exit_code = None
    try:
        call = _read_call()
        arguments = (call.input, Emit(output, call), call)
        ok, summary = _read_result(handler(*arguments[: _count_parameters(handler)]))
        output.send({"type": "done", "ok": ok, "summary": summary})
    except SystemExit as error:
        exit_code = error.code
        output.fail("EXITED_EARLY", "The tool called sys.exit before its end.")
    except BrokenPipeError:
        # Nobody listens any more, so there is nobody to tell either.
        os._exit(0)
    except ToolError as error:
        output.fail(error.code, str(error) or error.code, error.details)
    except BaseException as error:
        traceback.print_exc()
        output.fail(type(error).__name__, str(error) or type(error).__name__)
    sys.stdout.flush()
    if exit_code is not None:
        raise SystemExit(exit_code)


class ToolError(Exception):
    """Raise it to fail with a code of your own."""

    def __init__(self, code, message, details=None):
        super().__init__(message)
        self.code = code
        self.details = details


class Call:
    """What the tool was called with, besides its input."""

    def __init__(self, request):
        context = request.get("context")
        context = context if isinstance(context, dict) else {}
        self.input = request.get("input") or {}
        self.request_id = request.get("requestId") or os.environ.get("NARRATORIA_REQUEST_ID", "")
        self.tool = request.get("tool") or ""
        self.operation = request.get("operation") or "run"
        #: What the tools this one depends on gave; None where an optional one failed.
        self.dependencies = context.get("dependencies") or {}
        #: The part of the state the manifest's `reads` names; None when it is too large to send whole.
        self.state = context.get("state")
        self._asset_dir = os.environ.get("NARRATORIA_ASSET_DIR")

    @property
    def asset_dir(self):
        """A writable folder for assets."""
        if not self._asset_dir:
            self._asset_dir = tempfile.mkdtemp(prefix="narratoria-")
        return self._asset_dir


class Emit:
    """Each call is one event; what the host would refuse raises a TypeError or ValueError here."""

    def __init__(self, output, call):
        self._output = output
        self._call = call
        self._asset_ids = set()

    def log(self, level, message, **fields):
        self._output.send({"type": "log", "level": level, "message": message, "fields": fields or None})

    def debug(self, message, **fields):
        self.log("debug", message, **fields)

    def info(self, message, **fields):
        self.log("info", message, **fields)

    def warn(self, message, **fields):
        self.log("warn", message, **fields)

    def progress(self, done, message=None, total=None):
        """`progress(0.5)` is a fraction from 0 to 1; `progress(3, total=6)` is three of six."""
        fraction = done / total if total else done
        if not math.isfinite(fraction):
            raise ValueError("progress must be finite")
        fields = {"current": done, "total": total} if total else {"progress": min(1, max(0, done))}
        self.log("info", message or f"{round(100 * fraction)} %", **fields)

    def patch(self, patch):
        """Merged into the story's state at once; None removes a key."""
        self._output.send({"type": "state_patch", "patch": patch})

    def asset(self, asset_id, media_type, *, path=None, data=None, file_name=None, kind=None, metadata=None):
        """Registers a file; given `data` (bytes), writes it first. Returns the file's path."""
        if asset_id in self._asset_ids:
            raise ValueError(f"the asset id {asset_id!r} was used before")
        if data is not None:
            name = re.sub(r"[^\w.-]+", "_", str(file_name or asset_id))
            path = os.path.join(self._call.asset_dir, name)
            # Never over an older file: the host may still be copying it.
            with open(path, "xb") as file:
                file.write(data)
        event = {"type": "asset", "assetId": asset_id, "kind": kind or str(media_type).split("/")[0]}
        event.update(mediaType=media_type, path=None if path is None else os.fspath(path), metadata=metadata)
        self._output.send(event)
        self._asset_ids.add(asset_id)
        return path

    def choices(self, choices, prompt=None):
        """Offers the player choices: labels, or dicts with a `label`. The chosen label is their next prompt."""
        choices = list(choices)
        labels = [choice.get("label") if isinstance(choice, dict) else choice for choice in choices]
        if not labels or not all(isinstance(label, str) and label for label in labels):
            raise TypeError("choices must be at least one, and each needs a label")
        self.ui("narrative_choice", {"choices": choices, **({"prompt": prompt} if prompt else {})})

    def ui(self, event, payload=None):
        self._output.send({"type": "ui_event", "event": event, "payload": payload})

    def error(self, code, message, details=None):
        """Reports an error and goes on. To stop as well, raise a ToolError."""
        self._output.send({"type": "error", "errorCode": code, "errorMessage": message, "details": details})


class _Output:
    """The real stdout, kept for events: descriptor 1 itself becomes a second stderr."""

    def __init__(self):
        sys.stdout.flush()
        descriptor = os.dup(1)
        os.dup2(2, 1)
        if hasattr(os, "set_blocking"):
            os.set_blocking(descriptor, True)
        self._file = os.fdopen(descriptor, "wb")
        self._lock = threading.Lock()
        self._done = False

    def send(self, event):
        line = _to_line(event)
        with self._lock:
            if self._done:
                print("after done, not sent:", line.decode().strip(), file=sys.stderr)
                return
            self._file.write(line)
            self._file.flush()
            self._done = event["type"] == "done"

    def fail(self, code, message, details=None):
        if self._done:
            return
        error = {"type": "error", "errorCode": code, "errorMessage": message}
        try:
            self.send({**error, "details": details})
        except (TypeError, ValueError):
            self.send(error)
        self.send({"type": "done", "ok": False, "summary": message})


def _read_call():
    text = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read().decode("utf-8-sig")
    if not text.strip():
        # By hand: ./tool.py '{"action":"x"}'
        text = '{"input":%s}' % sys.argv[1] if len(sys.argv) > 1 else "{}"
    try:
        request = json.loads(text)
    except ValueError as error:
        raise ToolError("INVALID_INPUT", f"the input is no JSON: {error}") from None
    if not isinstance(request, dict) or not isinstance(request.get("input") or {}, dict):
        raise ToolError("INVALID_INPUT", "the input is no JSON object")
    return Call(request)


def _read_result(result):
    if isinstance(result, dict):
        return result.get("ok", True), result.get("summary")
    if result is None or isinstance(result, str):
        return True, result
    raise TypeError("a tool returns a summary, a dict with ok and summary, or None")


def _count_parameters(handler):
    parameters = inspect.signature(handler).parameters.values()
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        return 3
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return min(3, sum(parameter.kind in positional for parameter in parameters))


def _to_line(event):
    event = {"version": "0", **{name: value for name, value in event.items() if value is not None}}
    _check(event)
    # allow_nan=False: NaN is no JSON, and a host must refuse the whole line.
    text = json.dumps(event, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        line = text.encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        # Half a surrogate pair, as file names can hold, exists in JSON only as an escape.
        line = json.dumps(event, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"
    if len(line) > _MAX_LINE_BYTES:
        raise ValueError(f"a {event['type']} event is over 8 MiB: write the data to a file and emit it as an asset")
    return line


_TEXT_FIELDS = {
    "log": ("message",),
    "state_patch": (),
    "asset": ("assetId", "kind", "mediaType", "path"),
    "ui_event": ("event",),
    "error": ("errorCode", "errorMessage"),
    "done": (),
}


def _check(event):
    kind = event["type"]
    for name in _TEXT_FIELDS[kind]:
        if not isinstance(event.get(name), str) or not event[name]:
            raise TypeError(f'{kind} event: "{name}" must be a non-empty string, got {event.get(name)!r}')
    for name in ("fields", "metadata", "payload", "details"):
        if not isinstance(event.get(name, {}), dict):
            raise TypeError(f'{kind} event: "{name}" must be a dict, got {event[name]!r}')
    if kind == "log" and event["level"] not in _LEVELS:
        raise TypeError(f'log event: "level" must be one of {", ".join(_LEVELS)}, got {event["level"]!r}')
    if kind == "state_patch" and not isinstance(event.get("patch"), dict):
        raise TypeError(f'state_patch event: "patch" must be a dict, got {event.get("patch")!r}')
    if kind == "asset" and not _MEDIA_TYPE.fullmatch(event["mediaType"]):
        raise TypeError(f'asset event: "mediaType" must be like image/png, got {event["mediaType"]!r}')
    if kind == "done" and not (isinstance(event["ok"], bool) and isinstance(event.get("summary", ""), str)):
        raise TypeError("done event: ok must be True or False, and the summary a string")
