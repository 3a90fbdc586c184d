// Two accounts of one person made into one: an installation wrote the second while it could not read the first. Pure.
// What the person asked for, and that a mail left, is kept from either.
import { present } from '../present.ts'
import { isOut, type Arrival, type Campaign, type Mailing } from './arrival.ts'

type Moment = 'openedAt' | 'signedInAt' | 'optedOutAt'

export function united(one: Arrival, other: Arrival): Arrival {
  const [older, newer] = one.changedAt <= other.changedAt ? [one, other] : [other, one]
  const asked = newer.asOf === undefined ? older : newer
  const { finishedAt: _finished, asOf: _asOf, ...rest } = { ...older, ...newer }
  return {
    ...rest,
    ...earliest('openedAt', one, other),
    ...earliest('signedInAt', one, other),
    ...earliest('optedOutAt', one, other),
    sources: asked.sources,
    ...present({ asOf: asked.asOf, finishedAt: asked.finishedAt }),
    campaigns: campaignsOf(older, newer),
  }
}

function earliest(moment: Moment, one: Arrival, other: Arrival): Partial<Arrival> {
  const times = [one[moment], other[moment]].filter((time) => time !== undefined)
  return times.length === 0 ? {} : { [moment]: Math.min(...times) }
}

function campaignsOf(older: Arrival, newer: Arrival): Campaign[] {
  const names = new Set([...older.campaigns, ...newer.campaigns].map(({ name }) => name))
  const mailingsIn = ({ campaigns }: Arrival, wanted: string) =>
    campaigns.filter(({ name }) => name === wanted).flatMap(({ mailings }) => mailings)
  return [...names].map((name) => ({
    name,
    mailings: mailingsOf([...mailingsIn(older, name), ...mailingsIn(newer, name)]),
  }))
}

/** One a wave, in order of time: a mail that left, or may have, outweighs one that did not. */
function mailingsOf(all: readonly Mailing[]): Mailing[] {
  const byWave = new Map<number, Mailing>()
  for (const mailing of all) {
    const known = byWave.get(mailing.wave)
    if (known === undefined || isOut(mailing) || !isOut(known)) byWave.set(mailing.wave, mailing)
  }
  return [...byWave.values()].sort((one, other) => one.at - other.at)
}
