/**
 * System calls no tool gets, as the small program the kernel runs before each call. Namespaces do not cover these: a
 * key ring is inherited from whoever started Narratoria, and the others open large parts of the kernel to a stranger.
 */
import { Buffer } from "node:buffer";
import { endianness } from "node:os";

interface Machine {
  /** The kernel's AUDIT_ARCH number. A call in another mode (32 bit on a 64 bit machine) has other numbers: refused. */
  audit: number;
  /** add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, io_uring_setup, kexec_load */
  refused: readonly number[];
}

const MACHINES: { readonly [arch: string]: Machine } = {
  x64: { audit: 0xc000003e, refused: [248, 249, 250, 321, 298, 323, 425, 246] },
  arm64: { audit: 0xc00000b7, refused: [217, 218, 219, 280, 241, 282, 425, 104] },
};

/** The x32 mode of x64 numbers its calls from here. */
const X32_CALLS = 0x4000_0000;
const ALLOW = 0x7fff_0000;
/** ENOSYS, "there is no such call": programs that can do without then do. */
const REFUSE = 0x0005_0000 | 38;
const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const RETURN = 0x06;
const CALL_NUMBER = 0;
const ARCHITECTURE = 4;

/** The program for bubblewrap's `--seccomp`; null on a machine whose numbers we do not know. */
export function systemCallFilter(arch: string = process.arch): Buffer | null {
  const machine = MACHINES[arch];
  if (machine === undefined || endianness() !== "LE") return null;
  const { audit, refused } = machine;
  // Each row: what to do, how many rows to skip when true and when false, the number.
  const toRefusal = refused.length + 1;
  const rows: [code: number, ifTrue: number, ifFalse: number, value: number][] = [
    [LOAD, 0, 0, ARCHITECTURE],
    [JUMP_IF_EQUAL, 0, toRefusal + 2, audit],
    [LOAD, 0, 0, CALL_NUMBER],
    [JUMP_IF_AT_LEAST, toRefusal, 0, X32_CALLS],
    ...refused.map((call, index): [number, number, number, number] => [JUMP_IF_EQUAL, toRefusal - index - 1, 0, call]),
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, REFUSE],
  ];
  const program = Buffer.alloc(rows.length * 8);
  rows.forEach(([code, ifTrue, ifFalse, value], index) => {
    program.writeUInt16LE(code, index * 8);
    program.writeUInt8(ifTrue, index * 8 + 2);
    program.writeUInt8(ifFalse, index * 8 + 3);
    program.writeUInt32LE(value, index * 8 + 4);
  });
  return program;
}
