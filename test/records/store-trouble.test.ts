// Why the store failed, in the words of the log and the doctor.
import { describe, expect, it } from 'vitest'
import { StoreUnavailable, TooSlow } from '../../src/records/records.ts'
import { rootOf, storeTrouble } from '../../src/records/store-trouble.ts'

const WORDS = {
  OOM: 'Redis is full and takes no writes',
  NOPERM: 'the user of REDIS_URL may not do this',
  READONLY: 'what answers is a replica and takes no writes',
  MISCONF: 'Redis cannot save to its disk, so it takes no writes',
  NOREPLICAS: 'Redis takes no writes because too few replicas are connected',
  DENIED: 'Redis is in protected mode: without a password it answers its own machine alone',
  NOAUTH: 'Redis asks for a password',
  WRONGPASS: 'Redis does not accept the user name or the password',
  LOADING: 'Redis is still loading what it saved',
  CLUSTERDOWN: 'the cluster is down: not every slot has a node',
  MASTERDOWN: 'the replica has lost its primary',
  BUSY: 'a script keeps Redis busy',
  NOSUCHCOMMAND: 'Redis does not know a command that onramp needs: it was renamed or switched off',
}

describe('a refusal of Redis', () => {
  it.each(Object.entries(WORDS))('%s is told as that: %s', (code, words) => {
    for (const message of [`${code} as Redis puts it.`, `-${code} as Redis puts it.`, code])
      expect(storeTrouble(new Error(message))).toEqual({ code, words, isRefusal: true })
  })

  it.each(['OOM', 'READONLY', 'MISCONF', 'NOREPLICAS', 'NOPERM'] as const)(
    '%s is found within a script, too, as Redis tells it since version 7 and before',
    (code) => {
      for (const message of [
        `${code} no writes now. script: caeeee01, on @user_script:1.`,
        `ERR Error running script (call to f_caeeee01): @user_script:1: @user_script: 1: -${code} no writes now.`,
      ])
        expect(storeTrouble(new Error(message))).toEqual({ code, words: WORDS[code], isRefusal: true })
    },
  )

  it.each([
    ["NOPERM User onramp has no permissions to run the 'expire' command", 'EXPIRE'],
    ["NOPERM this user has no permissions to run the 'cluster|slots' command", 'CLUSTER SLOTS'],
    ["ERR ACL failure in script: User onramp has no permissions to run the 'get' command", 'GET'],
    ["ERR The user executing the script can't run this command or subcommand script: 1a2b", undefined],
    ['NOPERM No permissions to access a key', undefined],
    ["NOPERM may not run the 'x' command", undefined],
  ])('%s names the command that was denied: %s', (message, denied) => {
    expect(storeTrouble(new Error(message))).toEqual({
      code: 'NOPERM',
      words: WORDS.NOPERM,
      isRefusal: true,
      denied,
    })
  })

  it.each([
    "ERR unknown command 'EXPIRE', with args beginning with:",
    "unknown command 'EVAL'",
    'ERR Unknown Redis command called from script script: 1a2b',
    'ERR Error running script (call to f_1a2b): @user_script:1: Unknown Redis command called from Lua script',
  ])('%s is a command that was renamed or switched off', (message) => {
    expect(storeTrouble(new Error(message))).toEqual({
      code: 'NOSUCHCOMMAND',
      words: WORDS.NOSUCHCOMMAND,
      isRefusal: true,
    })
  })

  it.each([
    'ERR syntax error',
    'ERR a key named unknown',
    'ERR its ZOOM',
    'ERR the replica says: unknown command',
    'the OOM killer',
    'OOMS are none',
    'what READONLY means',
    'loading',
    'AWAY unknown',
  ])('is not read into other words: %s', (message) => {
    expect(storeTrouble(new Error(message))).toMatchObject({
      words: 'the store cannot be reached',
      isRefusal: false,
    })
  })
})

describe('a failure that is no refusal of Redis', () => {
  const system = Object.assign(new Error('connect ECONNREFUSED ::1:6379'), { code: 'ECONNREFUSED' })
  const sqlite = Object.assign(new Error('full'), { code: 'ERR_SQLITE_ERROR', errstr: 'disk is full' })
  const unreadable = Object.assign(new Error('walk:1 cannot be read'), { name: 'Unreadable' })
  class ClientClosedError extends Error {}
  const [slow, away, nothing] = [
    'the store did not answer in time',
    'the store cannot be reached',
    'the store failed',
  ]

  it.each<[unknown, string, string, boolean]>([
    [new TooSlow(600), 'timeout', slow, false],
    // Errors of the client library have no name of their own.
    [new Error('Connection timeout'), 'timeout', slow, false],
    [new Error('the command timed out'), 'timeout', slow, false],
    [new Error('Socket Timeout. Expecting data, but'), 'timeout', slow, false],
    [unreadable, 'unreadable', 'a record there is damaged, or of a newer version', true],
    [sqlite, 'SQLITE', 'SQLite says: disk is full', true],
    [system, 'ECONNREFUSED', away, false],
    [Object.assign(new Error('no'), { code: 'ETIMEDOUT' }), 'ETIMEDOUT', away, false],
    [Object.assign(new Error('no'), { code: 7 }), 'Error', away, false],
    [new ClientClosedError('closed'), 'ClientClosedError', away, false],
    [Object.assign(new ClientClosedError('no'), { name: 'Renamed' }), 'Renamed', away, false],
    [new TypeError('no'), 'TypeError', away, false],
    ['a text', 'unknown', nothing, false],
    [undefined, 'unknown', nothing, false],
  ])('%s is told as %s: %s', (error, code, words, isRefusal) => {
    expect(storeTrouble(error)).toEqual({ code, words, isRefusal })
  })

  it('is looked for below wrappers, of several the first, and not for ever', () => {
    const wrapped = new Error('outer', { cause: new AggregateError([system, sqlite]) })
    expect(rootOf(wrapped)).toBe(system)
    expect(storeTrouble(new StoreUnavailable(wrapped))).toEqual(storeTrouble(system))
    const empty = new AggregateError([])
    expect(rootOf(empty)).toBe(empty)
    expect(rootOf(new AggregateError(['a text']))).toBe('a text')
    const other = new Error('cause is no error', { cause: 'a text' })
    expect(rootOf(other)).toBe(other)
    let [deep, layers] = [system as Error, [system as Error]]
    for (let depth = 1; depth <= 6; depth++)
      layers = [(deep = new Error('outer', { cause: deep })), ...layers]
    expect(rootOf(layers[1])).toBe(system)
    expect(rootOf(layers[0])).toBe(layers[5])
  })
})
