import { describe, expect, test } from "vitest";
import { systemCallFilter } from "./seccomp.ts";
import { allowedCalls, namedCalls, type Machine } from "./system-calls.ts";

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 };
const SOCKET = { x64: 41, arm64: 198 };
const CLONE = { x64: 56, arm64: 220 };

/** Runs the filter as the kernel would, on the few instructions it uses. */
function judge(machine: Machine, call: number, args: number[] = [], audit = AUDIT[machine]): string {
  const program = systemCallFilter(machine) as Buffer;
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call, 0);
  data.writeUInt32LE(audit, 4);
  args.forEach((argument, index) => data.writeUInt32LE(argument, 16 + index * 8));
  let accumulator = 0;
  for (let at = 0; ; at++) {
    const [code, value] = [program.readUInt16LE(at * 8), program.readUInt32LE(at * 8 + 4)];
    const jump = (holds: boolean): number => program.readUInt8(at * 8 + (holds ? 2 : 3));
    if (code === 0x20) accumulator = data.readUInt32LE(value);
    else if (code === 0x15) at += jump(accumulator === value);
    else if (code === 0x35) at += jump(accumulator >= value);
    else if (code === 0x45) at += jump((accumulator & value) !== 0);
    else return value === 0x7fff0000 ? "allowed" : `error ${value & 0xffff}`;
  }
}

describe.each<Machine>(["x64", "arm64"])("[Z1.3] the filter of system calls on %s", (machine) => {
  test("allows what is listed, and for the rest there is no such call", () => {
    const allowed = new Set([...allowedCalls(machine), CLONE[machine]]);
    const apart = new Set<number>([SOCKET[machine], SOCKET[machine] + (machine === "x64" ? 12 : 1)]);
    for (let call = 0; call < 600; call++) {
      if (apart.has(call)) continue;
      const found = judge(machine, call);
      if (allowed.has(call)) expect([call, found]).toEqual([call, "allowed"]);
      else expect([call, found]).toEqual([call, expect.stringMatching(/^error (38|1)$/)]);
    }
    expect(namedCalls(machine).size).toBeGreaterThan(200);
  });

  test("knows no call of another mode: 32 bit, x32", () => {
    expect(judge(machine, namedCalls(machine).get("read") ?? 0, [], 0x40000003)).toBe("error 38");
    expect(judge(machine, 0x40000000 + 1)).toBe("error 38");
  });

  test.each([
    ["a Unix socket", [1, 1, 0], "allowed"],
    ["TCP", [2, 1, 6], "allowed"],
    ["UDP over IPv6", [10, 2, 17], "allowed"],
    ["SCTP", [2, 1, 132], "error 93"],
    ["the interfaces", [16, 3, 0], "allowed"],
    ["another netlink", [16, 3, 12], "error 93"],
    ["vsock", [40, 1, 0], "error 97"],
    ["raw packets", [17, 3, 0], "error 97"],
    ["the kernel's ciphers", [38, 5, 0], "error 97"],
  ])("%s", (_, args, expected) => {
    expect(judge(machine, SOCKET[machine], args)).toBe(expected);
  });

  test("no program is made that runs as its owner, by any call that sets a mode", () => {
    const number = (name: string): number => namedCalls(machine).get(name) ?? -1;
    const modes: [name: string, mode: (bits: number) => number[]][] = [
      ["chmod", (bits) => [0, bits]],
      ["fchmod", (bits) => [3, bits]],
      ["fchmodat", (bits) => [3, 0, bits]],
      ["fchmodat2", (bits) => [3, 0, bits]],
      ["creat", (bits) => [0, bits]],
      ["mknod", (bits) => [0, bits]],
      ["mknodat", (bits) => [3, 0, bits]],
      ["open", (bits) => [0, 0o101, bits]],
      ["openat", (bits) => [3, 0, 0o101, bits]],
      ["openat", (bits) => [3, 0, 0o20200002, bits]],
    ];
    for (const [name, args] of modes.filter(([each]) => number(each) !== -1)) {
      expect([name, judge(machine, number(name), args(0o755))]).toEqual([name, "allowed"]);
      expect([name, judge(machine, number(name), args(0o4755))]).toEqual([name, "error 1"]);
      expect([name, judge(machine, number(name), args(0o2755))]).toEqual([name, "error 1"]);
    }
    // Without a file to make, the mode is whatever lay there.
    expect(judge(machine, number("openat"), [3, 0, 0, 0o6777])).toBe("allowed");
    // Its mode lies in memory, which no filter can look at.
    expect(judge(machine, 437)).toBe("error 38");
  });

  test("processes and threads, but no namespaces", () => {
    expect(judge(machine, CLONE[machine], [0x3d0f00])).toBe("allowed");
    expect(judge(machine, CLONE[machine], [0x10000000])).toBe("error 1");
  });
});

test("there is no filter for a machine whose numbers are unknown", () => {
  expect(systemCallFilter("riscv64")).toBeNull();
});
