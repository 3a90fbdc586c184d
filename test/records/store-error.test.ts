// Descriptions of store errors, in the log and by the doctor.
import { expect, it } from 'vitest'
import { StoreUnavailable } from '../../src/records/records.ts'
import { TimedOut } from '../../src/with-timeout.ts'
import { rootCause, describeStoreError } from '../../src/records/store-error.ts'

const script = 'ERR Error running script (call to f_1a2b): @user_script:1:'

const WRITES = ['OOM', 'READONLY', 'MISCONF', 'NOREPLICAS', 'NOPERM']
const OTHERS = ['DENIED', 'NOAUTH', 'WRONGPASS', 'LOADING', 'CLUSTERDOWN', 'MASTERDOWN', 'BUSY']
const words = expect.stringContaining(' ') as string

it.each([
  ...[...WRITES, ...OTHERS].flatMap((code) => [
    [code, `${code} as Redis puts it.`],
    [code, `-${code} as Redis puts it.`],
  ]),
  // The wording before Redis 7.
  ...WRITES.map((code) => [code, `${script} -${code} no writes now.`]),
  // A renamed or disabled command.
  ['NOSUCHCOMMAND', "ERR unknown command 'EXPIRE', with args beginning with:"],
  ['NOSUCHCOMMAND', 'ERR Unknown Redis command called from script script: 1a2b'],
  ['NOSUCHCOMMAND', `${script} Unknown Redis command called from Lua script`],
])('the Redis error code %s is found in the reply: %s', (code, message) => {
  expect(describeStoreError(new Error(message))).toMatchObject({ code, message: words, isErrorReply: true })
})

it.each([
  ["NOPERM User onramp has no permissions to run the 'expire' command", 'EXPIRE'],
  ["NOPERM this user has no permissions to run the 'cluster|slots' command", 'CLUSTER SLOTS'],
  ["ERR ACL failure in script: User onramp has no permissions to run the 'get' command", 'GET'],
  ["ERR The user executing the script can't run this command or subcommand script: 1a2b", undefined],
  ['NOPERM No permissions to access a key', undefined],
])('the denied command is found in the reply of Redis: %s: %s', (message, denied) => {
  expect(describeStoreError(new Error(message))).toMatchObject({ code: 'NOPERM', isErrorReply: true, denied })
})

it.each(['ERR syntax error', 'ERR its ZOOM', 'the OOM killer', 'OOMS are none', 'loading'])(
  'another message isn’t taken for an error reply of Redis: %s',
  (message) => {
    expect(describeStoreError(new Error(message)).isErrorReply).toBe(false)
  },
)

const system = Object.assign(new Error('connect ECONNREFUSED ::1:6379'), { code: 'ECONNREFUSED' })
const sqlite = Object.assign(new Error('full'), { code: 'ERR_SQLITE_ERROR', errstr: 'disk is full' })
class ClientClosedError extends Error {}

it.each<[unknown, string, string, boolean]>([
  [new TimedOut(600), 'timeout', 'the store timed out', false],
  // Errors of the client library have no specific name.
  [new Error('Connection timeout'), 'timeout', 'the store timed out', false],
  [sqlite, 'SQLITE', 'SQLite: disk is full', true],
  [system, 'ECONNREFUSED', 'the store cannot be reached', false],
  [new ClientClosedError('closed'), 'ClientClosedError', 'the store cannot be reached', false],
  ['a text', 'unknown', 'the store failed', false],
])('the error %s of the store has the code %s: %s', (error, code, message, isErrorReply) => {
  expect(describeStoreError(error)).toEqual({ code, message, isErrorReply })
})

it('the innermost cause of a wrapped store error is described, the first of several', () => {
  const wrapped = new Error('outer', { cause: new AggregateError([system, sqlite]) })
  expect(rootCause(wrapped)).toBe(system)
  expect(describeStoreError(new StoreUnavailable(wrapped))).toEqual(describeStoreError(system))
})
