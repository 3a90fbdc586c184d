// The same sign-in at express-openid-connect, by the benchmark that is there already: the ratio of the two, in one run.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { spreadOf } from '../spread.ts'

type Result = { name: string; rounds: { perSecond: number }[] }

/** @returns sign-ins a second of each, and those of onramp over the peer's */
export async function besideThePeer(rounds: number) {
  const file = fileURLToPath(new URL('../run.ts', import.meta.url))
  const args = [
    '--disable-warning=ExperimentalWarning',
    file,
    '--only',
    'sign-ins',
    '--json',
    '--rounds',
    `${rounds}`,
  ]
  // It ends with 1 where its own target is missed; the figures are there all the same.
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 }).catch(
    (error: { stdout: string }) => error,
  )
  const { signIns } = JSON.parse(stdout) as { signIns: { results: Result[] } }
  const named = (name: string) => signIns.results.find((result) => result.name === name)?.rounds ?? []
  const [onramp, peer] = [named('onramp'), named('peer')]
  const median = (list: readonly { perSecond: number }[]) =>
    spreadOf(list.map(({ perSecond }) => perSecond)).median
  return {
    onramp: median(onramp),
    peer: median(peer),
    ratio: spreadOf(onramp.map(({ perSecond }, index) => perSecond / (peer[index]?.perSecond ?? Number.NaN))),
  }
}
