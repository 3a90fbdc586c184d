// One history for an app that replaces another (`replaces` in the company file). Pure.
import { omitUndefined } from '../omit-undefined.ts'
import type { AppRecord, EmailRecord, Person } from './person.ts'

/** @returns the person with records and emails of apps that were replaced under the other ones' names, too */
export function withSuccessors(person: Person, replacedBy: ReadonlyMap<string, string>): Person {
  const { lastCheck } = person
  if (replacedBy.size === 0) return person
  const rename = (instance: string) => replacedBy.get(instance) ?? instance
  const renamed = (email: EmailRecord) => (email.apps ? { ...email, apps: email.apps.map(rename) } : email)
  const campaigns = person.campaigns.map(({ name, emails }) => ({ name, emails: emails.map(renamed) }))
  if (lastCheck === undefined) return { ...person, campaigns }
  const apps = new Map(lastCheck.apps.map((app) => [app.instance, app]))
  for (const former of lastCheck.apps) {
    const instance = replacedBy.get(former.instance)
    const successor = instance && successorOf({ ...former, instance }, apps.get(instance), former.instance)
    if (successor) apps.set(successor.instance, successor)
  }
  return { ...person, campaigns, lastCheck: { ...lastCheck, apps: [...apps.values()] } }
}

/** @returns `movedFrom` if the app was connected when it was replaced, else still open */
function successorOf(former: AppRecord, known: AppRecord | undefined, movedFrom: string) {
  const isConnected = former.status === 'connected'
  // Where only a run saw it vanish, it may have been removed, until the other one is listed.
  if (known === undefined)
    return former.vanishedAt === undefined && { ...former, ...(isConnected && { movedFrom }) }
  const { newAt, ...rest } = known
  // The same check may have found the one gone and the other listed.
  if (newAt === undefined || (isConnected && former.since !== newAt))
    return newAt !== undefined && { ...known, movedFrom }
  const { lostAt, lapsedAt = lostAt, lapses } = former
  return { ...rest, ...omitUndefined({ newAt: former.newAt, lapsedAt, lapses }) }
}
