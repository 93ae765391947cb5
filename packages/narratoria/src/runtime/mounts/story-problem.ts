/** What is wrong with a story, and where in its files that stands. */
export interface StoryProblem {
  /** From the story's folder. */
  file: string;
  line?: number | undefined;
  /** Where in a JSON file. */
  pointer?: string | undefined;
  message: string;
}

/** Why something of it is not mounted. */
export interface MountProblem extends StoryProblem {
  pointer: string;
}
