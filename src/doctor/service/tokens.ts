// SERVICE_USER_TOKEN and SERVICE_GLOBAL_TOKEN, used as the command line uses them (contract sections 5 and 7).
import type { Reply } from '../../client-api/inquiry.ts'
import type { Subject } from '../check.ts'
import { fail, ok, skip, type Finding } from '../finding.ts'
import { isAboutService, unansweredFinding } from './refusals.ts'

function findingOf(reply: Reply, setting: string, baseUrl = ''): Finding {
  if (reply.kind === 'silent') return skip('the service does not answer.')
  if (reply.kind === 'answered') {
    const count = reply.left.length
    return ok(`${setting} works: its person has ${count} ${count === 1 ? 'app' : 'apps'} left to connect.`)
  }
  return isAboutService(reply.reason) || reply.reason === 'request'
    ? skip(`the service did not get as far as checking ${setting} (${reply.status}).`)
    : unansweredFinding(reply, { setting, baseUrl, naming: '--as EMAIL' })
}

/** Refused as a service token; perhaps it is an access token, which shows who issues them. */
async function asAccessToken({ service, settings }: Subject, token: string): Promise<Finding | undefined> {
  const reply = await service({ kind: 'oauth', accessToken: token, externalIdp: true })
  if (reply?.kind !== 'answered') return undefined
  const says = 'SERVICE_USER_TOKEN is an access token of an external identity provider'
  return settings.TOKEN_ISSUED_BY === 'external-idp'
    ? ok(`${says}; the service accepts it with X-Service-Auth-Type, as TOKEN_ISSUED_BY says.`)
    : fail(`${says}: without X-Service-Auth-Type the service refuses it (Invalid Secret).`, {
        settings: ['TOKEN_ISSUED_BY'],
        fix: 'set it to external-idp',
      })
}

async function userToken(subject: Subject): Promise<Finding | undefined> {
  const { SERVICE_USER_TOKEN: token, SERVICE_BASE_URL: baseUrl } = subject.settings
  const reply = token === undefined ? undefined : await subject.service({ kind: 'user-token', token })
  if (token === undefined || reply === undefined) return undefined
  const isOtherKind = reply.kind === 'refused' && reply.reason.startsWith('auth-type')
  const issuer = isOtherKind ? await asAccessToken(subject, token) : undefined
  return issuer ?? findingOf(reply, 'SERVICE_USER_TOKEN', baseUrl)
}

async function globalToken({ service, settings, actAs }: Subject): Promise<Finding | undefined> {
  const { SERVICE_GLOBAL_TOKEN: token, SERVICE_BASE_URL: baseUrl } = settings
  if (token === undefined) return undefined
  if (actAs === undefined) return skip('SERVICE_GLOBAL_TOKEN needs a person to act for: --as EMAIL.')
  const reply = await service({ kind: 'global-token', token, actAs })
  return reply === undefined ? undefined : findingOf(reply, 'SERVICE_GLOBAL_TOKEN', baseUrl)
}

export async function serviceToken(subject: Subject): Promise<Finding | Finding[]> {
  const both = [await userToken(subject), await globalToken(subject)]
  const found = both.filter((finding) => finding !== undefined)
  return found.length > 0 ? found : skip('none is set.')
}
