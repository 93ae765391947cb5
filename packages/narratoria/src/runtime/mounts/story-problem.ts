/** What is wrong with a story, and where: everything that reads a part of one tells it so. */

export interface StoryProblem {
  /** From the story's folder. */
  file: string;
  line?: number | undefined;
  /** Where in a JSON file. */
  pointer?: string | undefined;
  message: string;
}
