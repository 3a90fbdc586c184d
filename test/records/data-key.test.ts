// The installation's key: one for each store, whichever process asks first, and the same whatever secret seals it.
import { describe, expect, it } from 'vitest'
import { adoptStore, createInstallation, untilOpened } from '../../src/records/data-key.ts'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import { StoreUnavailable } from '../../src/records/records.ts'
import { memoryRedis } from '../helpers/memory-redis.ts'

const [OLD, NEW, OTHER] = ['old', 'new', 'other'].map((word) => word.repeat(12)) as [string, string, string]

const store = () => createRedisRecords(memoryRedis().commands)
const vaultWith = (records: ReturnType<typeof store>, ...secrets: string[]) =>
  createInstallation(records, secrets).vault()

describe('the installation', () => {
  it('has one key, however many processes meet an empty store at once', async () => {
    const records = store()
    const vaults = await Promise.all(Array.from({ length: 8 }, () => vaultWith(records, OLD)))
    const sealed = vaults[0]?.sealer.seal('opted out', 'person:ada') ?? ''
    expect(vaults.map((vault) => vault.sealer.open(sealed, 'person:ada'))).toEqual(
      Array.from({ length: 8 }, () => 'opted out'),
    )
    expect(new Set(vaults.map((vault) => vault.nameOf('person', 'ada@acme.example'))).size).toBe(1)
  })

  it('keeps its key while SESSION_SECRET goes from old to new, and the old one then opens nothing', async () => {
    const records = store()
    const before = await vaultWith(records, OLD)
    const sealed = before.sealer.seal('opted out', 'person:ada')
    for (const secrets of [[OLD, NEW], [NEW, OLD], [NEW]]) {
      const vault = await vaultWith(records, ...secrets)
      expect(vault.sealer.open(sealed, 'person:ada')).toBe('opted out')
      expect(vault.nameOf('person', 'ada')).toBe(before.nameOf('person', 'ada'))
    }
    await expect(vaultWith(records, OLD)).rejects.toThrow('sealed under another SESSION_SECRET')
  })

  it('refuses a store of another secret and leaves it as it is, until it is adopted on purpose', async () => {
    const records = store()
    const mine = await vaultWith(records, OLD)
    const kept = await records.get('installation')
    const other = createInstallation(records, [OTHER])
    await expect(other.vault()).rejects.toThrow('add the former secret as the second one of SESSION_SECRET')
    expect(await records.get('installation')).toBe(kept)
    await adoptStore(records, [OTHER])
    const adopted = await other.vault()
    expect(adopted.sealer.open(mine.sealer.seal('a', 'key'), 'key')).toBeUndefined()
    await expect(vaultWith(records, OLD)).rejects.toThrow('sealed under another SESSION_SECRET')
  })

  it('is asked for again after an outage, and only once when it was found', async () => {
    const records = store()
    let asked = 0
    const get = async (key: string) => {
      if (asked++ < 2) throw new StoreUnavailable(new Error('away'))
      return records.get(key)
    }
    const installation = createInstallation({ ...records, get }, [OLD])
    await expect(installation.vault()).rejects.toBeInstanceOf(StoreUnavailable)
    await untilOpened(installation, new AbortController().signal)
    await Promise.all([installation.vault(), installation.vault()])
    await untilOpened(installation, AbortSignal.abort())
    expect(asked).toBe(3)
    const opened = untilOpened(createInstallation(records, [OTHER]), new AbortController().signal)
    await expect(opened).rejects.toThrow('sealed under another SESSION_SECRET')
  })

  it('is given back to a store that was emptied, and goes on while a process with the former secret seals it', async () => {
    const redis = memoryRedis()
    const records = createRedisRecords(redis.commands)
    let time = 0
    const running = createInstallation(records, [NEW], () => time)
    const name = (await running.vault()).nameOf('person', 'ada')
    await records.remove('installation')
    time += 61_000
    await running.vault()
    expect((await vaultWith(records, NEW)).nameOf('person', 'ada')).toBe(name)
    await vaultWith(records, OLD, NEW)
    time += 61_000
    expect((await running.vault()).nameOf('person', 'ada')).toBe(name)
  })

  it('that an earlier onramp made is opened, and names everyone as before', async () => {
    const records = store()
    const sealed =
      'Fp55LfxcMc639VRMsYLcjwwKSkoIGg93m8lVl2p_1jt1yIzCYprnkTsM5dxziw6E_CqZLfC5i6mwl86nswXC64D4NQBMF6aMOw4A'
    await records.put('installation', sealed, 60)
    const name = (await vaultWith(records, OLD)).nameOf('person', 'ada')
    expect(name).toBe('UEBpXUoMj1WaIj2FEwLFBZG2U_fj66FOQM0HZNmfUCk')
  })

  it('names the same text differently for each purpose, and says nothing of it in the store', async () => {
    const redis = memoryRedis()
    const vault = await vaultWith(createRedisRecords(redis.commands), OLD)
    expect(vault.nameOf('person', 'ada')).not.toBe(vault.nameOf('walk', 'ada'))
    expect([...redis.dump().values()].join()).not.toContain('ada')
  })
})
