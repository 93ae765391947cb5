/**
 * The types of a package: one file of declarations for each entry, and beside it a report of every public name, which
 * the repository keeps in `api/` and a test compares. The compiler writes the declarations, API Extractor rolls them up.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { Extractor, ExtractorConfig } from "@microsoft/api-extractor";
import { compile } from "./compile.ts";
import { ROOT, writeJson, type Entry } from "./repository.ts";

/** `types`: where `NAME.d.ts` goes; `reports`: where `NAME.api.md` goes. */
export function writeDeclarations(
  packageFolder: string,
  entries: readonly Entry[],
  folders: { types: string; reports: string },
): void {
  // Below the root, so that the packages which the types name are found.
  mkdirSync(join(ROOT, "dist"), { recursive: true });
  const work = mkdtempSync(join(ROOT, "dist/declarations-"));
  try {
    const rootDir = join(ROOT, packageFolder, "src");
    compile(
      entries.map(({ source }) => source),
      { outDir: work, rootDir, emitDeclarationOnly: true },
    );
    symlinkSync(join(ROOT, "node_modules"), join(work, "node_modules"));
    writeJson(join(work, "package.json"), { name: "rolled-up", version: "0.0.0", type: "module" });
    mkdirSync(folders.types, { recursive: true });
    mkdirSync(folders.reports, { recursive: true });
    for (const { name, source } of entries) {
      rollUp(work, join(work, relative(rootDir, source).replace(/\.ts$/, ".d.ts")), name, folders);
    }
  } finally {
    rmSync(work, { recursive: true });
  }
}

function rollUp(work: string, declarations: string, name: string, folders: { types: string; reports: string }): void {
  const reportTempFolder = join(work, "report");
  mkdirSync(reportTempFolder, { recursive: true });
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: work,
      mainEntryPointFilePath: declarations,
      newlineKind: "lf",
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: "ES2022",
            lib: ["ES2024"],
            module: "NodeNext",
            moduleResolution: "NodeNext",
            strict: true,
            skipLibCheck: true,
            allowImportingTsExtensions: true,
            noEmit: true,
            types: ["node"],
            typeRoots: [join(ROOT, "node_modules/@types")],
          },
          files: [declarations],
        },
      },
      apiReport: {
        enabled: true,
        includeForgottenExports: true,
        reportFolder: folders.reports,
        reportTempFolder,
        reportFileName: name,
      },
      dtsRollup: { enabled: true, untrimmedFilePath: join(folders.types, `${name}.d.ts`) },
      docModel: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        // We write plain comments, and types that nobody needs a name for are not exported.
        extractorMessageReporting: { default: { logLevel: "none" as never } },
        tsdocMessageReporting: { default: { logLevel: "none" as never } },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(work, "package.json"),
  });
  const { succeeded } = Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message) => {
      if (message.logLevel === "error") console.error(message.formatMessageWithLocation(ROOT));
      message.handled = true;
    },
  });
  if (!succeeded) throw new Error(`the declarations of ${name} could not be rolled up`);
}
