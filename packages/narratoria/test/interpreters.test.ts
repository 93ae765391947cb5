/** What interpreters and libraries do all day goes on in the full sandbox: its filter of system calls must not be felt. */
import { existsSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { createProcessRunner } from "../src/runners/process.ts";
import { FIXTURES, outcomeOf, runFixture } from "./run-fixture.ts";
import { sandboxOfLevel } from "./sandbox-of-level.ts";

const sandbox = await sandboxOfLevel("full");
const runner = createProcessRunner({ sandbox });
afterAll(() => sandbox.close());

const DONE = '{"version":"0","type":"done","ok":true}';

async function expectToWork(command: string[]): Promise<void> {
  const { report } = await runFixture(runner, "interpreter", { command, storyDir: FIXTURES, timeoutMs: 30_000 });
  expect(report.stderrTail).toBe("");
  expect(outcomeOf(report)).toBe("completed");
}

describe("[Z1.3] in the full sandbox", () => {
  test.each([
    [
      "native modules",
      "import ssl, sqlite3, ctypes, zlib, hashlib, curses; ssl.create_default_context(); sqlite3.connect('/tmp/x.db').execute('create table t (a)'); ctypes.CDLL(None).getpid()",
    ],
    [
      "threads and queues",
      "import threading, queue; q = queue.Queue(); threading.Thread(target=q.put, args=(1,)).start(); assert q.get() == 1",
    ],
    [
      "a pool of processes",
      "import multiprocessing as m; p = m.Pool(2); assert p.map(abs, [-1, -2]) == [1, 2]; p.close(); p.join()",
    ],
    [
      "processes started afresh",
      "import multiprocessing as m; c = m.get_context('forkserver'); e = c.Event(); p = c.Process(target=e.set); p.start(); p.join(); assert e.is_set()",
    ],
    [
      "shared memory",
      "from multiprocessing import shared_memory, Array; s = shared_memory.SharedMemory(create=True, size=9); s.buf[0] = 1; s.close(); s.unlink(); Array('i', 3)",
    ],
    ["anonymous shared maps", "import mmap; m = mmap.mmap(-1, 4096); m[0] = 1"],
    ["subprocesses", "import subprocess; assert subprocess.run(['ls', '/'], capture_output=True).returncode == 0"],
    [
      "asyncio",
      "import asyncio; assert asyncio.run(asyncio.wait_for((lambda: asyncio.create_subprocess_exec('true'))(), 9)) is not None",
    ],
    [
      "a server on its own loopback",
      "import socket, threading; s = socket.create_server(('127.0.0.1', 0)); c = socket.create_connection(s.getsockname()); assert s.accept()",
    ],
    [
      "temporary files and times",
      "import tempfile, os, time; f = tempfile.NamedTemporaryFile(); os.utime(f.name); os.chmod(f.name, 0o600); time.sleep(0); os.sched_getaffinity(0); os.getrandom(4)",
    ],
  ])("Python: %s", async (_, script) => {
    await expectToWork(["/usr/bin/python3", "-c", `${script}\nprint('${DONE}')`]);
  });

  test.each([
    ["worker threads", "new (require('worker_threads').Worker)('1', { eval: true }).on('exit', done)"],
    ["child processes", "require('child_process').execFile('ls', ['/'], done)"],
    [
      "a forked Node",
      "require('fs').writeFileSync('/tmp/c.js', 'process.send(1)'); require('child_process').fork('/tmp/c.js').on('message', done)",
    ],
    [
      "files and watching",
      "const fs = require('fs'); fs.watch('/tmp', function () { this.close(); done() }); fs.writeFileSync('/tmp/x', '')",
    ],
    [
      "servers and fetch",
      "const s = require('http').createServer((q, r) => r.end()).listen(0, '127.0.0.1', () => fetch('http://127.0.0.1:' + s.address().port).then(() => { s.close(); done() }))",
    ],
    [
      "WebAssembly and cryptography",
      "WebAssembly.validate(new Uint8Array(8)); require('crypto').scrypt('a', 'b', 16, done)",
    ],
    [
      "SQLite",
      "process.removeAllListeners('warning'); new (require('node:sqlite').DatabaseSync)('/tmp/x.db').exec('create table t (a)'); done()",
    ],
  ])("Node: %s", async (_, script) => {
    await expectToWork([
      process.execPath,
      "--no-warnings",
      "-e",
      `const done = () => console.log('${DONE}'); ${script}`,
    ]);
  });

  test.runIf(existsSync("/usr/bin/perl"))("where Perl is: forks, pipes, sockets, sleeps", async () => {
    const script = `use Socket; pipe(R, W); unless (fork) { print W "x"; exit } wait; socketpair(A, B, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die;
      open(F, '-|', 'ls', '/') or die; my @l = <F>; select(undef, undef, undef, 0.01); print '${DONE}'`;
    await expectToWork(["/usr/bin/perl", "-e", script]);
  });

  test("a shell: pipelines, jobs, here documents, traps", async () => {
    const script = `trap 'echo trapped >/tmp/t' USR1; kill -USR1 $$; sleep 0.01 & wait; seq 9 | sort -r | head -1 >/dev/null
      cat <<X >/tmp/here\nhere\nX\nfind / -maxdepth 1 >/dev/null; tar -cf /tmp/a.tar -C /tmp here; echo '${DONE}'`;
    await expectToWork(["/bin/sh", "-c", script]);
  });

  test.runIf(existsSync("/usr/bin/busybox"))("a static binary, where busybox is", async () => {
    await expectToWork(["/usr/bin/busybox", "sh", "-c", `/usr/bin/busybox ls / >/dev/null; echo '${DONE}'`]);
  });
});
