// Someone who is signed in, as a request that makes calls of the service.
import type { Request } from 'express'
import { expect } from 'vitest'
import { TokenRefused } from '../../src/client-api/errors.ts'
import { remember, type SignedIn, type Tokens } from '../../src/session/signed-in.ts'
import { inProcess, ISSUER, type Options } from './in-process.ts'

export const MINUTE = 60_000

/** Their tokens are good for five minutes. */
export async function someone(tokens: Partial<Tokens> = {}, options: Options = {}) {
  const world = inProcess(options)
  const { clock, parts, access } = world
  const given = { accessToken: 'first', refreshToken: 'refresh', idToken: undefined }
  const life = { issuedAt: clock.now, expiresAt: clock.now + 5 * MINUTE }
  const user = { issuer: ISSUER, subject: 'ada', groups: ['Old'] }
  const signedInAt = clock.now
  const content = { user, browser: 'b', signedInAt, tokens: { ...given, ...life, ...tokens } }
  const signedIn = await parts.signIns.create('id', content)
  const request = (who: SignedIn = signedIn) => {
    const req = { method: 'GET', originalUrl: '/x' } as Request
    remember(req, who)
    return req
  }
  /** Calls, and is told what with; the service refuses these tokens. */
  async function call(refused: string[] = [], req = request()): Promise<string[]> {
    const used: string[] = []
    const outcome = await access(req, async ({ kind, ...credentials }) => {
      expect(kind).toBe('oauth')
      used.push((credentials as { accessToken: string }).accessToken)
      if (refused.includes(used.at(-1) ?? '') || refused[0] === 'all') throw new TokenRefused('refused')
      return 'ok'
    }).catch((error: unknown) => (error as { code?: string }).code ?? String(error))
    return [...used, outcome]
  }
  const kept = () => parts.signIns.load('id')
  return { ...world, signedIn, request, call, kept }
}
