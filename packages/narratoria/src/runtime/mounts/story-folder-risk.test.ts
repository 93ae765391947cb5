/** Folders that nobody should hand to a story by mistake. */
import { lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadStory, type NarratorKind } from "./load-story.ts";
import { findStoryFolderRisk } from "./story-folder-risk.ts";

let root: string;
let formerHome: string | undefined;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "narratoria-risk-"));
  mkdirSync(join(root, "people", "me", "story"), { recursive: true });
  formerHome = process.env["HOME"];
  process.env["HOME"] = join(root, "people", "me");
});
afterEach(() => {
  process.env["HOME"] = formerHome;
  rmSync(root, { recursive: true, force: true });
});

test("[Z1.7] a folder of its own is fine, also in one's home", () => {
  expect(findStoryFolderRisk(join(root, "people", "me", "story"))).toBeNull();
});

test("[Z1.7] the disk, the system, a home and what holds it are not", () => {
  symlinkSync(join(root, "people", "me"), join(root, "link"));
  expect(findStoryFolderRisk("/")).toBe("is the whole disk");
  expect(findStoryFolderRisk("/etc")).toBe("belongs to the system");
  expect(findStoryFolderRisk("/proc/self")).toBe("belongs to the system");
  expect(findStoryFolderRisk(join(root, "people", "me"))).toBe("is your home folder");
  expect(findStoryFolderRisk(join(root, "link"))).toBe("is your home folder");
  expect(findStoryFolderRisk(join(root, "people"))).toBe("holds your home folder");
});

test.each(["/bin", "/home", "/lib", "/media", "/mnt", "/opt", "/root", "/run", "/tmp", "/usr", "/var", "/var/lib"])(
  "[Z1.7] %s is not",
  (folder) => {
    process.env["HOME"] = "/nowhere";
    // Where /bin is a link to /usr/bin, that is where it leads; others may not be there at all.
    if (!lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink())
      expect(findStoryFolderRisk(folder)).toBe("belongs to the system");
  },
);

test.each([
  ...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".mozilla"],
  ...[".config/gcloud", ".config/gh", ".config/google-chrome", ".config/chromium", ".local/share/keyrings"],
  ...["snap/firefox", ".git-credentials", ".netrc", ".pgpass", ".pypirc"],
  ...["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519_work", "server.pem", "x.key", "x.p12", "x.pfx", "x.kdbx"],
])("[Z1.7] %s makes a folder one with keys", (name) => {
  const folder = join(root, "elsewhere");
  mkdirSync(join(folder, name), { recursive: true });
  expect(findStoryFolderRisk(folder)).toBe(`holds ${name}, where keys are kept`);
});

test.each(["id_rsa.pub", "my_id_rsa", "keys", "x.pem.txt", "ssh"])("[Z1.7] %s does not", (name) => {
  const folder = join(root, "elsewhere");
  mkdirSync(join(folder, name), { recursive: true });
  expect(findStoryFolderRisk(folder)).toBeNull();
});

test("[Z1.7] where programs keep their keys in a home, what is below it and what holds it", () => {
  const home = join(root, "people", "me");
  mkdirSync(join(home, ".config", "gcloud", "deep"), { recursive: true });
  expect(findStoryFolderRisk(join(home, ".config"))).toBe("holds gcloud, where keys are kept");
  expect(findStoryFolderRisk(join(home, ".config", "gcloud"))).toBe("is where keys are kept");
  expect(findStoryFolderRisk(join(home, ".config", "gcloud", "deep"))).toBe("is where keys are kept");
  expect(findStoryFolderRisk("/etc/ssl/private")).toBe("belongs to the system");
});

test("[Z1.7] inside a folder of keys, and where sessions are kept", () => {
  mkdirSync(join(root, ".ssh", "story"), { recursive: true });
  expect(findStoryFolderRisk(join(root, ".ssh", "story"))).toBe("lies in .ssh, where keys are kept");
  writeFileSync(join(root, "narratoria.db"), "");
  expect(findStoryFolderRisk(root)).toBe("holds your home folder");
  process.env["HOME"] = "/nowhere";
  rmSync(join(root, ".ssh"), { recursive: true });
  expect(findStoryFolderRisk(root)).toBe("is where Narratoria keeps its sessions");
});

test("[Z1.7] such a story is refused, and told all the same when that was said", async () => {
  const home = join(root, "people", "me");
  writeFileSync(join(home, "plans.json"), "[]");
  const stub: NarratorKind = {
    defaultFile: "plans.json",
    open: async () => ({
      kind: "narrator",
      narrator: { next: () => Promise.reject(new Error("unused")), close: () => Promise.resolve() },
    }),
  };
  const refused = await loadStory(home, { stub });
  expect(refused).toMatchObject({ kind: "invalid", problems: [{ file: home }] });
  expect(JSON.stringify(refused)).toContain("--allow-story-folder");
  const { signal } = new AbortController();
  expect(await loadStory(home, { stub }, { allowRisky: true, signal })).toMatchObject({ kind: "story" });
});
