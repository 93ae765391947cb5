import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findGraphProblems, type GraphTool } from "./plan-graph.ts";

describe("[P1.2] dependencies", () => {
  test("a graph without faults has no problems", () => {
    expect(findGraphProblems(graph({ a: "", b: "a", c: "a", d: "bc" }))).toEqual([]);
  });

  test("a cycle is named, and points at the dependency that closes it", () => {
    const [problem, ...others] = findGraphProblems(graph({ x: "a", a: "xb", b: "a", y: "b" }));
    expect(problem).toEqual({
      pointer: "/tools/0/dependencies/0",
      code: "CYCLE",
      message: "tools wait for each other: x -> a -> x",
    });
    expect(others).toEqual([]);
  });

  test("each knot is reported once, in plan order", () => {
    const problems = findGraphProblems(graph({ p: "qa", q: "p", a: "b", b: "c", c: "a" }));
    expect(problems.map(({ message }) => message)).toEqual([
      "tools wait for each other: p -> q -> p",
      "tools wait for each other: a -> b -> c -> a",
    ]);
  });

  test("a tool that needs itself, or one that is not there", () => {
    const problems = findGraphProblems(graph({ a: "a", b: "az" }));
    expect(problems.map(({ code, pointer }) => [code, pointer])).toEqual([
      ["SELF_DEPENDENCY", "/tools/0/dependencies/0"],
      ["UNKNOWN_DEPENDENCY", "/tools/1/dependencies/1"],
    ]);
  });

  test("every repetition of an id is a problem; what has no id is left to the schema", () => {
    const tools = ["a", null, "a", null, "a"].map((toolId) => ({ toolId, dependencies: [null] }));
    expect(findGraphProblems(tools).map(({ code, pointer }) => [code, pointer])).toEqual([
      ["DUPLICATE_TOOL_ID", "/tools/2/toolId"],
      ["DUPLICATE_TOOL_ID", "/tools/4/toolId"],
    ]);
  });

  test("each problem says which tool it is about", () => {
    const tools = [...graph({ a: "az" }), ...graph({ a: "" })];
    expect(findGraphProblems(tools).map(({ message }) => message)).toEqual([
      'an earlier tool is called "a" too',
      '"a" depends on itself',
      'no tool of this plan is called "z"',
    ]);
  });

  test("of the cycles in a knot the shortest through its first tool is named, wherever the search began", () => {
    const problems = findGraphProblems(graph({ z: "c", a: "bc", b: "d", d: "a", c: "a" }));
    expect(problems).toEqual([
      {
        pointer: "/tools/1/dependencies/1",
        code: "CYCLE",
        message: "tools wait for each other: a -> c -> a",
      },
    ]);
  });

  test("a cycle of fifty is named whole, a longer one by its beginning", () => {
    const ring = (size: number): GraphTool[] =>
      Array.from({ length: size }, (_, i) => ({ toolId: `t${i}`, dependencies: [`t${(i + 1) % size}`] }));
    expect(findGraphProblems(ring(50))[0]?.message).toMatch(/ -> t48 -> t49 -> t0$/);
    expect(findGraphProblems(ring(51))[0]?.message).toMatch(/ -> t48 -> t49 -> \(1 more\) -> t0$/);
  });

  test("ids like __proto__ and constructor are ordinary", () => {
    const tools = [
      { toolId: "__proto__", dependencies: ["constructor"] },
      { toolId: "b", dependencies: ["__proto__"] },
    ];
    expect(findGraphProblems(tools).map(({ code }) => code)).toEqual(["UNKNOWN_DEPENDENCY"]);
  });

  test("one cycle for each set of tools that all reach each other, the sets in plan order", () => {
    const needs = fc.integer({ min: 1, max: 9 }).chain((size) => {
      const list = fc.uniqueArray(fc.nat({ max: size - 1 }), { maxLength: 3 });
      return fc.array(list, { minLength: size, maxLength: size });
    });
    fc.assert(
      fc.property(needs, (lists) => {
        const edges = lists.map((list, index) => list.filter((need) => need !== index));
        const tools = edges.map((list, index) => ({ toolId: `t${index}`, dependencies: list.map((to) => `t${to}`) }));
        const places = findGraphProblems(tools).map(({ pointer }) => Number(pointer.split("/")[2]));
        expect(places).toEqual(firstOfEachKnot(edges));
      }),
      { numRuns: 500 },
    );
  });

  test("a cycle is reported exactly when peeling off finished tools gets stuck", () => {
    const sizes = fc.integer({ min: 1, max: 8 });
    const graphs = sizes.chain((size) =>
      fc.array(fc.array(fc.nat({ max: size - 1 }), { maxLength: 3 }), { minLength: size, maxLength: size }),
    );
    fc.assert(
      fc.property(graphs, (needs) => {
        const tools = needs.map((list, index) => ({
          toolId: `t${index}`,
          dependencies: list.filter((need) => need !== index).map((need) => `t${need}`),
        }));
        const cycles = findGraphProblems(tools);
        expect(cycles.length > 0).toBe(getsStuck(tools));
        for (const { message } of cycles) expectRealCycle(message, tools);
      }),
    );
  });
});

