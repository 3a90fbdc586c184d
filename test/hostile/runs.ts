/** How many inputs each property draws, and from which seed. */
export const numRuns = Number(process.env['HOSTILE_RUNS'] ?? 300)
export const seed = Number(process.env['HOSTILE_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
