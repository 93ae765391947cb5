/**
 * The types of a package: one file of declarations for each entry, and beside it a report of every public name, which
 * the repository keeps in `api/` and a test compares. The compiler writes the declarations, API Extractor rolls them up.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";
import { compile } from "./compile.ts";
import { ROOT, writeJson, type Entry, type Manifest } from "./repository.ts";

export interface DeclarationFolders {
  /** Where `NAME.d.ts` goes. */
  types: string;
  /** Where `NAME.api.md` goes. */
  reports: string;
}

export function writeDeclarations(
  { name }: Manifest,
  entries: readonly Entry[],
  rootDir: string,
  folders: DeclarationFolders,
): void {
  // Below the root, so that the packages which the types name are found.
  mkdirSync(join(ROOT, "dist"), { recursive: true });
  const work = mkdtempSync(join(ROOT, "dist/declarations-"));
  try {
    const sources = entries.map(({ source }) => source);
    compile(sources, { outDir: work, rootDir, emitDeclarationOnly: true });
    symlinkSync(join(ROOT, "node_modules"), join(work, "node_modules"));
    writeJson(join(work, "package.json"), { name, version: "0.0.0", type: "module" });
    for (const folder of [folders.types, folders.reports, join(work, "report")]) mkdirSync(folder, { recursive: true });
    const configs = entries.map((entry) => {
      const declarations = join(work, relative(rootDir, entry.source).replace(/\.ts$/, ".d.ts"));
      return configFor(work, declarations, entry.name, folders);
    });
    rollUp(configs);
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** All entries of a package are read once. */
function rollUp(configs: readonly ExtractorConfig[]): void {
  const [first, ...others] = configs;
  if (first === undefined) return;
  const additionalEntryPoints = others.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath);
  const compilerState = CompilerState.create(first, { additionalEntryPoints });
  for (const config of configs) {
    const { succeeded } = Extractor.invoke(config, {
      localBuild: true,
      compilerState,
      messageCallback: (message) => {
        if (message.logLevel === ExtractorLogLevel.Error) console.error(message.formatMessageWithLocation(ROOT));
        message.handled = true;
      },
    });
    if (!succeeded) throw new Error(`${config.mainEntryPointFilePath} could not be rolled up`);
  }
}

function configFor(work: string, declarations: string, name: string, folders: DeclarationFolders): ExtractorConfig {
  const compilerOptions = {
    target: "ES2022",
    lib: ["ES2024"],
    module: "NodeNext",
    strict: true,
    skipLibCheck: true,
    // Our own @narratoria/tool is TypeScript here.
    allowImportingTsExtensions: true,
    noEmit: true,
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
  };
  // We write plain comments, and types that nobody needs a name for are not exported.
  const silent = { default: { logLevel: ExtractorLogLevel.None } };
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: work,
      mainEntryPointFilePath: declarations,
      newlineKind: "lf",
      compiler: { overrideTsconfig: { compilerOptions, files: [declarations] } },
      apiReport: {
        enabled: true,
        includeForgottenExports: true,
        reportFolder: folders.reports,
        reportTempFolder: join(work, "report"),
        reportFileName: name,
      },
      dtsRollup: { enabled: true, untrimmedFilePath: join(folders.types, `${name}.d.ts`) },
      docModel: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: { extractorMessageReporting: silent, tsdocMessageReporting: silent },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(work, "package.json"),
  });
}
