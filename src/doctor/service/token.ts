// SERVICE_USER_TOKEN and SERVICE_GLOBAL_TOKEN, used as the command line uses them (contract sections 5 and 7).
import type { Reply } from '../../client-api/inquiry.ts'
import type { Check, Subject } from '../check.ts'
import { fail, ok, skip, type Finding } from '../finding.ts'

type Refused = Extract<Reply, { kind: 'refused' }>

const works = (setting: string, count: number): Finding =>
  ok(`${setting} works: its person has ${count} ${count === 1 ? 'app' : 'apps'} left to connect.`)

function refusal({ reason, status }: Refused, setting: string): Finding {
  switch (reason) {
    case 'token':
      return fail(`The service does not accept ${setting} (401): it is invalid or expired.`, {
        settings: [setting],
        mend: 'put a new token into it',
      })
    case 'scope':
      return fail(`${setting} may not do this (403): it lacks a scope.`, {
        settings: [setting],
        mend: 'give the token the scope for checkdatasourceauth',
      })
    case 'auth-type':
    case 'auth-type-missing':
      return fail(`The service does not know ${setting} as a service token (${status}).`, {
        settings: [setting],
        mend: 'put a service token into it, not an access token',
      })
    case 'act-as-missing':
      return setting === 'SERVICE_USER_TOKEN'
        ? fail('SERVICE_USER_TOKEN is a global token: the service asks for X-Service-ActAs.', {
            settings: ['SERVICE_GLOBAL_TOKEN', 'SERVICE_USER_TOKEN'],
            mend: 'move it to SERVICE_GLOBAL_TOKEN and use --as EMAIL',
          })
        : fail('The service did not get X-Service-ActAs, which was sent.', {
            settings: ['SERVICE_BASE_URL'],
            mend: 'let nothing in between take the header away',
          })
    case 'act-as-refused':
      return fail(`The service does not accept the person of --as (${status}).`, {
        settings: ['SERVICE_GLOBAL_TOKEN'],
        mend: 'check the address of --as: a person there must have it',
      })
    default:
      return skip(`the service did not get as far as ${setting} (${status}).`)
  }
}

/** Refused as a service token; perhaps it is an access token, which shows who issues them. */
async function asAccessToken({ service, settings }: Subject, token: string): Promise<Finding | undefined> {
  const reply = await service({ kind: 'oauth', accessToken: token, externalIdp: true })
  if (reply?.kind !== 'answered') return undefined
  const says = 'SERVICE_USER_TOKEN is an access token of an external identity provider'
  return settings.TOKEN_ISSUED_BY === 'external-idp'
    ? ok(`${says}; the service takes it with X-Service-Auth-Type, as TOKEN_ISSUED_BY says.`)
    : fail(`${says}: without X-Service-Auth-Type the service refuses it (Invalid Secret).`, {
        settings: ['TOKEN_ISSUED_BY'],
        mend: 'set it to external-idp',
      })
}

async function userToken(subject: Subject): Promise<Finding[]> {
  const { SERVICE_USER_TOKEN: token } = subject.settings
  const reply = token === undefined ? undefined : await subject.service({ kind: 'user-token', token })
  if (token === undefined || reply === undefined) return []
  const setting = 'SERVICE_USER_TOKEN'
  if (reply.kind === 'silent') return [skip('the service does not answer.')]
  if (reply.kind === 'answered') return [works(setting, reply.left.length)]
  const issuer = reply.reason.startsWith('auth-type') ? await asAccessToken(subject, token) : undefined
  return [issuer ?? refusal(reply, setting)]
}

async function globalToken({ service, settings, actAs }: Subject): Promise<Finding[]> {
  const { SERVICE_GLOBAL_TOKEN: token } = settings
  if (token === undefined) return []
  const setting = 'SERVICE_GLOBAL_TOKEN'
  if (actAs === undefined) return [skip(`${setting} needs a person to act for: --as EMAIL.`)]
  const reply = await service({ kind: 'global-token', token, actAs })
  if (reply === undefined) return []
  if (reply.kind === 'silent') return [skip('the service does not answer.')]
  return [reply.kind === 'answered' ? works(setting, reply.left.length) : refusal(reply, setting)]
}

export const serviceToken: Check = {
  id: 'service.token',
  about: 'Service tokens',
  group: 'Service',
  network: true,
  async look(subject) {
    const found = [...(await userToken(subject)), ...(await globalToken(subject))]
    return found.length > 0 ? found : [skip('none is given, so none is tried.')]
  },
}
