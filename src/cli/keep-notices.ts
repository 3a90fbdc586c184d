// The emails of `onramp keep` to admins and owners of apps, and its webhook event. Each is sent once.
import { describeWait } from '../admin/approval-texts.ts'
import {
  approvalNotice,
  delistedAppsNotice,
  digestNotice,
  isDigestDue,
  massDisconnectNotice,
} from '../admin/notices.ts'
import { summarizeAll } from '../admin/person-summary.ts'
import { createReport, type Report } from '../admin/report.ts'
import { uniqueNames, withCompanyNames } from '../admin/unique-names.ts'
import type { Email, Notice } from '../campaigns/mail/email.ts'
import type { Company } from '../company/company.ts'
import { unansweredDelistings } from '../people/keep-state.ts'
import type { Approval, KeepState, MassDisconnect } from '../people/keep-state.ts'
import type { PeopleStore } from '../people/people-store.ts'
import type { Settings } from '../settings/settings.ts'
import type { Texts } from '../web/languages/texts.ts'
import { massDisconnectEvent, type sendEventOnce } from '../webhooks/sender.ts'
import type { ExternalServices } from './invite/campaign-run.ts'

export class KeepNotices {
  readonly #deps
  readonly #texts: Company & { t: Texts; publicUrl: string }

  constructor(deps: {
    settings: Settings
    company: Company
    /** In the company's first language. */
    t: Texts
    peopleStore: Pick<PeopleStore, 'all'>
    compose: (to: string, notice: Notice, id: string) => Email
    mailServer: ExternalServices['mailServer'] | undefined
    sendEvent: typeof sendEventOnce
    now: () => number
  }) {
    this.#deps = deps
    this.#texts = { ...deps.company, t: deps.t, publicUrl: deps.settings.PUBLIC_URL }
  }

  /** @returns the times of the email and the event, where they were sent now */
  async sendMassDisconnect(disconnect: MassDisconnect, state: KeepState) {
    const { peopleStore, sendEvent, settings, now } = this.#deps
    const report = await createReport(summarizeAll(peopleStore.all()), now())
    const stateOfDisconnect = { ...state, massDisconnects: [disconnect] }
    const { keepState } = withCompanyNames(report, stateOfDisconnect, this.#texts, this.#texts.t.lang)
    const notice = massDisconnectNotice(keepState.massDisconnects[0] ?? disconnect, this.#texts)
    const id = `mass disconnect ${disconnect.instance} ${disconnect.noticedAt}`
    const isNotified = disconnect.notifiedAt === undefined && (await this.#send(notice, id))
    const isPosted =
      disconnect.eventAt === undefined &&
      (await sendEvent(settings, massDisconnectEvent(disconnect), now()))?.kind === 'delivered'
    return { ...(isNotified && { notifiedAt: now() }), ...(isPosted && { eventAt: now() }) }
  }

  /** @returns true if at least one owner's email was accepted */
  requestApproval(approval: Approval, state: KeepState): Promise<boolean> {
    const displayName = uniqueNames(state, [approval], this.#texts, this.#texts.t.lang)
    const where = this.#deps.company.approversOf(approval.instance).approve
    const wait = describeWait(approval.instance, state, { ...this.#texts, now: this.#deps.now() })
    const notice = approvalNotice(approval, { ...this.#texts, displayName, where, wait })
    const id = `approval ${approval.instance} ${approval.requestedAt} ${approval.stageChangedAt}`
    return this.#send(notice, id, approval.owners)
  }

  /** Sends one email about newly delisted apps, or about all of them once no list has an app left. */
  async sendDelistedApps(
    state: KeepState,
    report: Report,
  ): Promise<Pick<KeepState, 'delistedApps' | 'emptyLists'>> {
    const { delistedApps = [], newApps = [], massDisconnects } = state
    const questions = unansweredDelistings(state)
    const isEmpty = report.isNoneLeft && questions.length > 1
    const emptyLists = isEmpty ? (state.emptyLists ?? { since: this.#deps.now() }) : undefined
    // The outage isn't over before everyone was checked again.
    const { emptyLists: before, sweep } = state
    if (before !== undefined && !isEmpty && sweep?.endedAt === undefined)
      return { delistedApps, emptyLists: before }
    // In an outage, admins aren't asked about apps. They are asked later about apps that are still gone.
    const unnotifiedApps = isEmpty
      ? questions.filter(() => emptyLists?.notifiedAt === undefined)
      : questions.filter(({ notifiedAt }) => notifiedAt === undefined)
    if (unnotifiedApps.length === 0) return { delistedApps, emptyLists }
    const displayName = uniqueNames(state, report.datasources, this.#texts, this.#texts.t.lang)
    const context = { ...this.#texts, displayName, newApps, massDisconnects, delistedApps }
    const notice = delistedAppsNotice(unnotifiedApps, report, context)
    const questionId = unnotifiedApps.map(({ instance, noticedAt }) => ` ${instance} ${noticedAt}`).join('')
    const id = emptyLists === undefined ? `removed${questionId}` : `empty lists ${emptyLists.since}`
    if (!(await this.#send(notice, id))) return { delistedApps, emptyLists }
    const notifiedAt = this.#deps.now()
    if (emptyLists !== undefined) return { delistedApps, emptyLists: { ...emptyLists, notifiedAt } }
    return {
      delistedApps: delistedApps.map((app) => (unnotifiedApps.includes(app) ? { ...app, notifiedAt } : app)),
      emptyLists,
    }
  }

  /** @returns true if it is due, there are figures, and at least one admin's email was accepted */
  async sendDigest(state: KeepState, report: Report): Promise<boolean> {
    const { company, now } = this.#deps
    if (!isDigestDue(state, company, now())) return false
    if (report.isNoneLeft && report.hadToConnect === 0) return false
    const admins = this.#deps.settings.ADMIN_EMAILS ?? []
    const notice = digestNotice(report, state, now(), { ...this.#texts, admins })
    return await this.#send(notice, `digest ${report.madeAt}`)
  }

  /** @param to by default, the admins @returns true if at least one email was accepted */
  async #send(notice: Notice, id: string, to?: readonly string[]): Promise<boolean> {
    const { compose, mailServer, settings } = this.#deps
    const outcomes = []
    for (const address of to ?? settings.ADMIN_EMAILS ?? [])
      outcomes.push((await mailServer?.send(compose(address, notice, id)))?.outcome)
    return outcomes.includes('sent')
  }
}
