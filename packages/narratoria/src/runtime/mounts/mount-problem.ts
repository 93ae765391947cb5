/** Why something is not mounted, and where in which file of the story that stands. */
export interface MountProblem {
  file: string;
  pointer: string;
  message: string;
}
