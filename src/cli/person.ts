// onramp person: prints a person's history, the next helpful step, and everything stored about them.
import type { CommandContext } from '@onramp/terminal/command-context'
import { columnsFor, wrapText } from '@onramp/terminal/terminal'
import { historyOf, personPage } from '../admin/person-history.ts'
import { emailOutlook } from '../campaigns/episodes.ts'
import { WalkStore } from '../onboarding/walk-store.ts'
import { withSuccessors } from '../people/successors.ts'
import { OperatorError } from '../problem.ts'
import { createKeyRing } from '../records/data-key.ts'
import { loadSettingsWithoutClient } from '../settings/settings.ts'
import type { Texts } from '../web/languages/texts.ts'
import { loadCompanyOf } from './invite/email.ts'
import { forTerminal, operatorTexts } from './operator.ts'
import { openKeepState, openPeople, storeLabel, withStore } from './store.ts'

const INDENT = 20

const isoTimes = (name: string, value: unknown): unknown =>
  typeof value === 'number' && /^(at|since|firstSeen)$|At$/.test(name) ? new Date(value).toISOString() : value

export async function showPerson(
  email: string,
  { json }: { json?: boolean },
  { env, stdout, now }: CommandContext,
): Promise<number> {
  const settings = loadSettingsWithoutClient(env)
  const company = loadCompanyOf(settings)
  return await withStore(settings, async (records) => {
    const people = openPeople({ records, settings, now }, company)
    await people.loadReplacements()
    const shownPerson = await people.get(await people.currentAddress(email))
    // The store also has apps that the company hides.
    const person =
      shownPerson && json ? await openPeople({ records, settings, now }).get(shownPerson.email) : shownPerson
    if (person === undefined)
      throw new OperatorError(`nothing is stored about ${email} (${storeLabel(settings)})`)
    const keepState = await openKeepState(records, settings).loadDecided()
    if (json) {
      const dataKey = await createKeyRing(records, settings.SESSION_SECRET).dataKey()
      const walks = (person.signIns ?? []).map((key) => WalkStore.read(records, key, dataKey))
      const { wait: noEmail, next: nextEmail } = emailOutlook(person, keepState, { ...company, now: now() })
      const stored = { person, progress: await Promise.all(walks) }
      const output = {
        schema_version: 1,
        email: person.email,
        ...historyOf(
          withSuccessors(person, company.activeReplacements),
          keepState,
          company.activeReplacements,
        ),
        noEmail,
        nextEmail,
        stored,
      }
      stdout.write(`${JSON.stringify(output, isoTimes)}\n`)
      return 0
    }
    const t = operatorTexts()
    const page = personPage(person, keepState, company, { t, now: now() })
    const parts = partsOf(page, settings.PUBLIC_URL, t, columnsFor(stdout))
    const terminalLine = (line: string) => `${forTerminal(line)}\n`
    stdout.write(parts.map((lines) => lines.map(terminalLine).join('')).join('\n'))
    return 0
  })
}

type PersonPage = ReturnType<typeof personPage>

/** The helpful step comes first, so that it can be read out on the phone. */
function partsOf(page: PersonPage, publicUrl: string, t: Texts, columns: number): string[][] {
  const { name, details, asOf, help, apps, events } = page
  const rowsOf = (rows: PersonPage['events']) =>
    rows.flatMap(({ time, text, details: more }) => {
      const when = `  ${time?.iso.slice(0, 16).replace('T', ' ') ?? ''}`
      const lines = wrapText([text, ...more].join(' · '), columns - INDENT)
      return lines.map((line, index) => (index === 0 ? when : '').padEnd(INDENT) + line)
    })
  const link = help.command ?? (help.path && publicUrl + help.path)
  return [
    wrapText([name, ...details].join(' · '), columns),
    [...wrapText(`${t('person.helps')}: ${help.text}`, columns), ...(link ? [`  ${link}`] : [])],
    [t('person.apps'), ...rowsOf(apps)],
    [t('person.events'), ...rowsOf(events)],
    wrapText(`${asOf}. ${t('admin.zone')}.`, columns),
  ]
}
