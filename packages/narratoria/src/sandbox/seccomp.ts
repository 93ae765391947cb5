/**
 * The small program the kernel runs before each system call of a tool: what `system-calls.ts` lists is allowed, sockets
 * only of a few families, no program that runs as its owner is made, everything else is refused. Namespaces do not cover this: a stranger's program would talk to
 * large parts of the kernel, and to the init that ends it when we die.
 */
import { Buffer } from "node:buffer";
import { endianness } from "node:os";
import { allowedCalls, type Machine } from "./system-calls.ts";

interface Numbers {
  /** The kernel's AUDIT_ARCH number. A call in another mode (32 bit on a 64 bit machine) has other numbers: refused. */
  audit: number;
  clone: number;
  socket: number;
  socketpair: number;
  /** chmod, fchmod, fchmodat, fchmodat2, creat, mknod, mknodat, and where in their arguments the mode is. */
  setMode: readonly (readonly [call: number, mode: number])[];
  /** open, openat: their mode, the argument after the flags, counts only when they make a file. */
  open: readonly (readonly [call: number, flags: number])[];
  /** ptrace, process_vm_readv, process_vm_writev, pidfd_getfd, mount, umount2, pivot_root, chroot, unshare, setns */
  forbidden: readonly number[];
}

const MACHINES: Readonly<Record<Machine, Numbers>> = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    socket: 41,
    socketpair: 53,
    setMode: [
      [90, 1],
      [91, 1],
      [268, 2],
      [452, 2],
      [85, 1],
      [133, 1],
      [259, 2],
    ],
    open: [
      [2, 1],
      [257, 2],
    ],
    forbidden: [101, 310, 311, 438, 165, 166, 155, 161, 272, 308],
  },
  arm64: {
    audit: 0xc00000b7,
    clone: 220,
    socket: 198,
    socketpair: 199,
    setMode: [
      [52, 1],
      [53, 2],
      [452, 2],
      [33, 2],
    ],
    open: [[56, 2]],
    forbidden: [117, 270, 271, 438, 40, 39, 41, 51, 97, 268],
  },
};

const ALLOW = 0x7fff_0000;
const REFUSE = 0x0005_0000;
const NOT_PERMITTED = REFUSE | 1;
/** "There is no such call": programs that can do without then do. So libc starts threads without clone3. */
const NO_SUCH_CALL = REFUSE | 38;
const NO_SUCH_PROTOCOL = REFUSE | 93;
const NO_SUCH_FAMILY = REFUSE | 97;

const UNIX = 1;
const INTERNET = 2;
const INTERNET_6 = 10;
const NETLINK = 16;
/** Whichever fits, ICMP (ping), TCP, UDP, ICMPv6, and the TCP of several paths. Others would load kernel modules. */
const INTERNET_PROTOCOLS = [0, 1, 6, 17, 58, 262];
/** What looking up a name asks for the interfaces. */
const NETLINK_ROUTE = 0;
/** Every CLONE_NEW...: further namespaces. */
const NAMESPACES = 0x7e02_0000;

/** O_CREAT and O_TMPFILE. */
const MAKES_A_FILE = 0o20000100;
/** Set-user-id and set-group-id: whoever ran such a program of the player's would be the player. */
const RUNS_AS_OWNER = 0o6000;

/** What to do, how many rows to skip when true and when false, and the number. */
type Row = [code: number, ifTrue: number, ifFalse: number, value: number];

/** The program for bubblewrap's `--seccomp`; null on a machine whose numbers we do not know. */
export function systemCallFilter(arch: string = process.arch): Buffer | null {
  if ((arch !== "x64" && arch !== "arm64") || endianness() !== "LE") return null;
  const { audit, clone, socket, socketpair, setMode, open, forbidden } = MACHINES[arch];
  const judgeMode = (at: number): Row[] => [
    load(argument(at)),
    ...whenAnyOf(RUNS_AS_OWNER, [answer(NOT_PERMITTED)]),
    answer(ALLOW),
  ];
  return assemble([
    load(ARCHITECTURE),
    ...unless(audit, answer(NO_SUCH_CALL)),
    load(CALL_NUMBER),
    ...when(socket, [
      load(argument(0)),
      ...when(UNIX, [answer(ALLOW)]),
      ...when(NETLINK, [load(argument(2)), ...when(NETLINK_ROUTE, [answer(ALLOW)]), answer(NO_SUCH_PROTOCOL)]),
      ...[INTERNET, INTERNET_6].flatMap((family) =>
        when(family, [
          load(argument(2)),
          ...INTERNET_PROTOCOLS.flatMap((protocol) => when(protocol, [answer(ALLOW)])),
          answer(NO_SUCH_PROTOCOL),
        ]),
      ),
      answer(NO_SUCH_FAMILY),
    ]),
    ...when(socketpair, [load(argument(0)), ...when(UNIX, [answer(ALLOW)]), answer(NO_SUCH_FAMILY)]),
    ...when(clone, [load(argument(0)), ...whenAnyOf(NAMESPACES, [answer(NOT_PERMITTED)]), answer(ALLOW)]),
    ...setMode.flatMap(([call, mode]) => when(call, judgeMode(mode))),
    ...open.flatMap(([call, flags]) =>
      when(call, [load(argument(flags)), ...whenAnyOf(MAKES_A_FILE, judgeMode(flags + 1)), answer(ALLOW)]),
    ),
    ...forbidden.flatMap((call) => when(call, [answer(NOT_PERMITTED)])),
    ...ranges(allowedCalls(arch)).flatMap(([first, last]) => [
      ...whenBelow(first, answer(NO_SUCH_CALL)),
      ...whenBelow(last + 1, answer(ALLOW)),
    ]),
    answer(NO_SUCH_CALL),
  ]);
}

const CALL_NUMBER = 0;
const ARCHITECTURE = 4;
/** The lower half: all that is asked for here is a 32 bit number. */
const argument = (index: number): number => 16 + 8 * index;

const load = (offset: number): Row => [0x20, 0, 0, offset];
const answer = (value: number): Row => [0x06, 0, 0, value];
const when = (value: number, rows: readonly Row[]): Row[] => [[0x15, 0, rows.length, value], ...rows];
const unless = (value: number, row: Row): Row[] => [[0x15, 1, 0, value], row];
const whenAnyOf = (bits: number, rows: readonly Row[]): Row[] => [[0x45, 0, rows.length, bits], ...rows];
const whenBelow = (value: number, row: Row): Row[] => [[0x35, 1, 0, value], row];

function ranges(ascending: readonly number[]): [first: number, last: number][] {
  const found: [number, number][] = [];
  for (const number of ascending) {
    const current = found.at(-1);
    if (current !== undefined && current[1] + 1 >= number) current[1] = number;
    else found.push([number, number]);
  }
  return found;
}

function assemble(rows: readonly Row[]): Buffer {
  const program = Buffer.alloc(rows.length * 8);
  rows.forEach(([code, ifTrue, ifFalse, value], index) => {
    program.writeUInt16LE(code, index * 8);
    program.writeUInt8(ifTrue, index * 8 + 2);
    program.writeUInt8(ifFalse, index * 8 + 3);
    program.writeUInt32LE(value, index * 8 + 4);
  });
  return program;
}
