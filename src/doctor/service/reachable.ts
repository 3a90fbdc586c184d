// Is the Client API at SERVICE_BASE_URL? Asked with a token that no one has, so that a refusal is the right answer.
import type { Subject } from '../check.ts'
import { fail, ok, skip, type Finding } from '../finding.ts'
import { isAboutService, unansweredFinding } from './refusals.ts'

/** No secret: a made-up token. */
const PROBE_TOKEN = 'onramp-doctor-made-up-token'

/** @returns undefined without SERVICE_BASE_URL */
export const askWithMadeUpToken = async ({ service, settings }: Subject) =>
  await service({
    kind: 'oauth',
    accessToken: PROBE_TOKEN,
    externalIdp: settings.TOKEN_ISSUED_BY === 'external-idp',
  })

export async function serviceReachable(subject: Subject): Promise<Finding> {
  const reply = await askWithMadeUpToken(subject)
  const { SERVICE_BASE_URL: baseUrl = '' } = subject.settings
  if (reply === undefined) return skip('SERVICE_BASE_URL cannot be read.')
  if (reply.kind === 'answered')
    return fail(`What answers at ${baseUrl} accepts a made-up token.`, {
      settings: ['SERVICE_BASE_URL'],
      fix: "set it to the service's own backend address",
    })
  if (reply.kind === 'silent' || isAboutService(reply.reason))
    return unansweredFinding(reply, { setting: '', baseUrl, naming: '' })
  return ok(`The Client API is at ${baseUrl}, and refuses a made-up token (${reply.status}).`)
}
