// The plan of each person: time of arrival, and decision about each app. The same seed gives the same company.
import { createRandom, type Random } from '../../proof/random.ts'

export const APPS = ['slack_1', 'github_1', 'gdrive_1', 'jira_1', 'confluence_1'] as const
export type App = (typeof APPS)[number]

/** `deny then allow`: a second thought, at the second attempt. */
type Choice = 'allow' | 'slow' | 'skip' | 'deny then skip' | 'deny then allow'

export type Plan = {
  person: number
  /** Seconds after the start. */
  at: number
  choices: Record<App, Choice>
  /** Leaves at this app's page, and comes back so many seconds later, in another browser. */
  leaves: { app: App; seconds: number } | undefined
  hasTwoTabs: boolean
}

export type Rhythm = {
  people: number
  /** The duration of the simulated hour. */
  seconds: number
  /** The first part, at the real rate of arrivals. */
  averageSeconds: number
  /** People a second, on average over the real hour. */
  averageRate: number
}

/** Number of people who open the link in one second of a burst of two seconds. */
export const BURST_RATE = 280
export const BURST_SECONDS = 2
const BURSTS = 8

function choiceOf(draw: number): Choice {
  if (draw < 0.86) return 'allow'
  if (draw < 0.91) return 'slow'
  if (draw < 0.95) return 'skip'
  return draw < 0.975 ? 'deny then skip' : 'deny then allow'
}

/** Seconds after the start at which the bursts begin. */
export function burstStarts({ people, seconds, averageSeconds }: Rhythm): number[] {
  const count = Math.max(1, Math.min(BURSTS, Math.floor(people / 2 / BURST_RATE)))
  return Array.from({ length: count }, (_, burst) => averageSeconds + ((burst + 0.5) / count) * seconds)
}

/** Times of arrival: at the average rate at first, then evenly over the rest, with bursts. */
function* arrivals(rhythm: Rhythm, random: Random) {
  const { people, seconds, averageSeconds, averageRate } = rhythm
  const average = Math.min(people, Math.round(averageSeconds * averageRate))
  for (let index = 0; index < average; index++) yield (index / average) * averageSeconds
  const rest = people - average
  const starts = burstStarts(rhythm)
  const inBursts = Math.min(Math.floor(rest / 2), starts.length * BURST_RATE * BURST_SECONDS)
  for (let index = 0; index < inBursts; index++)
    yield (starts[index % starts.length] ?? 0) + Math.floor(index / starts.length) / BURST_RATE
  for (let index = inBursts; index < rest; index++) yield averageSeconds + random.next() * seconds
}

/** @returns the plans in the order of arrival */
export function planCompany(rhythm: Rhythm, seed: number): Plan[] {
  const random = createRandom(seed)
  return [...arrivals(rhythm, random)]
    .map((at, person): Plan => {
      const choices = Object.fromEntries(APPS.map((app) => [app, choiceOf(random.next())])) as Plan['choices']
      const isLeaving = random.next() < 0.06
      const leaves = isLeaving
        ? { app: random.pick(APPS), seconds: (0.05 + random.next() * 0.2) * rhythm.seconds }
        : undefined
      return { person, at, choices, leaves, hasTwoTabs: random.next() < 0.06 }
    })
    .sort((one, other) => one.at - other.at)
}

export const connectedIn = ({ choices }: Plan): App[] =>
  APPS.filter((app) => ['allow', 'slow', 'deny then allow'].includes(choices[app]))

export const skippedIn = (plan: Plan): App[] => APPS.filter((app) => !connectedIn(plan).includes(app))
