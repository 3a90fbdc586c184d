// How much work something is, in milliseconds of processor time: what else runs on the machine doesn't count.

/** For what must not take longer than a moment, whatever it is given. */
export function cpuTimeOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
