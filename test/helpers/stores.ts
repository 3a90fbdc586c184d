// The two stores of journeys.
import { startRedis } from './redis.ts'

export type StoreUnderTest = { settings: Record<string, string>; close(): Promise<void> }

/** In the folder that run() creates. */
export const sqlite = async (): Promise<StoreUnderTest> => ({ settings: {}, close: async () => {} })

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
