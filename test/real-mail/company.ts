// Fixture: a company with a real mail server, runs of `onramp invite send`, and the mailboxes.
import { LANGUAGES_FOLDER } from '../../src/web/languages/catalogue.ts'
import { PeopleStore } from '../../src/people/people-store.ts'
import { createSqliteRecords } from '../../src/records/sqlite-records.ts'
import { createKeyRing } from '../../src/records/data-key.ts'
import { readdirSync } from 'node:fs'
import { startCompany } from '../campaigns/command.ts'
import { DOMAIN, openPostOffice, SENDER } from './post-office.ts'

export const GREY_SECONDS = 20
const DAY_MS = 86_400_000

/** A person for each language. */
export const tags = readdirSync(LANGUAGES_FOLDER)
export const readers = tags.map((tag) => tag.toLowerCase())
export const team = ['ada', 'bob', 'cem', 'dov', 'eve', 'fay', 'gus', 'hal']
/** People whose emails the server greylists at first. */
const strangers = ['newcomer']

export const addressOf = (name: string) => `${name}@${DOMAIN}`
const apps = ['Slack', 'GitHub', 'Jira'].map((displayName) => {
  return { instance: `${displayName.toLowerCase()}_1`, displayName }
})

export type Company = Awaited<ReturnType<typeof openCompany>>

type More = { env?: Record<string, string>; options?: string[] }

export async function openCompany(folder: string) {
  const people = [...readers, ...team, ...strangers]
  const office = await openPostOffice(folder, { people, strangers, greySeconds: GREY_SECONDS })
  const company = await startCompany({
    people: [...people, 'gone'].map((id) => ({ id, name: id, email: addressOf(id), datasources: apps })),
  })
  const env = {
    PUBLIC_URL: 'https://onramp.acme.example',
    SMTP_URL: office.url,
    NODE_EXTRA_CA_CERTS: office.authority,
    MAIL_FROM: `Search team <${SENDER}>`,
  }
  /** Each rollout has a separate store. */
  const dataDirOf = (rollout: string) => `${company.env.DATA_DIR}-${rollout}`
  const args = (list: string, options: string[] = []) =>
    ['invite', 'send', list, '--rate', '100', '--yes'].concat(options)
  const sendList = (rollout: string, list: string, { options, env: other }: More = {}) =>
    company.run(args(company.list('people.csv', list), options), {
      env: { ...env, DATA_DIR: dataDirOf(rollout), ...other },
    })

  /** Makes the record of every email a day older. A clock that is ahead would show in the emails' dates. */
  async function dayLater(rollout: string): Promise<void> {
    const { SESSION_SECRET } = company.env
    const records = createSqliteRecords(dataDirOf(rollout))
    const keyRing = createKeyRing(records, [SESSION_SECRET])
    const store = new PeopleStore({ records, keyRing, now: Date.now, retentionDays: 90 })
    for await (const { email } of store.all())
      await store.change(email, (before) => ({
        ...before,
        campaigns: before.campaigns.map(({ name, emails }) => ({
          name,
          emails: emails.map((mailing) => ({ ...mailing, at: mailing.at - DAY_MS })),
        })),
      }))
    records.close()
  }

  return {
    office,
    dayLater,
    file: company.list,
    sendList,
    send: (rollout: string, names: readonly string[], more?: More) =>
      sendList(rollout, `${names.map(addressOf).join('\n')}\n`, more),
    /** @returns a function that reads the new emails of a mailbox */
    mailboxesSince: (names: readonly string[]) => {
      const before = new Map(names.map((name) => [name, office.mailbox(name).length]))
      return async (name: string) => {
        // The server accepts an email before it is in the mailbox.
        await office.isIdle()
        return office.mailbox(name).slice(before.get(name))
      }
    },
    async close() {
      await company.close()
      await office.close()
    },
  }
}

/** Runs a check and prints its result. */
export type Check = (title: string, work: () => Promise<void> | void) => Promise<void>
