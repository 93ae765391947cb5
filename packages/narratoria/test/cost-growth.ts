/** How much more work a four times larger input is: about 4 for work in proportion to it, 16 for its square. */
export function growthOfCost(run: (size: number) => void, size: number): number {
  run(size);
  return leastCost(() => run(4 * size)) / leastCost(() => run(size));
}

/** In microseconds of this process's own time: what else the machine does is no part of it. */
function leastCost(run: () => void): number {
  const costs = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.max(1, Math.min(...costs));
}
