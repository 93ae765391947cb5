/**
 * Whether a folder is one that nobody should hand to a story by mistake: tools read all of it, and so does whoever wrote
 * them. `load-story.ts` refuses such a folder unless the person at the keyboard has said that it is meant.
 */
import { existsSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { homeFolder } from "../seams/home-folder.ts";
import { isInside, realLocation } from "./real-location.ts";

/** Why, in a sentence that goes on where the folder's name stops; null when nothing speaks against it. */
export function findStoryFolderRisk(dir: string): string | null {
  const real = realLocation(dir);
  if (real === sep) return "is the whole disk";
  if (SYSTEM.some((folder) => isInside(real, folder)) || SYSTEM_ITSELF.includes(real)) return "belongs to the system";
  const homes = [homeFolder()].filter((folder) => folder !== null).map((folder) => realLocation(folder));
  if (homes.includes(real)) return "is your home folder";
  if (homes.some((home) => isInside(home, real))) return "holds your home folder";
  const keyPlaces = homes.flatMap((home) => KEY_PLACES.map((place) => join(home, place)));
  if (keyPlaces.some((place) => isInside(real, place))) return "is where keys are kept";
  const secretPlace = real.split(sep).find((name) => KEY_FOLDERS.includes(name));
  if (secretPlace !== undefined) return `lies in ${secretPlace}, where keys are kept`;
  const inHome = keyPlaces.find((place) => isInside(place, real) && existsSync(place));
  if (inHome !== undefined) return `holds ${relative(real, inHome)}, where keys are kept`;
  const secret =
    [...KEY_FOLDERS, ...KEY_PLACES, ...KEY_FILES].find((name) => existsSync(join(real, name))) ??
    namesIn(real).find((name) => KEY_FILE.test(name));
  if (secret !== undefined) return `holds ${secret}, where keys are kept`;
  return DATA_FILES.every((name) => existsSync(join(real, name))) ? "is where Narratoria keeps its sessions" : null;
}

const SYSTEM = ["/proc", "/sys", "/dev", "/boot", "/run/secrets", "/etc"];
const SYSTEM_ITSELF = [
  "/bin",
  "/etc",
  "/home",
  "/lib",
  "/media",
  "/mnt",
  "/opt",
  "/root",
  "/run",
  "/tmp",
  "/usr",
  "/var",
  "/var/lib",
];
const KEY_FOLDERS = [".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".mozilla"];
/** Below a home. */
const KEY_PLACES = [
  ".config/gcloud",
  ".config/gh",
  ".config/google-chrome",
  ".config/chromium",
  ".local/share/keyrings",
  "snap/firefox",
];
const KEY_FILES = [".git-credentials", ".netrc", ".pgpass", ".pypirc"];
/** As `ssh-keygen` and `openssl` name them. */
const KEY_FILE = /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_\w+)?$|\.(?:pem|key|p12|pfx|kdbx)$/;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
const DATA_FILES = ["narratoria.db"];
