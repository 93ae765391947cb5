"""Calls a Python function for Narratoria: imports its module once, then forks a process of its own for every call.

`python-server.ts` starts this and talks with it: lines of JSON come in on stdin (the setting, then one call after the
other), frames go out on stdout. A frame is its kind, four bytes of length, and so many bytes:

  H  hello: what became of the import, as JSON    B     a call begins, as JSON
  O, E  what the call printed to stdout, stderr   R     the call's response, piece by piece
  X  how the call's process ended, as JSON: the call is over

H has the id of the setting, B and X that of their call: what was not asked for is not believed.

Standard library only, Python 3.8 or newer. What fails in here in a way nobody planned for ends this process: the other
side then starts another.
"""

import faulthandler
import gc
import importlib
import json
import os
import re
import select
import signal
import struct
import sys

# By their own names: what a tool's module changes in these modules when it is imported must not reach this process.
from json import dumps, loads
from os import _exit, close, dup2, fork, kill, pipe, read, setsid, waitpid, write
from select import poll
from time import monotonic, sleep

PROTOCOL_VERSION = 1
PIECE = 65536
MOST_IMPORT_OUTPUT = 65536
MOST_FILES = 2000
DRAIN_SECONDS = 1.0
GONE_SECONDS = 0.5


def main():
    control_in, control_out = os.dup(0), os.dup(1)
    # Nothing of the tool's may read the calls or write between the frames: it finds no stdin, and prints elsewhere.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    faulthandler.enable()
    requests = os.fdopen(control_in, "rb")
    setting = loads(requests.readline())
    folders = Folders(["/tmp", os.environ.get("NARRATORIA_ASSET_DIR", "/tmp")])
    os.environ.update(setting["environment"])
    # Arguments, not a part of the setting: a sandbox may have to put a copy in the place of what arguments name.
    modules_in = sys.path[:1] = [os.path.abspath(folder) for folder in sys.argv[1:]]
    sys.argv = [""]
    print_at_once()
    # In a PID namespace of its own, everybody but init can be ended in one go. Elsewhere that would be everybody's end.
    alone = setting["alone"] and os.getppid() == 1
    set_dumpable = find_prctl()
    if set_dumpable:
        # A call may neither look into this process, which sees the next calls too, nor open what it has open.
        set_dumpable(0)

    imported = Import()
    if setting["preload"]:
        imported.run(setting["entry"])
    hello = {"id": setting["id"], "python": sys.executable, "imported": imported.outcome, "files": imported.files(modules_in)}
    send(control_out, b"H", dumps(hello).encode())

    for line in requests:
        message = loads(line)
        send(control_out, b"B", dumps({"id": message["id"]}).encode())
        Call(control_in, control_out, alone).run(message, imported, set_dumpable)
        if not setting["reuse"]:
            break
        if alone:
            folders.empty()


class Import:
    """The module, imported ahead of the calls, and what it printed meanwhile: every call prints that again."""

    def __init__(self):
        self.outcome = "not yet"
        self.child_handler = signal.SIG_DFL
        self.printed = {b"O": b"", b"E": b""}

    def run(self, entry):
        recordings = {b"O": Recording(1), b"E": Recording(2)}
        try:
            importlib.import_module(split_entry(entry)[0])
            self.outcome = "threads" if has_threads() else "ready"
        except BaseException:
            # The call itself meets the same error, and tells of it.
            self.outcome = "failed"
        flush()
        self.printed = {kind: recording.end() for kind, recording in recordings.items()}
        # A module that wants to hear nothing of its children must not keep us from hearing of ours.
        self.child_handler = signal.signal(signal.SIGCHLD, signal.SIG_DFL) or signal.SIG_DFL
        gc.collect()
        gc.freeze()

    def files(self, folders):
        """What was imported and is not Python's own: when one of these changes, all of this is out of date."""
        found = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
        prefixes = [] if sys.prefix == sys.base_prefix else [sys.prefix]
        own = tuple(os.path.join(folder, "") for folder in [*folders, *prefixes])
        library = os.path.join(sys.base_prefix, "")
        names = {os.path.abspath(name) for name in found if isinstance(name, str)}
        names.discard(os.path.abspath(__file__))
        mine = sorted(name for name in names if name.startswith(own) or not name.startswith(library))
        return mine[:MOST_FILES] if self.outcome in ("ready", "threads") else []


