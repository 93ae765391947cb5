/** For programs that have nothing better to do with a refusal than to stop. */
import { isRefusal, type Refusal } from "../runtime/seams/session-service.ts";

/** What was asked for, or an error with the words of the refusal. */
export function accepted<T>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Error(answer.message, { cause: answer });
  return answer;
}
