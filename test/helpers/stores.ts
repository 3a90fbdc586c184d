// The two stores that journeys are walked on.
import { startRedis } from './redis.ts'

export type StoreUnderTest = { settings: Record<string, string>; close(): Promise<void> }

/** It lives in the folder that run() makes. */
export const sqlite = async (): Promise<StoreUnderTest> => ({ settings: {}, close: async () => {} })

/** For describe.each: a name and how to open it. */
export const stores: [string, () => Promise<StoreUnderTest>][] = [
  ['SQLite', sqlite],
  [
    'Redis',
    async () => {
      const redis = await startRedis()
      return { settings: { REDIS_URL: redis.url }, close: () => redis.close() }
    },
  ],
]