class Recording:
    """Catches what goes to a descriptor."""

    def __init__(self, descriptor):
        self.descriptor = descriptor
        self.before = os.dup(descriptor)
        name = os.path.join(os.environ.get("TMPDIR", "/tmp"), ".narratoria-import-%d-%d" % (os.getpid(), descriptor))
        self.file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        os.unlink(name)
        os.dup2(self.file, descriptor)

    def end(self):
        os.dup2(self.before, self.descriptor)
        os.close(self.before)
        text = os.pread(self.file, MOST_IMPORT_OUTPUT, 0)
        os.close(self.file)
        return text


class Folders:
    """Where a call may write. Between calls nothing stays: the next one finds them as the first one did."""

    def __init__(self, folders):
        self.folders = folders
        # What is mounted inside (a story below /tmp, say) is somebody else's, and is never entered.
        try:
            with open("/proc/self/mountinfo") as mounts:
                self.mounts = {unescape(line.split(" ")[4]) for line in mounts}
        except OSError:
            self.mounts = set()

    def empty(self):
        for folder in self.folders:
            self.remove_below(folder)

    def remove_below(self, folder):
        for entry in list(os.scandir(folder)):
            if entry.path in self.mounts:
                continue
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)
                continue
            os.chmod(entry.path, 0o700)
            self.remove_below(entry.path)
            if not any(mount.startswith(entry.path + "/") for mount in self.mounts):
                os.rmdir(entry.path)


def unescape(path):
    """Spaces and the like stand in a list of mounts as octal numbers."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found.group(1), 8)), path)


class Call:
    def __init__(self, control_in, control_out, alone):
        self.control_in, self.control_out, self.alone = control_in, control_out, alone
        self.pid = None

    def run(self, message, imported, set_dumpable):
        pipes = {kind: pipe() for kind in (b"O", b"E", b"R")}
        self.pid = fork()
        if self.pid == 0:
            try:
                close(self.control_in)
                close(self.control_out)
                signal.signal(signal.SIGCHLD, imported.child_handler)
                if set_dumpable:
                    set_dumpable(1)
                setsid()
                dup2(pipes[b"O"][1], 1)
                dup2(pipes[b"E"][1], 2)
                reply = pipes[b"R"][1]
                for read_end, write_end in pipes.values():
                    close(read_end)
                    if write_end != reply:
                        close(write_end)
                os.environ.update(message["environment"])
                answer(message["request"], reply)
            finally:
                _exit(70)
        for _, write_end in pipes.values():
            close(write_end)
        try:
            for kind, text in imported.printed.items():
                if text:
                    send(self.control_out, kind, text)
            self.relay({read_end: kind for kind, (read_end, _) in pipes.items()}, message["id"])
        except OSError:
            # Nobody listens any more.
            self.end_everything()
            self.wait_until_gone()
            _exit(71)

    def relay(self, readers, call_id):
        """Passes on what the call prints and answers until its process has ended, whatever its descendants do."""
        waiting = poll()
        for descriptor in [*readers, self.control_in]:
            waiting.register(descriptor, select.POLLIN)
        process = watch(self.pid)
        if process is not None:
            waiting.register(process, select.POLLIN)
        status, deadline = None, None
        while status is None or (readers and monotonic() < deadline):
            wait = 10 if process is None or status is not None else None
            for descriptor, _ in waiting.poll(wait):
                if descriptor == self.control_in:
                    # A call is made only after the last one ended: this is the end of the input, and of everything.
                    raise OSError("the input has ended")
                if descriptor in readers:
                    piece = read(descriptor, PIECE)
                    if piece:
                        send(self.control_out, readers[descriptor], piece)
                    else:
                        waiting.unregister(descriptor)
                        close(descriptor)
                        del readers[descriptor]
            if status is None:
                ended, found = waitpid(self.pid, os.WNOHANG)
                if ended:
                    status, deadline = found, monotonic() + DRAIN_SECONDS
                    if process is not None:
                        waiting.unregister(process)
                        close(process)
                    self.end_everything()
        for descriptor in readers:
            close(descriptor)
        killed = os.WIFSIGNALED(status)
        exit_code, by_signal = (None, os.WTERMSIG(status)) if killed else (os.WEXITSTATUS(status), None)
        end = {"id": call_id, "exitCode": exit_code, "signal": by_signal}
        send(self.control_out, b"X", dumps(end).encode())

    def end_everything(self):
        try:
            kill(-1 if self.alone else -self.pid, signal.SIGKILL)
        except OSError:
            # Nobody is left.
            pass


    def wait_until_gone(self):
        """A kill takes a moment; who hears that we have ended may count on it."""
        try:
            waitpid(self.pid, 0)
            latest = monotonic() + GONE_SECONDS
            while monotonic() < latest:
                kill(-self.pid, 0)
                sleep(0.005)
        except OSError:
            # That was the last of them.
            pass


def answer(request, reply):
    """Runs in the call's own process, and ends it."""
    caller = os.getpid()
    code = 0
    response = None
    try:
        print_at_once()
        draw_anew()
        result = call_entry(request)
        response = to_json({"ok": True, "protocol_version": PROTOCOL_VERSION, "result": result})
    except SystemExit as leaving:
        code = exit_code(leaving)
    except BaseException as error:
        print_traceback(error)
        failure = {"type": type(error).__name__, "message": message_of(error)}
        response = dumps({"ok": False, "protocol_version": PROTOCOL_VERSION, "error": failure})
    if os.getpid() != caller:
        # A copy the function made of this process with os.fork: there is one answer only.
        os._exit(code)
    if response is not None:
        write_all(reply, response.encode("ascii"))
    os.close(reply)
    leave(code)


