// Apps that another one replaces: their history in a person's record goes on under that one. Pure.
import { omitUndefined } from '../omit-undefined.ts'
import { isBackAfterRemoval, type AppRecord, type EmailRecord, type Person } from './person.ts'

/** Continues the history of a replaced app under the instance that replaces it, in records and emails. */
export function withSuccessors(person: Person, activeReplacements: ReadonlyMap<string, string>): Person {
  const { lastCheck, intents } = person
  if (activeReplacements.size === 0) return person
  const rename = (instance: string) => activeReplacements.get(instance) ?? instance
  const renamed = ({ apps, alsoListed, ...email }: EmailRecord): EmailRecord => ({
    ...email,
    ...omitUndefined({ apps: apps?.map(rename), alsoListed: alsoListed?.map(rename) }),
  })
  const campaigns = person.campaigns.map(({ name, emails }) => ({ name, emails: emails.map(renamed) }))
  const failures = person.failures?.map((one) =>
    one.instance ? { ...one, instance: rename(one.instance) } : one,
  )
  const apps = new Map(lastCheck?.apps.map((app) => [app.instance, app]))
  for (const [movedFrom, instance] of activeReplacements) {
    const [former, successorRecord] = [apps.get(movedFrom), apps.get(instance)]
    apps.delete(movedFrom)
    if (successorRecord !== undefined && isBackAfterRemoval(successorRecord)) continue
    // If the replaced app has no record, the person had connected it before their first check.
    const unseen = successorRecord?.newAt !== undefined && { ...successorRecord, movedFrom }
    const successor = former ? successorOf({ ...former, instance }, successorRecord, movedFrom) : unseen
    if (successor) apps.set(instance, successor)
  }
  // A choice follows the app, unless the person had connected the replaced one since.
  const isChosen = (instance: string) => intents?.apps.some((intent) => intent.instance === instance)
  const choices = intents?.apps.flatMap((intent) => {
    const instance = rename(intent.instance)
    const { movedFrom, previousLapsedAt } = apps.get(instance) ?? {}
    const isLeftBehind = isChosen(instance) || (movedFrom !== undefined && previousLapsedAt === undefined)
    return instance !== intent.instance && isLeftBehind ? [] : { ...intent, instance }
  })
  return {
    ...person,
    campaigns,
    ...omitUndefined({ failures, intents: intents && choices && { ...intents, apps: choices } }),
    ...(lastCheck && { lastCheck: { ...lastCheck, apps: [...apps.values()] } }),
  }
}

/** @returns an app with `movedFrom` if its predecessor was ever connected, else one that is still to be connected */
function successorOf(former: AppRecord, known: AppRecord | undefined, movedFrom: string) {
  const { lapsedAt, ...rest } = former
  // One check can delist the replaced app and list its replacement.
  const wasReplaced = former.since === known?.newAt
  const lostAt = lapsedAt ?? (wasReplaced ? former.previousLapsedAt : undefined)
  const hasMoved = lostAt !== undefined || (former.status === 'connected' && !wasReplaced)
  const move = { movedFrom, ...omitUndefined({ previousLapsedAt: lostAt }) }
  // Until its replacement is listed, a delisted app may have been removed.
  if (known === undefined)
    return former.delistedAt === undefined && (hasMoved ? { ...rest, ...move } : former)
  if (known.newAt === undefined) return false
  const { newAt: _newAt, ...open } = known
  return hasMoved ? { ...known, ...move } : { ...open, ...omitUndefined({ newAt: former.newAt }) }
}
