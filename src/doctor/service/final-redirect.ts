// final_redirect_url: do the paths that the service gives out lead back to onramp? The paths are one-time secrets, so only
// their shape is known here.
import { CALLBACK_PATH } from '../../onboarding/paths.ts'
import type { Credentials } from '../../client-api/credentials.ts'
import type { Reply } from '../../client-api/inquiry.ts'
import type { Subject } from '../check.ts'
import { fail, ok, skip, warn, type Finding } from '../finding.ts'

function credentialsOf({ settings, actAs }: Subject): Credentials | undefined {
  const { SERVICE_GLOBAL_TOKEN: global, SERVICE_USER_TOKEN: user } = settings
  if (global !== undefined && actAs !== undefined) return { kind: 'global-token', token: global, actAs }
  return user === undefined ? undefined : { kind: 'user-token', token: user }
}

type Answered = Extract<Reply, { kind: 'answered' }>

function findingOf(without: Answered, reply: Reply | undefined, redirect: string): Finding {
  if (reply?.kind === 'refused' && reply.reason === 'request')
    return fail(`The service does not accept ${redirect} as a final_redirect_url (${reply.status}).`, {
      settings: ['PUBLIC_URL'],
      fix: 'have the address allowed at the service, or correct PUBLIC_URL',
    })
  if (reply?.kind !== 'answered')
    return skip('the service did not answer when asked with a final_redirect_url.')
  const { shape } = reply
  if (shape === undefined || without.shape === undefined)
    return skip('that person has nothing left to connect; try another.')
  if (shape.namesRedirect) return ok(`After a consent the service leads back to ${redirect}`)
  return shape.parameters > without.shape.parameters
    ? ok('After a consent the service leads back; its paths carry the address in sealed form.')
    : warn('The paths that the service gives out do not seem to carry the final_redirect_url.', {
        settings: ['PUBLIC_URL'],
        fix: `have the service's oauth.postAuthRedirectUrl set to PUBLIC_URL${CALLBACK_PATH}`,
      })
}

export async function finalRedirect(subject: Subject): Promise<Finding> {
  const { PUBLIC_URL: url } = subject.settings
  const credentials = credentialsOf(subject)
  if (url === undefined) return skip('PUBLIC_URL cannot be read.')
  if (credentials === undefined)
    return skip('needs SERVICE_USER_TOKEN, or SERVICE_GLOBAL_TOKEN and --as EMAIL.')
  const without = await subject.service(credentials)
  if (without?.kind !== 'answered') return skip('needs a token that the service accepts.')
  const redirect = `${url}${CALLBACK_PATH}`
  const reply = await subject.service(credentials, `${redirect}?step=onramp-doctor`)
  return findingOf(without, reply, redirect)
}
