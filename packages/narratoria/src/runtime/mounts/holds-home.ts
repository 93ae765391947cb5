/** Whether a folder, named by its real location, is the home of whoever runs this, or holds it. */
import { homeFolder } from "../seams/home-folder.ts";
import { isInside, realLocation } from "./real-location.ts";

export function holdsHome(folder: string): boolean {
  const home = homeFolder();
  return home !== null && isInside(realLocation(home), folder);
}
