/**
 * The plan's tools as a graph: who waits for whom, and what makes that impossible. `plan.ts` reports what is found here
 * together with everything else. Linear in tools and dependencies, and without recursion: a chain may be 100,000 long.
 */
import { planProblem, type PlanProblem } from "./plan-problem.ts";

/** A null stands for a value that is no string: reported elsewhere, kept here so that positions stay right. */
export interface GraphTool {
  toolId: string | null;
  dependencies: readonly (string | null)[];
}

export function findGraphProblems(tools: readonly GraphTool[]): PlanProblem[] {
  const problems: PlanProblem[] = [];
  const nodes = tools.map(newNode);
  const byId = new Map<string, Node>();
  for (const node of nodes) {
    const { toolId } = node.tool;
    if (toolId === null) continue;
    if (byId.has(toolId)) {
      const message = `an earlier tool is called "${toolId}" too`;
      problems.push(planProblem("DUPLICATE_TOOL_ID", ["tools", node.index, "toolId"], message));
    } else byId.set(toolId, node);
  }
  for (const node of nodes) connect(node, byId, problems);
  for (const cycle of findCycles(nodes)) problems.push(cycleProblem(cycle));
  return problems;
}

interface Node {
  tool: GraphTool;
  index: number;
  edges: Edge[];
  /** For `collectKnots`: when the node was reached, the earliest open node it leads to, the next edge to follow. */
  order: number;
  low: number;
  next: number;
  open: boolean;
}

interface Edge {
  from: Node;
  to: Node;
  /** Its place in the list of dependencies. */
  position: number;
}

const UNSEEN = -1;

function newNode(tool: GraphTool, index: number): Node {
  return { tool, index, edges: [], order: UNSEEN, low: UNSEEN, next: 0, open: false };
}

function connect(node: Node, byId: ReadonlyMap<string, Node>, problems: PlanProblem[]): void {
  for (const [position, dependency] of node.tool.dependencies.entries()) {
    if (dependency === null) continue;
    const path = ["tools", node.index, "dependencies", position];
    const to = byId.get(dependency);
    if (dependency === node.tool.toolId) {
      problems.push(planProblem("SELF_DEPENDENCY", path, `"${dependency}" depends on itself`));
    } else if (to === undefined) {
      problems.push(planProblem("UNKNOWN_DEPENDENCY", path, `no tool of this plan is called "${dependency}"`));
    } else node.edges.push({ from: node, to, position });
  }
}

/** One cycle for each knot of tools that wait for each other, the knots in plan order. */
function findCycles(nodes: readonly Node[]): Edge[][] {
  const knots: Knot[] = [];
  for (const node of nodes) if (node.order === UNSEEN) collectKnots(node, knots);
  return knots.toSorted((a, b) => a.first.index - b.first.index).map(shortestCycle);
}

/** Tools that all reach each other: a strongly connected component of two or more. */
interface Knot {
  /** The first of them in the plan. */
  first: Node;
  members: ReadonlySet<Node>;
}

/** Tarjan's algorithm with a list in place of its recursion. */
function collectKnots(root: Node, knots: Knot[]): void {
  const path: Node[] = [];
  const open: Node[] = [];
  let reached = 0;
  enter(root);
  for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
    const to = node.edges[node.next++]?.to;
    if (to === undefined) leave(node);
    else if (to.order === UNSEEN) enter(to);
    else if (to.open) node.low = Math.min(node.low, to.order);
  }

  function enter(node: Node): void {
    node.order = reached++;
    node.low = node.order;
    node.open = true;
    path.push(node);
    open.push(node);
  }

  function leave(node: Node): void {
    path.pop();
    const parent = path.at(-1);
    if (parent !== undefined) parent.low = Math.min(parent.low, node.low);
    if (node.low !== node.order) return;
    const members = open.splice(open.lastIndexOf(node));
    for (const member of members) member.open = false;
    if (members.length === 1) return;
    const first = members.reduce((a, b) => (b.index < a.index ? b : a));
    knots.push({ first, members: new Set(members) });
  }
}

/** The edges from the knot's first tool back to itself, breadth first. */
function shortestCycle({ first, members }: Knot): Edge[] {
  const reachedBy = new Map<Node, Edge>();
  const queue: Node[] = [first];
  for (const node of queue) {
    if (reachedBy.has(first)) break;
    for (const edge of node.edges) {
      if (!members.has(edge.to) || reachedBy.has(edge.to)) continue;
      reachedBy.set(edge.to, edge);
      queue.push(edge.to);
    }
  }
  const cycle: Edge[] = [];
  for (let edge = reachedBy.get(first); edge !== undefined; edge = reachedBy.get(edge.from)) {
    cycle.push(edge);
    if (edge.from === first) break;
  }
  return cycle.toReversed();
}

/** A longer cycle is named by its beginning. */
const NAMED_TOOLS = 50;

function cycleProblem(cycle: readonly Edge[]): PlanProblem {
  const names = cycle.slice(0, NAMED_TOOLS).map(({ from }) => from.tool.toolId);
  if (cycle.length > NAMED_TOOLS) names.push(`(${cycle.length - NAMED_TOOLS} more)`);
  const closed = [...names, names[0]].join(" -> ");
  const path = ["tools", cycle[0]?.from.index ?? 0, "dependencies", cycle[0]?.position ?? 0];
  return planProblem("CYCLE", path, `tools wait for each other: ${closed}`);
}
