// The landing page of an invitation. Opening it changes nothing and signs no one in, because mail scanners open it,
// too. A sign-in starts only with a click on our own page.
import { Router, type Request, type RequestHandler } from 'express'
import { nameAndIconOf, type DescribeApp } from '../company/app-description.ts'
import { MAX_SCANNABLE_APPS } from '../company/app-names.ts'
import type { Company } from '../company/company.ts'
import type { SignInStart } from '../sign-in/start.ts'
import type { Audit } from '../web/audit.ts'
import type { Log } from '../web/log.ts'
import { mayBeFromOwnPage, isProvenFromOwnPage } from '../web/cross-site.ts'
import type { SendPage } from '../web/pages.ts'
import { personKey, findSignedIn, type User } from '../session/signed-in.ts'
import { seeOther } from '../web/see-other.ts'
import { maskedAddress, normalizedAddress } from '../people/address.ts'
import { withMilestone } from '../people/person.ts'
import type { PeopleStore } from '../people/people-store.ts'
import type { Invitation, Invitations } from './token.ts'

const MAX_APPS = 6

export function createInviteRoutes(deps: {
  publicUrl: string
  company: Pick<Company, 'visibleInOrder' | 'datasources'>
  describeIn: (lang: string) => DescribeApp
  /** The name in MAIL_FROM, or the company's. */
  sender: string | undefined
  invitations: Pick<Invitations, 'read'>
  people: Pick<PeopleStore, 'change' | 'addressAt' | 'get'>
  start: Pick<SignInStart, 'authorizationUrl'>
  limit: RequestHandler
  sendPage: SendPage
  audit: Audit
  log: Pick<Log, 'warn'>
  now: () => number
}): Router {
  const { publicUrl, sender, invitations, people, start, limit, sendPage } = deps
  const router = Router()
  const companyApps = visibleInstances(deps.company)

  router.get(['/invite', '/invite/:token'], async (req, res) => {
    const { token } = req.params as { token?: string }
    const sentInvitation = token === undefined ? undefined : await invitations.read(token)
    const user = findSignedIn(req)?.user
    // Strangers cause no read of the store.
    const invitation =
      sentInvitation && user?.email ? await withCurrentAddress(sentInvitation, people, user) : sentInvitation

    const landing = decideLanding(invitation, user)

    const walk = walkPath(invitation)
    if (landing.kind === 'walk') return seeOther(res, walk)
    const links = { walk, start: invitation === undefined ? '/onboarding' : `/invite/${token}/start` }
    if (landing.kind === 'mismatch') {
      const { signedInAs, invited } = landing
      return sendPage(req, res, { view: 'invites/mismatch', data: { ...links, signedInAs, invited } })
    }
    // An app's built-in browser may forget cookies, so the page shows an address to copy.
    const address = isInAppBrowser(req.get('user-agent')) ? `${publicUrl}/onboarding` : undefined
    // Without an invitation, the button already leads to this host.
    const host = invitation === undefined ? undefined : new URL(publicUrl).host
    sendPage(req, res, {
      view: 'invites/landing',
      data: ({ lang }) => ({
        ...links,
        host,
        address,
        isValid: invitation !== undefined,
        sender: invitation && sender,
        ...shownApps(invitation, companyApps, deps.describeIn(lang)),
      }),
    })
  })

  router.get('/invite/:token/start', limit, async (req, res) => {
    const { token = '' } = req.params as { token?: string }
    const sent = await invitations.read(token)
    if (sent === undefined) return seeOther(res, '/onboarding')
    if (!mayBeFromOwnPage(req, publicUrl)) return seeOther(res, `/invite/${token}`)
    // This is for the hint and the report only, so people sign in even without the store.
    const invitation = await withCurrentAddress(sent, people).catch(() => sent)
    // The hint is visible in the address. A program that has the link must not learn the whole email from it, so only a
    // click on our page gets it.
    const hint = isProvenFromOwnPage(req) ? { loginHint: invitation.email } : {}
    const account = req.query['account'] === 'other' ? { prompt: 'select_account' as const } : hint

    const location = await start.authorizationUrl(req, res, { returnTo: `/invite/${token}`, ...account })
    if (sendsOrigin(req))
      await recordOpened(people, invitation.email, deps.now()).catch((error: unknown) =>
        // It is only for the report, so a failure must not keep anyone out.
        deps.log.warn({ err: error }, 'could not record that an invitation was opened'),
      )
    deps.audit({ event: 'invitation_opened', email: invitation.email })

    seeOther(res, location)
  })

  return router
}

