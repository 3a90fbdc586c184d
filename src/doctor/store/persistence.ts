// Does what Redis holds survive a restart? INFO gives a time of the last save even where nothing was ever saved (it is the
// time of the start), so the configuration is asked first. Pure.
import { ok, skip, warn, type Finding } from '../finding.ts'

export type Reported = {
  /** CONFIG GET; undefined where the user may not ask, as with most providers. */
  save: string | undefined
  /** The same of `appendfsync`. */
  appendfsync?: string | undefined
  /** INFO, as a record; empty where the user may not ask. */
  info: Readonly<Record<string, string>>
}

const settings = ['REDIS_URL']
const LEDGER = 'the ledger of sent invitations'
const KEEP = 'turn on the append-only file in Redis: appendonly yes'

/** Are there snapshots? `no` and `yes` by the configuration, `seen` because one was made. */
function snapshots({ save, info }: Reported): 'no' | 'yes' | 'seen' | 'unknown' {
  if (save !== undefined) return save.trim() === '' ? 'no' : 'yes'
  if (Number(info['rdb_saves'] ?? 0) > 0) return 'seen'
  const startedAt = Number(info['server_time_usec'] ?? 0) / 1e6 - Number(info['uptime_in_seconds'] ?? 0)
  const savedAt = Number(info['rdb_last_save_time'] ?? 0)
  return startedAt > 0 && savedAt > startedAt + 5 ? 'seen' : 'unknown'
}

const failing = (what: string): Finding =>
  warn(
    `Redis can't save (${what} failed): after a restart ${LEDGER} is outdated, and people are emailed twice.`,
    {
      settings,
      fix: "check Redis's log: its disk is full, or its folder is not writable",
    },
  )

function appendOnly({ info, appendfsync }: Reported): Finding {
  if (info['aof_last_write_status'] === 'err') return failing('writing its append-only file')
  if (appendfsync === 'no')
    return warn(
      `Redis leaves it to the system when its append-only file reaches the disk (appendfsync no): a power failure loses what ${LEDGER} recorded since, and those people are emailed again.`,
      { settings, fix: 'set appendfsync everysec in Redis' },
    )
  return ok('Redis persistence is on (append-only file).')
}

/** What a restart of Redis costs, by what it reports about itself. */
export function persistence(reported: Reported): Finding {
  const { info } = reported
  const aof = info['aof_enabled']
  if (aof === '1') return appendOnly(reported)
  const kind = snapshots(reported)
  if (kind === 'no')
    return warn(
      aof === undefined
        ? `Redis makes no snapshots. Without an append-only file a restart loses ${LEDGER}.`
        : `Redis saves nothing: a restart loses ${LEDGER}, and everyone is emailed again.`,
      { settings, fix: KEEP },
    )
  if (kind === 'unknown' && aof === undefined)
    return skip(`Redis doesn't report whether it saves data; a restart may lose ${LEDGER}.`)
  if (kind === 'unknown')
    return warn(
      `Redis has no append-only file and doesn't report whether it makes snapshots: a restart may lose ${LEDGER}, and everyone is emailed again.`,
      { settings, fix: KEEP },
    )
  if (info['rdb_last_bgsave_status'] === 'err') return failing('its last snapshot')
  return warn(
    `Redis makes snapshots only: a crash loses what ${LEDGER} recorded since the last one, and those people are emailed again.`,
    { settings, fix: KEEP },
  )
}
