// The overview's model: the apps of the visit, their counts, the headline, and the next step. Pure.
import { withUniqueNames } from '../../company/app-names.ts'
import type { Texts } from '../../web/languages/texts.ts'
import { bucketOf } from '../app-state.ts'
import { nextStep, walkStates, type WalkStates } from '../next-step.ts'
import { inScope, type Walk } from '../walk.ts'
import type { DescribeApp } from '../../company/app-description.ts'
import type { Approval } from '../../people/keep-state.ts'
import { countsOf, headlineOf, type Counts } from './headline.ts'

/** `name`: the display name with its number; `short`: without it. */
export type OverviewApp = WalkStates['shown'][number] & { instance: string; name: string; short: string }

type OverviewContext = {
  now: number
  t: Texts
  person: string
  name?: string | undefined
  query?: string | undefined
  /** The instance that the person just came from, whose result comes first. */
  from: string | undefined
  /** A sign-in interrupted the click on an app, which is offered again. */
  isSignedInAgain?: boolean | undefined
  describe: DescribeApp
  /** Approvals of blocked apps, from the last run of `onramp keep`. */
  approvals: readonly Approval[]
  isAutomatic: boolean
  confirmSeconds: number
}

export type OverviewModel = OverviewContext & {
  visit: Walk['visit']
  states: WalkStates
  apps: readonly OverviewApp[]
  byShortName: ReadonlyMap<string, OverviewApp[]>
  /** Instances that share their account with another app of the same name, shown or not. */
  sharedAccounts: ReadonlySet<string>
  next: ReturnType<typeof nextStep>
  counts: Counts
  headline: ReturnType<typeof headlineOf>
  firstSeenAt: number
  hasNothingPending: boolean
}

export function createOverviewModel(walk: Walk, context: OverviewContext): OverviewModel {
  const { t, describe, from } = context
  const states = walkStates(walk, context.now)
  const { firstApps } = states
  const appsOfWalk = namedApps(states, describe)
  const { shown: apps = [], other: others = [] } = Object.groupBy(appsOfWalk, ({ instance }) =>
    inScope(walk.visit, instance) ? 'shown' : 'other',
  )
  const isFirst = ({ instance }: OverviewApp) => firstApps?.has(instance) !== false
  const counts = countsOf(apps.filter(isFirst))
  const headline = headlineOf(
    {
      shown: counts,
      hidden: countsOf([...apps.filter((app) => !isFirst(app)), ...others]),
      showsFirstApps: firstApps !== undefined,
      isNarrowed: walk.visit.datasources.length > 0,
      hasBegun: apps.some(
        (app) => app.instance === from || app.state.kind === 'confirming' || hasLapsed(app),
      ),
    },
    t,
  )
  const cameFrom = apps.find(({ instance }) => instance === from)
  const isOfferedAgain = context.isSignedInAgain && cameFrom !== undefined && canStart(cameFrom)
  return {
    ...context,
    visit: walk.visit,
    states,
    apps,
    byShortName: Map.groupBy(apps, ({ short }) => short),
    sharedAccounts: sharedAccountsOf(appsOfWalk, describe),
    next: isOfferedAgain ? { kind: 'connect', instance: cameFrom.instance } : nextStep(states),
    counts,
    headline,
    firstSeenAt: Math.min(...apps.map(({ tracked }) => tracked.firstSeen)),
    hasNothingPending: headline.state !== 'open',
  }
}

/** Names apps over the whole list, so that a narrowed visit uses the same names. */
const namedApps = ({ all }: WalkStates, describe: DescribeApp): OverviewApp[] =>
  withUniqueNames(
    all.map(({ tracked, state }) => {
      const { instance } = tracked
      return { instance, tracked, state, name: describe(instance).name ?? tracked.name }
    }),
  )

const sharedAccountsOf = (apps: readonly OverviewApp[], describe: DescribeApp): ReadonlySet<string> =>
  new Set(
    [...Map.groupBy(apps, ({ short, instance }) => `${short}\n${describe(instance).account}`).values()]
      .filter(({ length }) => length > 1)
      .flatMap((group) => group.map(({ instance }) => instance)),
  )

const canStart = ({ state }: OverviewApp): boolean => !['connected', 'confirming', 'off'].includes(state.kind)

/** True if access ended and the person can connect the app again. Skipped and blocked apps keep their status. */
export const hasLapsed = ({ tracked: { status, lapsedAt, connectedAt }, state }: OverviewApp): boolean =>
  status === 'stale' || (bucketOf(state) === 'pending' && (lapsedAt ?? connectedAt) !== undefined)

/** Approval date of a blocked app that the person may connect now, as a tester or after a confirmation. */
export function approvalDate({ approvals }: OverviewModel, { instance, state }: OverviewApp) {
  const approval = approvals.find((candidate) => candidate.instance === instance)
  if (approval === undefined || state.kind !== 'blocked' || approval.stageChangedAt <= state.since)
    return undefined
  const isTester = approval.stage === 'approved' && approval.testers?.includes(state.since) === true
  return approval.stage === 'confirmed' || isTester ? approval.approvedAt : undefined
}

export const findApp = ({ apps }: OverviewModel, instance: string | undefined): OverviewApp | undefined =>
  apps.find((app) => app.instance === instance)
