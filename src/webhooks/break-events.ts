// One event for an app that many people lost at once, sent by the run that found it. The same event of a person is in their
// own record (people/outbox.ts).
import type { Break } from '../people/upkeep.ts'
import type { Settings } from '../settings/settings.ts'
import { createPost, signatureHeaders } from './post.ts'

/** @param settings without WEBHOOK_URL there is no one to send to */
export function createBreakEvents({
  WEBHOOK_URL: url,
  WEBHOOK_SECRET: secrets = [],
}: Pick<Settings, 'WEBHOOK_URL' | 'WEBHOOK_SECRET'>) {
  const post = url === undefined ? undefined : createPost(url, 1)
  return {
    /** @returns whether it was taken @param now milliseconds since 1970 */
    async send({ instance, name, noticedAt, lapsed, had }: Break, now: number): Promise<boolean> {
      const timestamp = new Date(noticedAt).toISOString()
      const data = { app: { instance, name }, people: lapsed, of: had }
      const body = JSON.stringify({ type: 'app.disconnected_for_many', timestamp, data })
      const id = `msg_${instance}_${noticedAt}`.replaceAll('.', '_')
      const outcome = await post?.send(signatureHeaders(secrets, id, now, body), body)
      return outcome?.kind === 'taken'
    },
    close: async (): Promise<void> => await post?.close(),
  }
}
