// Settings of the commands that call the service or send emails: each has its effect there.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import PostalMime from 'postal-mime'
import { expect, it } from 'vitest'
import { Invitations } from '../../src/invites/token.ts'
import { useCompany } from '../campaigns/command.ts'
import { useFolder } from '../helpers/folder.ts'
import { ADA, DAY, monday } from './installation.ts'

const { company, received, run, list } = useCompany({ headerPrefix: 'X-Acme' })

const COMPANY_FILE = join(useFolder(), 'company.yaml')
writeFileSync(COMPANY_FILE, 'name: Acme\ndatasources: { slack: { name: Team chat } }\n')
const SETTINGS = {
  SERVICE_HEADER_PREFIX: 'X-Acme',
  PUBLIC_URL: 'https://onramp.acme.test',
  INVITE_SECRET: 'an invitation secret of thirty-two characters',
  INVITE_RETENTION_DAYS: '7',
  MAIL_FROM: 'The team <team@acme.test>',
  COMPANY_FILE,
}
const now = () => monday

const lastCall = () => {
  const { headers } = company().sandbox.requests.at(-1) ?? {}
  return {
    SERVICE_GLOBAL_TOKEN: headers?.['authorization'],
    SERVICE_HEADER_PREFIX: headers?.['x-acme-actas'],
  }
}
const ofCall = () => ({
  SERVICE_GLOBAL_TOKEN: `Bearer ${company().env.SERVICE_GLOBAL_TOKEN}`,
  SERVICE_HEADER_PREFIX: ADA,
})

/** Whole days until a person's record expires. */
function daysKept(): number {
  const file = join(company().env.DATA_DIR, 'onramp.sqlite')
  const database = new DatabaseSync(file, { readOnly: true })
  const row = database.prepare("SELECT expires FROM records WHERE key LIKE 'person:%'").get()
  database.close()
  return Math.round((Number(row?.['expires']) - Date.now()) / DAY)
}

async function lastEmail() {
  const { from, text = '', headers } = await PostalMime.parse(received().at(-1)?.raw ?? '')
  const unsubscribe = headers.find(({ key }) => key === 'list-unsubscribe')?.value
  const [, publicUrl, token = ''] = /(https:\/\/\S+)\/invite\/(\w+)/.exec(unsubscribe ?? '') ?? []
  const invitations = new Invitations([SETTINGS.INVITE_SECRET], SETTINGS.PUBLIC_URL, now)
  const { email } = (await invitations.read(token)) ?? {}
  const hasAppName = text.includes('Team chat')
  const sender = `${from?.name} <${from?.address}>`
  return { PUBLIC_URL: publicUrl, INVITE_SECRET: email, MAIL_FROM: sender, COMPANY_FILE: hasAppName }
}
const { PUBLIC_URL, MAIL_FROM } = SETTINGS
const ofEmail = { PUBLIC_URL, INVITE_SECRET: ADA, MAIL_FROM, COMPANY_FILE: true }

it.each(['keep', 'invite send'])('onramp %s uses each setting for its calls and emails', async (command) => {
  const { code } = await run([...command.split(' '), list(`email\n${ADA}\n`)], { env: SETTINGS, now })
  const found = { ...lastCall(), ...(await lastEmail()), INVITE_RETENTION_DAYS: daysKept() }
  expect({ code, ...found }).toEqual({ code: 0, ...ofCall(), ...ofEmail, INVITE_RETENTION_DAYS: 7 })
})

it('onramp status uses each setting for its call', async () => {
  const { code } = await run(['status', ADA], { env: SETTINGS, now })
  expect({ code, ...lastCall() }).toEqual({ code: 0, ...ofCall() })
})

it('onramp invite preview uses each setting for its email', async () => {
  const { code } = await run(['invite', 'preview', '--to', ADA], { env: SETTINGS, now })
  expect({ code, ...(await lastEmail()) }).toEqual({ code: 0, ...ofEmail })
})
