/** The command line: one line here and one file beside this for every command, loaded only when it is called. */
import { Command, CommanderError } from "commander";
import type { DoctorOptions } from "./doctor.ts";
import type { PlayOptions } from "./play.ts";
import type { RunOptions } from "./run.ts";
import type { ServeOptions } from "./serve.ts";

export async function main(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = new Command("narratoria")
    .description("Type what you do, and a story answers: plans of tools in any language.")
    .version("0.1.0")
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(narratoria --help shows what there is)");

  program
    .command("serve", { isDefault: true })
    .description("play in the browser (this is what narratoria alone does)")
    .option("--port <number>", "the port, 0 for any free one (default: 4700 or the next free one)")
    .option("--host <address>", "the address to listen on; beyond this machine only with care", "127.0.0.1")
    .option("--token <token>", "what browsers must know (default: made once and kept)")
    .option("--story <dir>", "the story that new sessions tell")
    .option("--data <dir>", "where sessions are kept (default: the system's folder for data)")
    .option("--policy <file>", "what tools are granted, a JSON file (default: nothing)")
    .option("--no-sandbox", "run tools as ordinary programs: only for tools you would run by hand")
    .option("--open", "open the browser")
    .action(async (options: ServeOptions) => {
      const { serveCommand } = await import("./serve.ts");
      exitCode = await serveCommand(options);
    });

  program
    .command("play")
    .description("play a story in the terminal, from where you were")
    .option("--story <dir>", "the story (default: the one that ships with Narratoria)")
    .option("--data <dir>", "where sessions are kept (default: the system's folder for data)")
    .option("--session <id>", "go on with this session: its id, the beginning of its id, or its title")
    .option("--script <file>", "read prompts from a file, one a line; without --data nothing is kept")
    .option("--json", "print every event as a line of JSON, and nothing else")
    .option("--policy <file>", "what tools are granted, a JSON file (default: nothing)")
    .option("--no-sandbox", "run tools as ordinary programs: only for tools you would run by hand")
    .action(async (options: PlayOptions) => {
      const { playCommand } = await import("./play.ts");
      exitCode = await playCommand(options);
    });

  program
    .command("run")
    .description("run one plan and print its execution result as JSON")
    .argument("<plan>", "the plan, a JSON file")
    .option("--story <dir>", "the folder tools run in and may come from (default: the plan's own)")
    .option("--state <file>", "the session state to start with, a JSON file")
    .option("--allow-tools <dir...>", "further folders that tools may come from")
    .option("--policy <file>", "what tools are granted, a JSON file (default: nothing)")
    .option("--no-sandbox", "run tools as ordinary programs: only for tools you would run by hand")
    .option("--data <dir>", "keep assets in this folder (default: nothing is kept)")
    .option("--events", "print every event as a line of JSON first")
    .action(async (plan: string, options: RunOptions) => {
      const { runCommand } = await import("./run.ts");
      exitCode = await runCommand(plan, options);
    });

  program
    .command("doctor")
    .description("what this machine offers to stories and their tools")
    .option("--data <dir>", "where sessions are kept (default: the system's folder for data)")
    .option("--json", "print it as JSON")
    .action(async (options: DoctorOptions) => {
      const { doctorCommand } = await import("./doctor.ts");
      exitCode = await doctorCommand(options);
    });

  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Asking for help or the version is no mistake; everything else here is wrong usage.
    return error.exitCode === 0 ? 0 : 2;
  }
}