def call_entry(request):
    version = request.get("protocol_version", PROTOCOL_VERSION)
    if isinstance(version, bool) or version != PROTOCOL_VERSION:
        raise ValueError("protocol_version %s is not supported, only %d" % (version, PROTOCOL_VERSION))
    entry = request.get("entry")
    module_name, function_name = split_entry(entry)
    function = getattr(importlib.import_module(module_name), function_name)
    if not callable(function):
        raise TypeError("%s is no function" % entry)
    return function(request.get("payload", {}))


def split_entry(entry):
    """Before anything is imported: nothing of the tool's runs for an entry that is none."""
    module_name, colon, function_name = entry.partition(":") if isinstance(entry, str) else ("", "", "")
    if not (module_name and colon and function_name):
        raise ValueError('entry must be "module:function", not %r' % (entry,))
    return module_name, function_name


def to_json(response):
    try:
        return dumps(response, default=to_plain, allow_nan=False)
    except RecursionError:
        raise ValueError("The result is nested too deep.") from None
    except ValueError as error:
        if "ircular" in str(error):
            raise ValueError("The result contains itself.") from None
        if "finite" in str(error) or "Out of range" in str(error):
            raise ValueError("The result holds NaN or Infinity, which JSON has no word for.") from None
        raise


def to_plain(value):
    decimal = sys.modules.get("decimal")
    if decimal is not None and isinstance(value, decimal.Decimal):
        if not value.is_finite():
            raise ValueError("not finite")
        return int(value) if value == value.to_integral_value() else format(value.normalize(), "f")
    raise TypeError("The result holds a value of type %s, which JSON has no word for." % type(value).__name__)


def message_of(error):
    try:
        return str(error) or "Tool error"
    except Exception:
        return "Tool error"


def print_traceback(error):
    try:
        import traceback

        # Without the frames of this file.
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        traceback.print_exception(type(error), error, trace)
    except Exception:
        pass


def exit_code(leaving):
    """What Python itself makes of `sys.exit(...)`."""
    if leaving.code is None:
        return 0
    if isinstance(leaving.code, int):
        return leaving.code & 0xFF
    print(leaving.code, file=sys.stderr)
    return 1


def draw_anew():
    """Every call is a copy of the same process; `random` draws new numbers in each by itself, numpy does not."""
    numpy = sys.modules.get("numpy")
    if hasattr(numpy, "random"):
        numpy.random.seed()


def leave(code):
    """As a Python process ends: threads first, then what was registered. Taking the interpreter apart is left out."""
    try:
        if "threading" in sys.modules:
            sys.modules["threading"]._shutdown()
        import atexit

        atexit._run_exitfuncs()
    except BaseException:
        pass
    flush()
    os._exit(code)


def print_at_once():
    """Line by line, so that prints and what else goes to stdout keep their order."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass


def has_threads():
    try:
        return len(os.listdir("/proc/self/task")) > 1
    except OSError:
        return "threading" in sys.modules and sys.modules["threading"].active_count() > 1


def watch(pid):
    """A descriptor that becomes readable when a process ends; None where there is no such thing."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def find_prctl():
    try:
        import ctypes

        prctl = ctypes.CDLL(None).prctl
        return lambda dumpable: prctl(4, dumpable, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        return None


def send(descriptor, kind, data):
    write_all(descriptor, kind + struct.pack(">I", len(data)) + data)


def write_all(descriptor, data):
    view = memoryview(data)
    while view:
        view = view[write(descriptor, view) :]


if __name__ == "__main__":
    main()
