// An invitation and a reminder in each language: they arrive, signed as documented, and are no spam.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { png } from '../campaigns/emails.ts'
import { addressOf, readers, tags, type Check, type Company } from './company.ts'
import { bySpamAssassin, headersOf, verifySignatures, type SpamScore } from './checks.ts'

const MAX_POINTS = 1
const TO_SIGN = ['list-unsubscribe', 'list-unsubscribe-post']

/** Names in the script of their language; all others are called Ada. */
const NAMES: Record<string, string> = {
  ar: 'ليلى',
  de: 'Jürgen',
  es: 'Íñigo',
  fr: 'Zoé',
  he: 'נועה',
  ja: 'さくら',
  pl: 'Łucja',
  'zh-CN': '小明',
}

const list = `email,name,language\n${tags
  .map((tag) => `${addressOf(tag.toLowerCase())},${NAMES[tag] ?? 'Ada'},${tag}\n`)
  .join('')}`

const COMPANY = `name: Acme
product: Acme Search
logo: { light: logo.png }
links: { help: { url: https://intranet.acme.example/help } }
`

const shown = ({ points, rules }: SpamScore) =>
  `${points.toFixed(1)} (${Object.entries(rules)
    .filter(([, score]) => score !== 0)
    .map(([rule, score]) => `${rule} ${score}`)
    .join(', ')})`

/** The lines of h=, in small letters. */
const signedOf = (signature: string): string[] =>
  /\bh=([^;]*)/.exec(signature)?.[1]?.replaceAll(/\s/g, '').toLowerCase().split(':') ?? []

export async function checkLanguages(check: Check, company: Company, folder: string): Promise<void> {
  const { office } = company
  const kinds: Record<string, Buffer[]> = {}

  async function sendAll(options: string[], env: Record<string, string> = {}): Promise<Buffer[]> {
    const since = company.mailboxesSince(readers)
    const sent = await company.sendList('languages', list, { options, env })
    assert.equal(sent.code, 0, sent.stderr)
    const emails: Buffer[] = []
    for (const name of readers) {
      const [email, ...others] = await since(name)
      assert.ok(email !== undefined && others.length === 0, `one email for ${name}`)
      emails.push(email)
    }
    return emails
  }

  await check('an email in each language arrives, over STARTTLS and with a sign-in', async () => {
    const COMPANY_FILE = company.file('company.yaml', COMPANY)
    writeFileSync(join(COMPANY_FILE, '../logo.png'), png(64, 64))
    const again = ['--remind-after', '1']
    kinds['invitation'] = await sendAll([])
    await company.dayLater('languages')
    kinds['reminder with a logo'] = await sendAll(again, { COMPANY_FILE })
    await company.dayLater('languages')
    kinds['reminder about one app'] = await sendAll([...again, '--datasource', 'slack'])
    for (const email of Object.values(kinds).flat())
      assert.match(headersOf(email, 'received').at(-1) ?? '', /using TLSv1\.3 .*ESMTPSA/)
  })

  await check(
    'OpenDKIM, set as documented, signs both List-Unsubscribe headers and lets no one add one',
    () => {
      const all = Object.values(kinds).flat()
      assert.ok(all.length > 0)
      for (const email of all) {
        const [signature = ''] = headersOf(email, 'dkim-signature')
        for (const name of TO_SIGN) {
          assert.equal(headersOf(email, name).length, 1)
          // Signed once for the header, and once more against an added one.
          assert.equal(signedOf(signature).filter((one) => one === name).length, 2, signature)
        }
      }
      const [first = Buffer.of()] = all
      console.log(`      h=${signedOf(headersOf(first, 'dkim-signature')[0] ?? '').join(':')}`)
      const altered = (by: (email: string) => string) => Buffer.from(by(first.toString('latin1')), 'latin1')
      const alterations = [
        altered((email) => email.replace('/opt-out>', '/opt-0ut>')),
        altered((email) => email.replace('=One-Click', '=Two-Click')),
        altered((email) => `List-Unsubscribe: <https://elsewhere.example/>\n${email}`),
        altered((email) => `List-Unsubscribe-Post: List-Unsubscribe=One-Click\n${email}`),
      ]
      const { dkimRecord } = office
      assert.deepEqual(new Set(verifySignatures(folder, dkimRecord, all)), new Set([true]))
      assert.deepEqual(new Set(verifySignatures(folder, dkimRecord, alterations)), new Set([false]))
    },
  )

  for (const kind of ['invitation', 'reminder with a logo', 'reminder about one app'])
    await check(`${kind}: SpamAssassin gives it less than ${MAX_POINTS} point in every language`, () => {
      // The standard test of spam filters, which shows that SpamAssassin works.
      const gtube = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X'
      const emails = kinds[kind] ?? []
      const [spam, ...verdict] = bySpamAssassin(folder, [
        Buffer.from(`Subject: spam\n\n${gtube}\n`),
        ...emails,
      ])
      assert.ok((spam?.points ?? 0) > 900)
      assert.equal(verdict.length, tags.length)
      for (const [index, output] of verdict.entries()) {
        const line = `${tags[index]}: ${shown(output)}`
        console.log(`      ${line}`)
        assert.ok(output.points < MAX_POINTS, line)
      }
    })
}
