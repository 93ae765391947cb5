/** The command line: one line here and one file beside this for every command, loaded only when it is called. */
import { Command, CommanderError } from "commander";
import { clean } from "./terminal-text.ts";
import type { AddOptions } from "./add-ons.ts";
import type { BackupOptions } from "./backup.ts";
import type { DoctorOptions } from "./doctor.ts";
import type { ModuleOptions } from "./module.ts";
import type { PlayOptions } from "./play.ts";
import type { RunOptions } from "./run.ts";
import type { ServeOptions } from "./serve.ts";
import type { SessionsCommandOptions } from "./sessions.ts";
import type { SignInCommandOptions } from "./sign-in.ts";
import type { TokenOptions } from "./token.ts";
import type { ToolsOptions } from "./tools.ts";
import { VERSION } from "../version.ts";
import { complain } from "./say.ts";
import { listenToLauncher } from "./signals.ts";
import { watchOutput } from "./watch-output.ts";

const RISKY_HELP = "take a story folder that is your home, or holds keys or much else: its tools can read all of it";
const UNCONFINED_HELP = "where there is no full sandbox, run tools of stories all the same, without asking anybody";
const DATA_HELP = "where sessions are kept (default: the system's folder for data)";

/** Whoever says nothing wants to play. */
const ALONE = ["serve", "--open"];

export async function main(argv: readonly string[]): Promise<number> {
  listenToLauncher();
  const exitCodeAfterAll = watchOutput();
  return exitCodeAfterAll(await runCommand(argv));
}

