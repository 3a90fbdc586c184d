// Checks an email that has arrived: dkimpy its signature, and SpamAssassin whether it is spam, as a foreign mail server
// would, but without network tests.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const VERIFY = new URL('dkim-verify.py', import.meta.url).pathname

/** Expects a valid signature of each. @param record of the key in DNS */
export function verifySignatures(folder: string, record: string, emails: readonly Buffer[]): boolean[] {
  const paths = emails.map((email, index) => {
    const path = join(folder, `signed-${index}`)
    writeFileSync(path, email)
    return path
  })
  const output = execFileSync('/usr/bin/python3', [VERIFY, record, ...paths], { encoding: 'utf8' })
  return output
    .trim()
    .split('\n')
    .map((word) => word === 'pass')
}

/** The lines of a header, unfolded; also where there are several of it. */
export const headersOf = (email: Buffer, name: string): string[] =>
  [...(email.toString().split(/\r?\n\r?\n/, 1)[0] ?? '').matchAll(/^([\w-]+):((?:.*\r?\n[ \t])*.*)$/gm)]
    .filter(([, found = '']) => found.toLowerCase() === name.toLowerCase())
    .map(([, , value = '']) => value.replaceAll(/\r?\n[ \t]+/g, ' ').trim())

/** SpamAssassin's points by rule. Negative points don't offset others. */
export type SpamScore = { points: number; rules: Record<string, number> }

const scoreOf = (rules: Record<string, number>): SpamScore => ({
  points: Object.values(rules).reduce((sum, one) => sum + Math.max(0, one), 0),
  rules,
})

/** The number identifies the email, because SpamAssassin returns them in another order. */
const seenAt = (index: number, time: string) =>
  `Received: from mail.acme.example (mail.acme.example [20.30.40.50])\n\tby mx.elsewhere.example with ESMTPS id nr${index}; ${time}\n`

const SEPARATOR = 'From search@acme.example Thu Jan  1 00:00:00 1970\n'

/** @returns its verdict on each, in their order */
export function bySpamAssassin(folder: string, emails: readonly Buffer[]): SpamScore[] {
  const now = new Date().toUTCString().replace('GMT', '+0000')
  const box = emails.map((email, index) => {
    const quoted = email.toString('latin1').replaceAll(/^(>*From )/gm, '>$1')
    return `${SEPARATOR}${seenAt(index, now)}${quoted}\n\n`
  })
  const path = join(folder, 'scored.mbox')
  writeFileSync(path, box.join(''), 'latin1')
  const own = ['use_bayes 0', 'fold_headers 0', 'add_header all Points _TESTSSCORES_']
  const nobody = ['--nocreate-prefs', '--prefs-file=/dev/null']
  const args = ['--local', ...nobody, ...own.map((line) => `--cf=${line}`), '--mbox', path]
  const output = execFileSync('spamassassin', args, { encoding: 'latin1', maxBuffer: 100_000_000 })
  const verdict: SpamScore[] = []
  for (const one of output.split(/^From search@/m)) {
    const index = /^\tby mx\.elsewhere\.example with ESMTPS id nr(\d+)/m.exec(one)?.[1]
    const points = /^X-Spam-Points: (.*)$/m.exec(one)?.[1]
    if (index === undefined || points === undefined) continue
    const rules = [...points.matchAll(/(\w+)=(-?[\d.]+)/g)].map(([, rule, score]) => [rule, Number(score)])
    verdict[Number(index)] = scoreOf(Object.fromEntries(rules) as Record<string, number>)
  }
  return verdict
}