describe("[X1.7] large graphs", () => {
  const size = 100_000;

  test("a chain of 100,000 tools, in either order, costs no stack", { tags: "large" }, () => {
    const chain = Array.from({ length: size }, (_, i) => ({
      toolId: `t${i}`,
      dependencies: i === 0 ? [] : [`t${i - 1}`],
    }));
    expect(findGraphProblems(chain)).toEqual([]);
    expect(findGraphProblems(chain.toReversed())).toEqual([]);
  });

  test("a ring of 100,000 tools is named by its beginning", { tags: "large" }, () => {
    const ring = Array.from({ length: size }, (_, i) => ({ toolId: `t${i}`, dependencies: [`t${(i + 1) % size}`] }));
    const [problem, ...others] = findGraphProblems(ring);
    expect(problem?.message).toMatch(/: t0 -> t1 -> .* -> t49 -> \(99950 more\) -> t0$/);
    expect(others).toEqual([]);
  });

  test("200,000 unknown dependencies of one tool are all listed", { tags: "large" }, () => {
    const dependencies = Array.from({ length: 200_000 }, (_, i) => `missing${i}`);
    expect(findGraphProblems([{ toolId: "a", dependencies }])).toHaveLength(200_000);
  });
});

/** `{b: "ac"}`: b depends on a and c. */
function graph(needs: { [toolId: string]: string }): GraphTool[] {
  return Object.entries(needs).map(([toolId, list]) => ({ toolId, dependencies: list.split("") }));
}

/** The lowest member of every set of two or more that reach each other, by looking at all pairs. */
function firstOfEachKnot(edges: readonly (readonly number[])[]): number[] {
  const reached = edges.map((list) => {
    const seen = new Set(list);
    for (const at of seen) for (const to of edges[at] ?? []) seen.add(to);
    return seen;
  });
  const isFirst = (index: number): boolean =>
    reached[index]?.has(index) === true &&
    !edges.some((_, other) => other < index && reached[index]?.has(other) && reached[other]?.has(index));
  return edges.map((_, index) => index).filter(isFirst);
}

function getsStuck(tools: readonly GraphTool[]): boolean {
  const finished = new Set<string | null>();
  for (;;) {
    const ready = tools.filter(
      ({ toolId, dependencies }) => !finished.has(toolId) && dependencies.every((need) => finished.has(need)),
    );
    if (ready.length === 0) return finished.size < tools.length;
    for (const { toolId } of ready) finished.add(toolId);
  }
}

function expectRealCycle(message: string, tools: readonly GraphTool[]): void {
  const names = message.replace(/^.*: /, "").split(" -> ");
  expect(names.at(-1)).toBe(names[0]);
  for (const [i, name] of names.slice(1).entries()) {
    expect(tools.find(({ toolId }) => toolId === names[i])?.dependencies).toContain(name);
  }
}
