// The list of the overview: each app with its status and its actions. Pure.
import { isUnavailable } from '../../client-api/app-status.ts'
import { isRequested } from '../../people/keep-state.ts'
import type { TextKey } from '../../web/languages/catalogue.ts'
import type { Texts } from '../../web/languages/texts.ts'
import type { AppState } from '../app-state.ts'
import { actionPath } from '../paths.ts'
import { iconOf } from '../../company/app-description.ts'
import type { TrackedApp } from '../walk.ts'
import { approvalDate, hasLapsed, type OverviewApp, type OverviewModel } from './model.ts'
import { configuredAccount, linkNotes } from './same-name-apps.ts'

export type Action = { href: string; label: string; forApp?: string }

type RowKind = Exclude<AppState['kind'], 'off'> | Exclude<TrackedApp['status'], 'awaiting'>

/** The person's actions determine the kind, else the present and the former status of the service. */
function kindOf(app: OverviewApp): RowKind {
  const { kind } = app.state
  const { status } = app.tracked
  if (kind !== 'unconnected' && kind !== 'off') return kind
  return status !== 'awaiting' ? status : hasLapsed(app) ? 'stale' : 'unconnected'
}

/** Labels of the link in a row. Other kinds have none, because there is nothing to start. */
const ROW_LABELS: Partial<Record<RowKind, TextKey>> = {
  unconnected: 'plain.connect',
  skipped: 'plain.connect',
  stale: 'plain.reconnect',
  confirming: 'problem.tryAgain',
  unconfirmed: 'problem.tryAgain',
  blocked: 'overview.unblock',
  'in-flight': 'plain.startOver',
}

/** Text keys of statuses whose kind has another name. */
const STATUS_KEYS = { confirming: 'status.waiting', 'in-flight': 'status.elsewhere' } as const

const MAX_ROWS = 5

/** @param current the instance in the card, which gets no row */
export function listRows(model: OverviewModel, current: string | undefined, query = '') {
  const { apps } = model
  const { firstApps } = model.states
  const byBeginning = Map.groupBy(apps, namePrefix)
  const rows = apps
    .toSorted((one, other) => unavailableLast(one) - unavailableLast(other))
    .map((app, index) => ({
      ...rowOf(model, app, index),
      isPrefixUnique: byBeginning.get(namePrefix(app))?.length === 1,
    }))
    .filter(({ instance, name }) =>
      query === '' ? instance !== current : name.toLowerCase().includes(query.toLowerCase()),
    )
  const next = rows.find(({ kind }) => kind === 'unconnected' || kind === 'stale')
  if (next?.kind === 'unconnected' && current !== undefined) next.status = model.t('status.next')
  if (query !== '' || rows.length <= MAX_ROWS + 1) return { rows, more: [] }
  const shownRows = new Set(
    firstApps === undefined
      ? rows.toSorted((one, other) => urgency(one) - urgency(other)).slice(0, MAX_ROWS)
      : rows.filter((row) => firstApps.has(row.instance) || urgency(row) < 1),
  )
  return { rows: rows.filter((row) => shownRows.has(row)), more: rows.filter((row) => !shownRows.has(row)) }
}

/** Names with the same beginning differ in their endings, which are therefore never cut. */
const namePrefix = ({ name }: OverviewApp): string => name.slice(0, 24).toLowerCase()

const unavailableLast = ({ tracked: { status } }: OverviewApp): number => Number(isUnavailable(status))

function urgency({ kind, hasFocus }: { kind: RowKind; hasFocus: boolean }): number {
  if (hasFocus) return -1
  if (kind === 'connected' || isUnavailable(kind)) return 2
  return kind === 'skipped' || kind === 'unconnected' ? 1 : 0
}

function rowOf(model: OverviewModel, app: OverviewApp, index: number) {
  const { t, describe, from, hasNothingPending } = model
  const { instance, name } = app
  const kind = kindOf(app)
  // The person no longer waits, but can connect the app.
  const isApproved = approvalDate(model, app) !== undefined
  const label = isApproved ? 'plain.connect' : ROW_LABELS[kind]
  const action = (of: 'connect' | 'skip' | 'unskip' | 'blocked', key: TextKey): Action => {
    return { href: actionPath(of, instance), label: t(key), forApp: name }
  }
  return {
    instance,
    name,
    kind,
    icon: iconOf(app, describe),
    /** Empty for the normal state, because "Not connected" in every row would be noise. */
    status: kind === 'unconnected' || isApproved ? '' : statusOf(kind, t),
    notes: [
      noteOf(model, kind, app),
      ...(label === undefined ? [] : [...linkNotes(model, app), ...describe(instance).never]),
      kind === 'connected' && hasNothingPending ? connectedAccount(model, app) : undefined,
    ].filter((note) => note !== undefined),
    hasFocus: kind === 'unconnected' && instance === from,
    id: `status-${index}`,
    connect: label && action('connect', label),
    skip: label && kind !== 'skipped' && kind !== 'blocked' ? action('skip', 'overview.skip') : undefined,
    unskip: kind === 'skipped' ? action('unskip', 'plain.undo') : undefined,
    block: MAY_BLOCK.includes(kind) ? action('blocked', 'overview.block') : undefined,
  }
}

const statusOf = (kind: Exclude<RowKind, 'unconnected'>, t: Texts): string =>
  t(kind === 'confirming' || kind === 'in-flight' ? STATUS_KEYS[kind] : `status.${kind}`)

/** "I need an admin" is offered only after a failed attempt. */
const MAY_BLOCK: readonly RowKind[] = ['unconfirmed', 'confirming', 'skipped']

export const NEW_AFTER_MS = 60_000

/** The date since which the person waits, and the progress of the approval. */
function blockedNote(model: OverviewModel, blocked: OverviewApp, since: number) {
  const { t, approvals } = model
  const { instance, short: app } = blocked
  const approvedAt = approvalDate(model, blocked)
  if (approvedAt !== undefined) return t('note.approved', { date: t.day(approvedAt) })
  const approval = approvals.find((candidate) => candidate.instance === instance)
  const blockedSince = t('note.blockedSince', { date: t.day(since) })
  if (approval === undefined) return t.sentences([blockedSince, t('note.blocked')])
  const { requestedAt, waitingPeople } = approval
  return t.sentences([
    blockedSince,
    ...(isRequested(approval) ? [t('note.asked', { app, date: t.day(requestedAt) })] : []),
    ...(waitingPeople > 1 ? [t('note.othersWait', { count: waitingPeople - 1 })] : []),
  ])
}

function noteOf(model: OverviewModel, kind: RowKind, app: OverviewApp): string | undefined {
  const { t, firstSeenAt, hasNothingPending } = model
  const { tracked, state } = app
  if (kind === 'unconnected' && tracked.firstSeen - firstSeenAt > NEW_AFTER_MS) return t('note.isNew')
  if (kind === 'stale' && tracked.lapsedAt !== undefined)
    return t('note.lapsedOn', { date: t.day(tracked.lapsedAt) })
  if (kind === 'connected' && hasNothingPending && tracked.connectedAt !== undefined)
    return t('note.connectedOn', { date: t.day(tracked.connectedAt) })
  if (state.kind === 'blocked') return blockedNote(model, app, state.since)
  if (kind === 'in-flight') return t('note.elsewhere')
  return isUnavailable(kind) ? t(`note.${kind}`) : undefined
}

function connectedAccount(model: OverviewModel, app: OverviewApp): string | undefined {
  const account = configuredAccount(model, app.instance)
  return account && model.t('finished.through', { account })
}
