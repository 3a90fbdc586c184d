// GET /invite/TOKEN, for people and mail scanners alike: however often it is opened, it changes nothing, asks nothing
// and signs no one in. Signing in starts only with a click on our own page.
import { Router, type RequestHandler } from 'express'
import { MAX_SCANNABLE_APPS } from '../company/app-names.ts'
import type { SignInStart } from '../sign-in/start.ts'
import type { Audit } from '../web/audit.ts'
import { isFollowedFromOwnPage, isProvenFromOwnPage } from '../web/cross-site.ts'
import type { SendPage } from '../web/pages.ts'
import { signedInOf, type User } from '../session/signed-in.ts'
import { seeOther } from '../web/see-other.ts'
import { isSameAddress, maskedAddress } from '../people/address.ts'
import { withMilestone } from '../people/person.ts'
import type { People } from '../people/people.ts'
import type { Invitation, Invitations } from './token.ts'

type AppSign = { name: string; logo: string | undefined; initial: string; tone: string }

/** More make a wall of names before the button. */
const MAX_APPS = 6

export type InviteParts = {
  /** Signing in, by address. */
  limit: RequestHandler
  invitations: Pick<Invitations, 'read'>
  people: Pick<People, 'change'>
  start: Pick<SignInStart, 'authorizationUrl'>
  sendPage: SendPage
  audit: Audit
  /** The apps of the company's file, in its order: for strangers the service isn't asked. */
  companyApps: readonly string[]
  /** An app's name and sign. */
  appIn: (instance: string, lang: string) => AppSign
  /** The name in MAIL_FROM, or the company's. */
  sender: string | undefined
  log: { warn(fields: object, message: string): void }
  /** PUBLIC_URL. */
  publicUrl: string
  now: () => number
}

export function createInviteRoutes(parts: InviteParts): Router {
  const router = Router()
  const { limit, invitations, people, publicUrl, now } = parts

  /**
   * A figure for the report must not keep anyone out. An old link must not bring back a person who was forgotten: mail
   * scanners press Start too.
   */
  const countOpened = async (email: string) => {
    await people
      .change(email, (before, isKnown) => (isKnown ? withMilestone(before, 'openedAt', now()) : before))
      .catch((error: unknown) => parts.log.warn({ err: error }, 'an arrival was not counted for the report'))
  }

  router.get(['/invite', '/invite/:token'], async (req, res) => {
    const { token } = req.params as { token?: string }
    const invitation = token === undefined ? undefined : await invitations.read(token)
    const user = signedInOf(req)?.user

    const met = decideLanding(invitation, user)

    const walk = walkPath(invitation)
    if (met.kind === 'walk') return seeOther(res, walk)
    const start = invitation === undefined ? '/onboarding' : `/invite/${token}/start`
    const common = { start, walk }
    if (met.kind === 'mismatch') {
      const data = { ...common, signedInAs: met.signedInAs, invited: maskedAddress(invitation?.email ?? '') }
      return parts.sendPage(req, res, { view: 'invites/mismatch', data })
    }
    // The button of the others leads to the address that this would offer.
    const host = invitation === undefined ? undefined : new URL(publicUrl).host
    const address = isInAppBrowser(req.get('user-agent')) ? `${publicUrl}/onboarding` : undefined
    // Otherwise the company’s apps are examples: which of them the person has isn’t known before the sign-in.
    const isExact = invitation !== undefined && invitation.datasources.length > 0
    const instances = isExact ? invitation.datasources : invitation === undefined ? [] : parts.companyApps
    parts.sendPage(req, res, {
      view: 'invites/landing',
      data: ({ lang }) => {
        const named = instances.map((instance) => parts.appIn(instance, lang))
        const apps = [...new Map(named.map((app) => [app.name, app])).values()]
        const shown = apps.slice(0, apps.length > MAX_APPS + 1 ? MAX_APPS : undefined)
        const sender = invitation && parts.sender
        const isValid = invitation !== undefined
        const more = isExact ? apps.length - shown.length : 0
        const isLong = apps.length > MAX_SCANNABLE_APPS
        return { ...common, host, isValid, address, apps: shown, isExact, more, isLong, sender }
      },
    })
  })

  router.get('/invite/:token/start', limit, async (req, res) => {
    const { token = '' } = req.params as { token?: string }
    const invitation = await invitations.read(token)
    if (invitation === undefined) return seeOther(res, '/onboarding')
    if (!isFollowedFromOwnPage(req, publicUrl)) return seeOther(res, `/invite/${token}`)
    // The hint is in an address that the browser shows. A program that has the link could read the whole address there,
    // so only a click on our page gets it.
    const hint = isProvenFromOwnPage(req) ? { loginHint: invitation.email } : {}
    const whom = req.query['account'] === 'other' ? { prompt: 'select_account' as const } : hint

    const location = await parts.start.authorizationUrl(req, res, { returnTo: `/invite/${token}`, ...whom })
    // A browser says where it comes from; a program that follows every link does not.
    if ((req.get('sec-fetch-site') ?? req.get('referer')) !== undefined) await countOpened(invitation.email)
    parts.audit({ event: 'invitation_opened', email: invitation.email })

    seeOther(res, location)
  })

  return router
}

type Landing =
  /** No one is signed in, or the link is not valid: the page that explains. */
  | { kind: 'landing' }
  /** The invited person, as far as we can know. */
  | { kind: 'walk' }
  | { kind: 'mismatch'; signedInAs: string }

/**
 * An account without an address, or with one that was not verified, goes on to the walk too: an invitation grants
 * nothing, and the walk is always that of the person who is signed in.
 */
function decideLanding(invitation: Invitation | undefined, user: User | undefined): Landing {
  if (invitation === undefined || user === undefined) return { kind: 'landing' }
  if (user.email === undefined || isSameAddress(user.email, invitation.email)) return { kind: 'walk' }
  return { kind: 'mismatch', signedInAs: user.email }
}

/** The walk, narrowed to the datasources of the invitation. */
function walkPath({ datasources }: Pick<Invitation, 'datasources'> = { datasources: [] }): string {
  const query = new URLSearchParams(datasources.map((id): [string, string] => ['datasource', id]))
  return query.size === 0 ? '/onboarding' : `/onboarding?${query.toString()}`
}

/**
 * Is this the browser inside another app, as mail and chat programs open links in? Some authorization servers refuse it,
 * and it forgets cookies. A guess by the User-Agent, which only adds advice. Android marks its WebView with `wv`; on iOS
 * it lacks the `Safari/` that every browser there has.
 */
export function isInAppBrowser(userAgent = ''): boolean {
  const named =
    /;\s?wv\)|\bFBA[NV]\b|\bInstagram\b|\bLinkedInApp\b|\bLine\/|\bMicroMessenger\b|\bSlack(_SSB)?\//
  const isIos = /\b(iPhone|iPad|iPod)\b/.test(userAgent) && userAgent.includes('AppleWebKit/')
  return named.test(userAgent) || (isIos && !userAgent.includes('Safari/'))
}
