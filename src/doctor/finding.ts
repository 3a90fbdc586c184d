// What a check finds. Findings are made of our own words and of values that are public anyway (addresses without their
// query, names of settings): nothing that a server said is repeated.

export type FindingStatus = 'ok' | 'warn' | 'fail' | 'skip'

export type Finding = {
  status: FindingStatus
  /** What is the case, in one plain sentence. */
  says: string
  /** The settings to change, the likeliest first. */
  settings: readonly string[]
  /** What to do. */
  mend?: string
}

type Mending = { settings?: readonly string[]; mend: string }

export const ok = (says: string): Finding => ({ status: 'ok', says, settings: [] })
export const skip = (says: string): Finding => ({ status: 'skip', says, settings: [] })
export const warn = (says: string, { settings = [], mend }: Mending): Finding => ({
  status: 'warn',
  says,
  settings,
  mend,
})
export const fail = (says: string, { settings = [], mend }: Mending): Finding => ({
  status: 'fail',
  says,
  settings,
  mend,
})