/**
 * Readdresses an invitation to the person who had the address when it was sent, or to their account: one they used
 * before; if they used none, one with a former address of theirs that no one else has now.
 */
async function withCurrentAddress(
  sent: Invitation,
  people: Pick<PeopleStore, 'addressAt' | 'get'>,
  user?: User,
) {
  const email = await people.addressAt(sent.email, sent.sentAt)
  if (user?.email === undefined || normalizedAddress(user.email) === email) return { ...sent, email }
  const { signIns } = (await people.get(email)) ?? {}
  const hasFormerAddress = async (address: string) =>
    (await people.addressAt(address, 0)) === email && (await people.get(address)) === undefined
  const isTheirs = signIns?.includes(personKey(user)) ?? (await hasFormerAddress(user.email))
  return { ...sent, email: isTheirs ? user.email : email }
}

/** Browsers send their origin; a program that follows every link doesn't. */
const sendsOrigin = (req: Request) => (req.get('sec-fetch-site') ?? req.get('referer')) !== undefined

/** Records that Start was clicked, except without a record: a scanner must not bring back a forgotten person. */
const recordOpened = (people: Pick<PeopleStore, 'change'>, email: string, now: number) =>
  people.change(email, (person, isKnown) => (isKnown ? withMilestone(person, 'openedAt', now) : person))

/** The apps of the company file, in its order. Strangers cause no call of the service. */
const visibleInstances = ({
  visibleInOrder,
  datasources,
}: Pick<Company, 'visibleInOrder' | 'datasources'>): string[] =>
  visibleInOrder([...datasources.keys()].map((instance) => ({ instance })))
    .map(({ instance }) => instance)
    .filter((instance) => instance !== 'all')

function shownApps(
  invitation: Invitation | undefined,
  companyApps: readonly string[],
  describe: DescribeApp,
) {
  const isExact = invitation !== undefined && invitation.datasources.length > 0
  const instances = isExact ? invitation.datasources : invitation === undefined ? [] : companyApps
  const namedApps = instances.map((instance) => nameAndIconOf(instance, describe))
  const byName = new Map(namedApps.map((app) => [app.name, app]))
  const apps = [...byName.values()].slice(0, byName.size > MAX_APPS + 1 ? MAX_APPS : undefined)
  return {
    apps,
    isExact,
    more: isExact ? byName.size - apps.length : 0,
    isLong: byName.size > MAX_SCANNABLE_APPS,
  }
}

/**
 * `walk`: probably the invited person. An account without a verified address also continues, because an invitation
 * grants nothing, and the walk is the signed-in person's.
 */
function decideLanding(invitation: Invitation | undefined, user: User | undefined) {
  if (invitation === undefined || user === undefined) return { kind: 'landing' as const }
  if (user.email === undefined || normalizedAddress(user.email) === normalizedAddress(invitation.email))
    return { kind: 'walk' as const }
  return { kind: 'mismatch' as const, signedInAs: user.email, invited: maskedAddress(invitation.email) }
}

function walkPath(invitation: Invitation | undefined): string {
  const instances = invitation?.datasources ?? []
  const query = new URLSearchParams(instances.map((id): [string, string] => ['datasource', id]))
  return query.size === 0 ? '/onboarding' : `/onboarding?${query.toString()}`
}

/**
 * True for the browser inside a mail or chat app, which forgets cookies, and which some authorization servers refuse.
 * It only adds advice, so a guess suffices: Android's WebView has `wv`, and on iOS it lacks the `Safari/` of browsers.
 */
function isInAppBrowser(userAgent = ''): boolean {
  const namedBrowsers =
    /;\s?wv\)|\bFBA[NV]\b|\bInstagram\b|\bLinkedInApp\b|\bLine\/|\bMicroMessenger\b|\bSlack(_SSB)?\//
  const isIos = /\b(iPhone|iPad|iPod)\b/.test(userAgent) && userAgent.includes('AppleWebKit/')
  return namedBrowsers.test(userAgent) || (isIos && !userAgent.includes('Safari/'))
}
