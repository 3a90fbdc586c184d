// Parts of both `invite send` and `keep`: list and settings, the service and the mail server, and the summary.
import type { CommandContext } from '@onramp/terminal/command-context'
import type { RunDeps } from '../../campaigns/delivery.ts'
import { withUsableIds } from '../../campaigns/listed-people.ts'
import { SmtpClient } from '../../campaigns/mail/smtp-client.ts'
import { createPersonCheck, requireGlobalToken } from '../../campaigns/person-check.ts'
import { formatSummary } from '../../campaigns/tally.ts'
import { MAX_CONCURRENT, Throttle } from '../../campaigns/throttle.ts'
import { ServiceClient } from '../../client-api/client.ts'
import type { Records } from '../../records/records.ts'
import type { Settings } from '../../settings/settings.ts'
import { createOperatorAudit } from '../operator.ts'
import { renameAll } from '../rename.ts'
import { openPeople } from '../store.ts'
import { loadCompanyOf, loadSettingsWith } from './email.ts'
import { openList, readList } from './list.ts'
import type { RunProgress } from './progress.ts'

/** @param file path of the list, or `-` @throws {UsageError} {SettingsError} {UnreadableList} */
export async function loadRunInput(
  file: string,
  needed: readonly (keyof Settings)[],
  includeGuests: boolean | undefined,
  context: CommandContext,
) {
  const stream = openList(file, context.stdin)
  const settings = loadSettingsWith(needed, context.env)
  const company = loadCompanyOf(settings)
  const { people, ...read } = await readList(stream, includeGuests, context.stderr)
  const { list, unused, faults } = withUsableIds(people)
  await new Promise(setImmediate)
  if (unused === 1) context.stderr.write('Ignored 1 id: it is a row number.\n')
  if (unused > 1)
    context.stderr.write(`Ignored ${unused} ids: they are shared by several rows, or are row numbers.\n`)
  return { ...read, list, faults: [...read.faults, ...faults], settings, company, context }
}

export type RunInput = Awaited<ReturnType<typeof loadRunInput>>

const EMAILS_PER_SECOND = 10

/** `mailServer` is absent in a dry run. */
export type ExternalServices = {
  service: {
    /** @throws {OperatorError} */
    checkToken: () => Promise<void>
    unconnectedAppsOf: (email: string) => ReturnType<ServiceClient['unconnectedApps']>
  }
  mailServer?: Pick<SmtpClient, 'check' | 'send'>
  /** Default: {@link EMAILS_PER_SECOND} */
  emailsPerSecond?: number
}

/** The service is called with the global token. */
export async function withExternalServices<T>(
  { settings }: RunInput,
  { isDryRun, signal }: { isDryRun: boolean; signal: AbortSignal },
  work: (services: ExternalServices) => Promise<T>,
): Promise<T> {
  const { SERVICE_BASE_URL: baseUrl, SERVICE_HEADER_PREFIX: headerPrefix } = settings
  const client = new ServiceClient({ baseUrl, headerPrefix })
  const setting = 'SERVICE_GLOBAL_TOKEN'
  const globalToken = { token: settings[setting] ?? '', setting }
  const withoutPerson = () => client.unconnectedApps({ kind: 'user-token', ...globalToken })
  const service = {
    checkToken: () => requireGlobalToken(withoutPerson, { setting, signal }),
    unconnectedAppsOf: (actAs: string) =>
      client.unconnectedApps({ kind: 'global-token', actAs, ...globalToken }),
  }
  const mailServer = isDryRun ? undefined : new SmtpClient(settings, { signal })
  try {
    return await work({ service, ...(mailServer && { mailServer }) })
  } finally {
    mailServer?.close()
    await client.close()
  }
}

export function createRunDeps(
  records: Records,
  { settings, company, context }: RunInput,
  deps: ExternalServices &
    Pick<RunDeps, 'tally' | 'holdsLease' | 'signal' | 'events' | 'confirmEmptyLists'> & {
      checksPerSecond: number
      progress: RunProgress | undefined
    },
): RunDeps {
  const { service, mailServer, emailsPerSecond = EMAILS_PER_SECOND, checksPerSecond, ...rest } = deps
  const { progress, events, ...others } = rest
  const { signal } = others
  const { now } = context
  const people = openPeople({ records, settings, now }, company)
  return {
    ...others,
    people,
    ...(mailServer && {
      rename: (changes) =>
        renameAll(people, changes, {
          audit: createOperatorAudit(settings, context.stderr),
          now,
          onDone: (change) => events?.onRenamed?.(change),
          by: 'list',
        }),
    }),
    check: createPersonCheck({
      unconnectedAppsOf: service.unconnectedAppsOf,
      // As on the pages, hidden apps are neither named nor counted.
      shownApps: company.shownApps,
      throttle: new Throttle(checksPerSecond, signal),
      onPause: (seconds) => progress?.onServicePause(seconds),
      signal,
    }),
    send: mailServer && ((email) => mailServer.send(email)),
    emailThrottle: new Throttle(emailsPerSecond, signal),
    now,
    maxConcurrent: MAX_CONCURRENT,
    events: { onThrottle: (seconds, reply) => progress?.onThrottle(seconds, reply), ...events },
  }
}

/** @param json the counts as JSON; undefined: as text @param text.isComplete the run completed its list */
export function printSummary(
  { leftOut, context: { stdout, stderr } }: RunInput,
  { tally, emailThrottle }: RunDeps,
  json: object | undefined,
  text: { isDryRun: boolean; isComplete: boolean },
): void {
  const { rate } = emailThrottle
  const emailsPerMinute = rate >= EMAILS_PER_SECOND ? undefined : Math.max(1, Math.round(rate * 60))
  if (json) stdout.write(`${JSON.stringify({ ...json, leftOut, emailsPerMinute })}\n`)
  else stderr.write(formatSummary(tally, { ...text, perMinute: emailsPerMinute }))
}
