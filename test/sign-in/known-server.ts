// The authorization server as it is known, with a network and a client that are functions.
import { None, refreshTokenGrant } from 'openid-client'
import { afterEach, beforeEach, vi } from 'vitest'
import type { Settings } from '../../src/settings/settings.ts'
import { createAuthorizationServer } from '../../src/sign-in/server/authorization-server.ts'
import type { ClientSource } from '../../src/sign-in/server/client.ts'
import type { Client } from '../../src/sign-in/server/configuration.ts'
import { answering, refusalOf } from './library-errors.ts'
import { answerFetch } from './network-of-answers.ts'

export const ISSUER = 'https://as.example'
export const PLACE = `${ISSUER}/.well-known/openid-configuration`
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/a`,
  token_endpoint: `${ISSUER}/t`,
  jwks_uri: `${ISSUER}/k`,
}
const settings = { OIDC_ISSUER: ISSUER, OIDC_SCOPE: 'openid' } as Settings
const unknownClient = await refusalOf(refreshTokenGrant(answering(401, { error: 'invalid_client' }), 'one'))

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())
export const turn = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds)

type Options = { registers?: boolean; metadata?: object; isForgotten?: () => Promise<boolean | undefined> }

export function knowing({ registers = true, metadata = {}, isForgotten }: Options = {}) {
  const asked = answerFetch({ [PLACE]: () => Response.json({ ...METADATA, ...metadata }) })
  const logged: [level: string, words: string, fields?: object][] = []
  const line = (level: string) => (fields: object, words: string) =>
    void logged.push('err' in fields ? [level, words] : [level, words, fields])
  const calls: object[] = []
  const at = {
    client: { client_id: 'c1' } as Client['metadata'],
    more: {} as Partial<Client>,
    /** What the server says to our client. */
    isUnknown: false,
    mayForget: true,
    forgotten: [] as string[],
    learned: [] as string[],
    refusals: 0,
    isThere: true,
  }
  const client: ClientSource = {
    async current(_server, mayRegister) {
      if (!mayRegister && !at.isThere) return undefined
      const auth: Client['auth'] = (...args) => {
        at.refusals++
        if (at.isUnknown) throw unknownClient
        None()(...args)
        throw new Error('nothing is sent here')
      }
      return { metadata: at.client, auth, ...at.more }
    },
    ...(registers && {
      async forget(clientId: string) {
        at.forgotten.push(clientId)
        if (at.forgotten.length > 9) throw new Error('given up without end')
        // The one that replaces it is known there.
        if (at.mayForget) Object.assign(at, { client: { client_id: `${clientId}x` }, isUnknown: false })
        return at.mayForget
      },
      learn: async (configuration) => void at.learned.push(configuration.clientMetadata().client_id),
    }),
    ...(isForgotten && { isForgotten }),
  }
  const server = createAuthorizationServer({
    settings,
    client,
    log: { info: line('info'), warn: line('warn') } as never,
    onCall: ({ operation, status }) => void calls.push({ operation, status }),
    now: () => Date.now(),
  })
  const idOf = async (
    which: 'configuration' | 'confirmedConfiguration' | 'patientConfiguration' = 'configuration',
  ) => (await server[which]()).clientMetadata().client_id
  const started = async () => {
    server.start()
    await turn()
  }
  return { server, at, asked, logged, calls, idOf, started }
}
