// The settings of the store, Redis or SQLite: a part of definitions.ts.
import type { Definitions } from './setting.ts'
import { addressWithUser, hostAndPort, keyPrefix, list, oneOf, text } from './values.ts'

export const storeDefinitions = {
  REDIS_URL: {
    secret: true,
    meaning: '`redis://` or `rediss://`. If unset: the embedded SQLite store in `DATA_DIR` (one process)',
    schema: addressWithUser
      .refine(
        (url) => URL.canParse(url) && /^rediss?:\/\/[^/?#]/i.test(url),
        'is not a Redis address: write it like redis://name:6379 or rediss://name:6379',
      )
      .refine(
        (url) => !URL.canParse(url) || /^\/?\d*$/.test(url.replace(/^\w+:\/\/[^/?#]*/, '')),
        'must end with the number of a database, or without a path: redis://name:6379/3',
      ),
  },
  REDIS_PREFIX: {
    default: 'onramp:',
    meaning: 'What every key in Redis begins with; installations that share a Redis need one each',
    schema: keyPrefix,
  },
  REDIS_SENTINELS: {
    meaning:
      'Sentinels as `name:port`, separated by commas; `REDIS_URL` then gives user, password, TLS and database',
    schema: list(hostAndPort),
  },
  REDIS_SENTINEL_NAME: {
    default: 'mymaster',
    meaning: 'Name of the primary in Sentinel',
    schema: text,
  },
  REDIS_CLUSTER: {
    default: 'no',
    meaning: '`yes`: `REDIS_URL` is a node of a Redis Cluster, from which the others are found',
    schema: oneOf(['yes', 'no']),
  },
  DATA_DIR: { default: './data', meaning: 'Folder for the embedded store', schema: text },
} as const satisfies Definitions
