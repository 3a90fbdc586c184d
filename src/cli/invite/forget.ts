// onramp invite forget: removes what is known of a person, including that they want no emails.
import { unreadInWords } from '../../arrivals/unread.ts'
import { loadSettings } from '../../settings/settings.ts'
import { readArguments } from '@onramp/deprecations/command-line/arguments'
import { explained } from './endings.ts'
import { addressFrom } from './options.ts'
import { arrivalsIn, storeInWords, withStore } from './setup.ts'
import type { Run } from '@onramp/deprecations/command-line/parts'

export const run: Run = async (args, parts) => {
  const email = addressFrom(readArguments(args, {}, 1).words)
  const settings = loadSettings(parts.env)
  return await explained(parts, 'invite forget', async () => {
    const { wasKnown, unread } = await withStore(settings, (records) =>
      arrivalsIn(records, settings, parts.now).forget(email),
    )
    const removed = unreadInWords(unread)
    const isForgotten = wasKnown || removed !== undefined
    parts.stdout.write(
      isForgotten ? `Deleted all data for ${email}\n` : `No data for ${email} (${storeInWords(settings)})\n`,
    )
    if (removed !== undefined)
      parts.stderr.write(
        `${removed.replace(/^one/, 'One')} deleted unread: it may have been about this person, and about others.\n` +
          'It may have contained opt-outs, so invite send skips these people unless you use --mail-in-doubt.\n',
      )
    return 0
  })
}
