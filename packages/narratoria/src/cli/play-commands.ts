/** What a player can say to the game rather than to the story: the slash commands of `play`. */
import { isRefusal, type Refusal, type SessionService, type TreeNode } from "../index.ts";
import { lookUp, parsePointer, type SessionView } from "../story/index.ts";
import { renderProvenance } from "./render-provenance.ts";
import { renderTree } from "./render-tree.ts";
import type { StoryPrinter } from "./story-printer.ts";
import type { Terminal } from "./terminal.ts";
import { clean, cleanLine } from "./terminal-text.ts";

export type Step =
  | { kind: "done" }
  | { kind: "leave" }
  | { kind: "refused"; message: string }
  /** A turn was started. */
  | { kind: "turn"; turnId: string }
  | { kind: "switch"; sessionId: string; isFork: boolean };

export interface PlayContext {
  sessions: SessionService;
  sessionId: string;
  terminal: Terminal;
  printer: StoryPrinter;
}

interface PlayCommand {
  usage: string;
  does: string;
  run(argument: string, context: PlayContext, view: SessionView): Step | Promise<Step>;
}

const DONE: Step = { kind: "done" };

const COMMANDS: { readonly [name: string]: PlayCommand } = {
  "/undo": {
    usage: "/undo",
    does: "take the last turn back (it stays in the tree)",
    run: async (_, context) => showHead(context, await context.sessions.undo(context.sessionId)),
  },
  "/retry": {
    usage: "/retry",
    does: "tell the last turn once more",
    run: async (_, { sessions, sessionId }) => {
      const started = await sessions.retry(sessionId);
      return isRefusal(started) ? started : { kind: "turn", turnId: started.turnId };
    },
  },
  "/fork": {
    usage: "/fork [TITLE]",
    does: "go on in a copy, and leave this story as it is",
    run: async (title, { sessions, sessionId }, view) => {
      if (view.headTurnId === null) return { kind: "refused", message: "there is nothing to fork yet" };
      const forked = await sessions.fork(sessionId, view.headTurnId, title === "" ? undefined : title);
      return isRefusal(forked) ? forked : { kind: "switch", sessionId: forked.sessionId, isFork: true };
    },
  },
  "/tree": {
    usage: "/tree",
    does: "every turn you took, also those you took back",
    run: async (_, { sessions, sessionId, terminal }, view) => {
      const tree = await sessions.tree(sessionId);
      if (isRefusal(tree)) return tree;
      terminal.lines([...renderTree(tree, view.headTurnId, terminal), ""]);
      return DONE;
    },
  },
  "/go": {
    usage: "/go NUMBER",
    does: "go to a turn of the tree",
    run: async (argument, context) => {
      const turn = turnAt(await context.sessions.tree(context.sessionId), argument);
      if (turn === null) return { kind: "refused", message: "which turn? /tree shows their numbers" };
      return showHead(context, await context.sessions.moveHead(context.sessionId, turn.turnId));
    },
  },
  "/enable": {
    usage: "/enable SKILL",
    does: "try a tool again that was put aside because it kept failing",
    run: async (skill, { sessions, sessionId, terminal }) => {
      const enabled = await sessions.enableSkill(sessionId, skill);
      if (isRefusal(enabled)) return enabled;
      terminal.line(`${cleanLine(skill)} will be tried again.`);
      return DONE;
    },
  },
  "/bookmark": {
    usage: "/bookmark NAME",
    does: "give this moment a name in the tree",
    run: async (name, { sessions, sessionId, terminal }, view) => {
      if (name === "" || view.headTurnId === null) return { kind: "refused", message: "a bookmark needs a name" };
      const marked = await sessions.bookmark(sessionId, view.headTurnId, name);
      if (isRefusal(marked)) return marked;
      terminal.lines([`This moment is called ${cleanLine(name, 60)}.`, ""]);
      return DONE;
    },
  },
  "/state": {
    usage: "/state [PATH]",
    does: "what the story knows, or a part of it: /state /inventory",
    run: (path, { terminal }, view) => {
      const tokens = parsePointer(path);
      if (tokens === null) return { kind: "refused", message: "a path looks like /inventory/torch" };
      const value = lookUp(view.state, tokens);
      if (value === undefined) return { kind: "refused", message: `there is nothing at ${cleanLine(path, 60)}` };
      terminal.lines([...clean(JSON.stringify(value, null, 2)).split("\n"), ""]);
      return DONE;
    },
  },
  "/why": {
    usage: "/why PATH",
    does: "where something came from: /why /inventory/torch/lit",
    run: async (path, { sessions, sessionId, terminal }) => {
      if (path === "") return { kind: "refused", message: "why what? Try /why /inventory/torch/lit" };
      const provenance = await sessions.why(sessionId, path);
      if (isRefusal(provenance)) return provenance;
      terminal.lines([...renderProvenance(provenance, terminal), ""]);
      return DONE;
    },
  },
  "/resume": {
    usage: "/resume",
    does: "go on with a turn that was interrupted",
    run: async (_, { sessions, sessionId }, view) => {
      const turnId = view.headTurnId ?? "";
      const resumed = await sessions.resume(sessionId, turnId);
      return isRefusal(resumed) ? resumed : { kind: "turn", turnId };
    },
  },
  "/discard": {
    usage: "/discard",
    does: "take a turn back that was interrupted",
    run: async (_, context, view) =>
      showHead(context, await context.sessions.discard(context.sessionId, view.headTurnId ?? "")),
  },
  "/new": {
    usage: "/new",
    does: "begin the story anew; this one is kept",
    run: async (_, { sessions }, view) => {
      const created = await sessions.create({ storyDir: view.story.dir });
      return isRefusal(created) ? created : { kind: "switch", sessionId: created.sessionId, isFork: false };
    },
  },
  "/help": {
    usage: "/help",
    does: "this list",
    run: (_, { terminal }) => {
      const lines = Object.values(COMMANDS).map(({ usage, does }) => `  ${usage.padEnd(16)} ${does}`);
      terminal.line("Type what you do, in your own words, or the number of a choice.");
      terminal.line("Ctrl+C stops a turn that takes too long; at the prompt it leaves.");
      terminal.lines(["", ...lines, ""]);
      return DONE;
    },
  },
  "/quit": { usage: "/quit", does: "leave; the story is kept", run: () => ({ kind: "leave" }) },
};

export const COMMAND_NAMES = Object.keys(COMMANDS);

export async function runPlayCommand(line: string, context: PlayContext): Promise<Step> {
  const [, name = "", argument = ""] = /^(\S+)\s*(.*)$/s.exec(line) ?? [];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    return { kind: "refused", message: `there is no ${cleanLine(name, 40)}; /help shows what there is` };
  }
  const view = await context.sessions.view(context.sessionId);
  return isRefusal(view) ? view : command.run(argument.trim(), context, view);
}

/** After the head moved: where the player is now. */
async function showHead({ printer, terminal }: PlayContext, view: SessionView | Refusal): Promise<Step> {
  if (isRefusal(view)) return view;
  terminal.lines([terminal.style.dim(`Back at turn ${view.turnCount - 1}.`), ""]);
  await printer.recap(view);
  return DONE;
}

function turnAt(tree: TreeNode[] | Refusal, argument: string): TreeNode | null {
  return Array.isArray(tree) && /^\d+$/.test(argument) ? (tree[Number(argument)] ?? null) : null;
}
