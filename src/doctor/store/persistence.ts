// Does what Redis holds survive a restart? What surprises: INFO gives a time of the last save where nothing was ever
// saved (it is the time of the start), so the configuration is asked first. Pure.
import { ok, skip, warn, type Finding } from '../finding.ts'

export type Told = {
  /** CONFIG GET; undefined where the user may not ask, as with most providers. */
  save: string | undefined
  /** INFO, as a record; empty where the user may not ask. */
  info: Readonly<Record<string, string>>
}

const settings = ['REDIS_URL']
const LEDGER = 'the ledger of sent invitations'
const KEEP = 'switch the append-only file on in Redis: appendonly yes'

/** What is known of snapshots: `no` and `yes` by the configuration, `seen` because one was made. */
function snapshots({ save, info }: Told): 'no' | 'yes' | 'seen' | 'unknown' {
  if (save !== undefined) return save.trim() === '' ? 'no' : 'yes'
  if (Number(info['rdb_saves'] ?? 0) > 0) return 'seen'
  const startedAt = Number(info['server_time_usec'] ?? 0) / 1e6 - Number(info['uptime_in_seconds'] ?? 0)
  const savedAt = Number(info['rdb_last_save_time'] ?? 0)
  return startedAt > 0 && savedAt > startedAt + 5 ? 'seen' : 'unknown'
}

const failing = (what: string): Finding =>
  warn(`Redis cannot save (${what} failed): after a restart ${LEDGER} is old, and people are mailed twice.`, {
    settings,
    mend: "look at Redis's log: its disk is full, or its folder cannot be written to",
  })

/** What a restart of Redis costs, by what it tells of itself. */
export function persistence(told: Told): Finding {
  const { info } = told
  const aof = info['aof_enabled']
  if (aof === '1')
    return info['aof_last_write_status'] === 'err'
      ? failing('writing its append-only file')
      : ok('Redis writes every change down (append-only file).')
  const kind = snapshots(told)
  if (kind === 'no')
    return aof === undefined
      ? warn(`Redis makes no snapshots. Without an append-only file a restart loses ${LEDGER}.`, {
          settings,
          mend: KEEP,
        })
      : warn(`Redis saves nothing: a restart loses ${LEDGER}, and everyone is mailed again.`, {
          settings,
          mend: KEEP,
        })
  if (kind === 'unknown')
    return aof === undefined
      ? skip(`it cannot tell whether it saves what it holds; a restart may lose ${LEDGER}.`)
      : warn(
          `Redis writes no append-only file and does not tell whether it makes snapshots: a restart may lose ${LEDGER}, and everyone is mailed again.`,
          { settings, mend: KEEP },
        )
  if (info['rdb_last_bgsave_status'] === 'err') return failing('its last snapshot')
  return warn(
    `Redis makes snapshots only: a crash loses what ${LEDGER} noted since the last one, and those people are mailed again.`,
    { settings, mend: KEEP },
  )
}