async function runCommand(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = new Command("narratoria")
    .description("Type what you do, and a story answers: plans of tools in any language.")
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeErr: (text) => process.stderr.write(clean(text)) })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(narratoria --help shows what there is)");

  program
    .command("serve", { isDefault: true })
    .description("play in the browser (narratoria alone does this too, and opens it)")
    .option("--port <number>", "the port, 0 for any free one (default: 4700 or the next free one)")
    .option("--host <address>", "the address to listen on; beyond this machine only with care", "127.0.0.1")
    .option(
      "--token <token>",
      "for scripts (default: made once and kept); NARRATORIA_TOKEN keeps it out of the list of processes",
    )
    .option("--story <dir>", "the story that new sessions tell")
    .option("--allow-story-folder", RISKY_HELP)
    .option("--data <dir>", DATA_HELP)
    .option("--policy <file>", "what tools are granted, a JSON file (default: nothing)")
    .option("--no-sandbox", "run tools as ordinary programs: only for tools you would run by hand")
    .option("--allow-unconfined", UNCONFINED_HELP)
    .option("--slots <number>", "how many tools may run at once, for all stories together (default: four a core)")
    .option("--open", "open the browser")
    .action(async (options: ServeOptions) => {
      const { serveCommand } = await import("./serve.ts");
      exitCode = await serveCommand(options);
    });

  program
    .command("sign-in")
    .description("print an address that signs another browser in to the app that is running; it works once")
    .option("--data <dir>", DATA_HELP)
    .action(async (options: SignInCommandOptions) => {
      exitCode = await (await import("./sign-in.ts")).signInCommand(options);
    });

  program
    .command("token")
    .description("print the token for scripts: Authorization: Bearer TOKEN")
    .option("--rotate", "make a new one first, which ends every sign-in")
    .option("--data <dir>", DATA_HELP)
    .action(async (options: TokenOptions) => {
      exitCode = await (await import("./token.ts")).tokenCommand(options);
    });

  program
    .command("play")
    .description("play a story in the terminal, from where you were")
    .option("--story <dir>", "the story (default: the one that ships with Narratoria)")
    .option("--allow-story-folder", RISKY_HELP)
    .option("--data <dir>", DATA_HELP)
    .option("--session <id>", "go on with this session: its id, the beginning of its id, or its title")
    .option("--script <file>", "read prompts from a file, one a line; without --data nothing is kept")
    .option("--json", "print every event as a line of JSON, and nothing else")
    .option("--policy <file>", "what tools are granted, a JSON file (default: nothing)")
    .option("--no-sandbox", "run tools as ordinary programs: only for tools you would run by hand")
    .option("--allow-unconfined", UNCONFINED_HELP)
    .action(async (options: PlayOptions) => {
      const { playCommand } = await import("./play.ts");
      exitCode = await playCommand(options);
    });

  program
    .command("run")
    .description("run one plan and print its execution result as JSON")
    .argument("<plan>", "the plan, a JSON file")
    .option("--story <dir>", "the folder tools run in and may come from (default: the plan's own)")
    .option("--allow-story-folder", RISKY_HELP)
    .option("--state <file>", "the session state to start with, a JSON file")
    .option("--allow-tools <dir...>", "further folders that tools may come from")
    .option("--policy <file>", "what tools are granted, a JSON file (default: nothing)")
    .option("--no-sandbox", "run tools as ordinary programs: only for tools you would run by hand")
    .option("--allow-unconfined", UNCONFINED_HELP)
    .option("--data <dir>", "keep assets in this folder (default: nothing is kept)")
    .option("--events", "print every event as a line of JSON first")
    .option("--record <file>", "write what the tools answered into a file that a story can mount in their place")
    .action(async (plan: string, options: RunOptions) => {
      const { runCommand } = await import("./run.ts");
      exitCode = await runCommand(plan, options);
    });

  const sessions = program
    .command("sessions")
    .description("the stories that were played: list, show, export and so on");
  const sessionsCommand = (usage: string, description: string): Command =>
    sessions
      .command(usage)
      .description(description)
      .option("--data <dir>", DATA_HELP)
      .option("--json", "print it as JSON");

  sessionsCommand("list", "every session").action(async (options: SessionsCommandOptions) => {
    exitCode = await (await import("./sessions.ts")).listSessions(options);
  });
  sessionsCommand("show <session>", "one session: its turns, and where it is").action(
    async (name: string, options: SessionsCommandOptions) => {
      exitCode = await (await import("./sessions.ts")).showSession(name, options);
    },
  );
  sessionsCommand("fork <session>", "a copy that goes its own way")
    .option("--turn <number>", "the turn it begins at, as sessions show numbers them (default: the latest)")
    .option("--title <title>", "its title")
    .action(async (name: string, options: SessionsCommandOptions) => {
      exitCode = await (await import("./sessions.ts")).forkSession(name, options);
    });
  sessionsCommand("undo <session>", "take the latest turn back; it stays in the tree").action(
    async (name: string, options: SessionsCommandOptions) => {
      exitCode = await (await import("./sessions.ts")).undoTurn(name, options);
    },
  );
  sessionsCommand("export <session>", "write the session into one file for another machine")
    .option("--out <file>", "the file (default: stdout)")
    .action(async (name: string, options: SessionsCommandOptions) => {
      exitCode = await (await import("./sessions.ts")).exportToFile(name, options);
    });
  sessionsCommand("import <file>", "take in a session that was exported")
    .option("--story <dir>", "the story on this machine that it is played with (default: none, it can only be read)")
    .action(async (file: string, options: SessionsCommandOptions) => {
      exitCode = await (await import("./sessions.ts")).importFromFile(file, options);
    });
  sessionsCommand("end <session>", "the session is over; it can still be read and forked").action(
    async (name: string, options: SessionsCommandOptions) => {
      exitCode = await (await import("./sessions.ts")).endSession(name, options);
    },
  );
  sessionsCommand("delete <session>", "delete the session for good")
    .option("--yes-delete <title>", "the session's title, so that nothing is asked")
    .option("--yes", "ask nothing")
    .option("--purge", "also delete the turns that forks begin with: they go on without them")
    .action(async (name: string, options: SessionsCommandOptions) => {
      exitCode = await (await import("./sessions.ts")).deleteSession(name, options);
    });

  program
    .command("trace")
    .description("a timeline of one turn: plans, tools, attempts, waits")
    .argument("<session>", "its id, the beginning of its id, or its title")
    .option("--turn <number>", "the turn, 0 for the opening scene (default: the latest)")
    .option("--data <dir>", DATA_HELP)
    .option("--json", "print it as JSON")
    .action(async (name: string, options: SessionsCommandOptions) => {
      exitCode = await (await import("./trace.ts")).traceCommand(name, options);
    });

  program
    .command("why")
    .description("which tool of which turn set a value, and what it was before")
    .argument("<session>", "its id, the beginning of its id, or its title")
    .argument("<path>", "a JSON pointer into the state, such as /inventory/torch/lit")
    .option("--data <dir>", DATA_HELP)
    .option("--json", "print it as JSON")
    .action(async (name: string, path: string, options: SessionsCommandOptions) => {
      exitCode = await (await import("./why.ts")).whyCommand(name, path, options);
    });

  program
    .command("module")
    .description("be a module: messages on stdin, answers on stdout (docs/modules.md)")
    .option("--story <dir>", "the story that new sessions tell")
    .option("--data <dir>", DATA_HELP)
    .option("--policy <file>", "what tools are granted, a JSON file (default: nothing)")
    .option("--no-sandbox", "run tools as ordinary programs: only for tools you would run by hand")
    .option("--allow-unconfined", UNCONFINED_HELP)
    .action(async (options: ModuleOptions) => {
      exitCode = await (await import("./module.ts")).moduleCommand(options);
    });

  program
    .command("record")
    .description("print what the tools of a session answered, for a story to mount in their place (docs/modules.md)")
    .argument("<session>", "its id, the beginning of its id, or its title")
    .option("--turn <number>", "only this turn, 0 for the opening scene (default: all up to the latest)")
    .option("--data <dir>", DATA_HELP)
    .action(async (name: string, options: SessionsCommandOptions) => {
      exitCode = await (await import("./record.ts")).recordCommand(name, options);
    });

  program
    .command("tools")
    .description("what is mounted in a story, what it asks for and was granted")
    .option("--story <dir>", "the story (default: the one that ships with Narratoria)")
    .option("--data <dir>", DATA_HELP)
    .option("--policy <file>", "what tools are granted, a JSON file (default: nothing)")
    .option("--json", "print it as JSON")
    .action(async (options: ToolsOptions) => {
      exitCode = await (await import("./tools.ts")).toolsCommand(options);
    });

  program
    .command("add")
    .description("add an optional part; says what it weighs and asks first")
    .argument("[name]", "which one")
    .option("--list", "what there is, and what is there")
    .option("--yes", "ask nothing")
    .option("--data <dir>", DATA_HELP)
    .option("--json", "print the list as JSON")
    .action(async (name: string | undefined, options: AddOptions) => {
      exitCode = await (await import("./add-ons.ts")).addCommand(name, options);
    });

  program
    .command("remove")
    .description("remove an optional part that was added")
    .argument("<name>", "which one")
    .option("--data <dir>", DATA_HELP)
    .action(async (name: string, options: AddOptions) => {
      exitCode = (await import("./add-ons.ts")).removeCommand(name, options);
    });

  program
    .command("backup")
    .description("copy everything that is kept into a folder, also while Narratoria is running (docs/backup.md)")
    .argument("<dir>", "a folder that is not there yet")
    .option("--data <dir>", DATA_HELP)
    .option("--json", "print it as JSON")
    .action(async (dir: string, options: BackupOptions) => {
      exitCode = await (await import("./backup.ts")).backupCommand(dir, options);
    });

  program
    .command("doctor")
    .description("what this machine offers to stories and their tools, and whether what is kept is whole")
    .option("--data <dir>", DATA_HELP)
    .option("--repair", "keep what is whole of a damaged library; a copy of all of it is made first")
    .option("--json", "print it as JSON")
    .action(async (options: DoctorOptions) => {
      const { doctorCommand } = await import("./doctor.ts");
      exitCode = await doctorCommand(options);
    });

  try {
    await program.parseAsync(argv.length === 0 ? ALONE : argv, { from: "user" });
    return exitCode;
  } catch (error) {
    // Asking for help or the version is no mistake; everything else here is wrong usage.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const words = (await import("./expected-trouble.ts")).wordsForTrouble(error);
    if (words === null) throw error;
    return complain(words);
  }
}
