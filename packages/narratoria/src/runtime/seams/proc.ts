/** Whether this system tells of its processes and their open files in /proc: Linux does, where it is mounted. */
import { existsSync } from "node:fs";

export const HAS_PROC = process.platform === "linux" && existsSync("/proc/self/fd");
