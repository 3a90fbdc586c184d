// Seals a record with AES-256-GCM, under a key derived from a secret and the record's associated data. A session's is its ID,
// which only the browser has, so neither a dump of the store nor the secret alone opens it. Any other record's is its key,
// so no record can take another's place.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto'

const IV_BYTES = 12
const TAG_BYTES = 16
const KEY_ID_BYTES = 4

export type Sealer = {
  seal(plain: string, associatedData: string): string
  /** Undefined for other associated data, a retired secret, or other text. Never throws. */
  open(sealed: string, associatedData: string): string | undefined
  isCurrent(sealed: string): boolean
}

type KeyEncryptionKey = { id: Buffer; key: KeyObject }

const keyEncryptionKey = (secret: string): KeyEncryptionKey => {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'onramp seal 1', 32)))
  return { key, id: createHmac('sha256', key).update('id').digest().subarray(0, KEY_ID_BYTES) }
}

/** @param secrets the first one seals, every one opens, so rotating a secret signs no one out */
export function createSealer(secrets: readonly string[]): Sealer {
  const keys = secrets.map(keyEncryptionKey)
  const [sealing] = keys
  if (sealing === undefined) throw new RangeError('createSealer needs a secret')
  return {
    seal(plain, associatedData) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', recordCipherKey(sealing, associatedData), iv)
      const content = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([sealing.id, iv, cipher.getAuthTag(), content]).toString('base64url')
    },
    isCurrent: (sealed) => Buffer.from(sealed, 'base64url').subarray(0, KEY_ID_BYTES).equals(sealing.id),
    open(sealed, associatedData) {
      const bytes = Buffer.from(sealed, 'base64url')
      const id = bytes.subarray(0, KEY_ID_BYTES)
      const key = keys.find((candidate) => candidate.id.equals(id))
      return key === undefined ? undefined : openWith(key, bytes.subarray(KEY_ID_BYTES), associatedData)
    },
  }
}

/** A key object: from bytes Node would prepare the key in every call, at several times the cost. */
const recordCipherKey = (master: KeyEncryptionKey, associatedData: string) =>
  createSecretKey(createHmac('sha256', master.key).update(associatedData).digest())

function openWith(master: KeyEncryptionKey, bytes: Buffer, associatedData: string): string | undefined {
  try {
    // Rejects a shorter tag, which NIST SP 800-38D 5.2.1.2 allows.
    const options = { authTagLength: TAG_BYTES }
    const [key, iv] = [recordCipherKey(master, associatedData), bytes.subarray(0, IV_BYTES)]
    const decipher = createDecipheriv('aes-256-gcm', key, iv, options)
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    const content = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES))
    return Buffer.concat([content, decipher.final()]).toString()
  } catch {
    return undefined
  }
}

/** SHA-256 in base64url: a record's key that reveals no secret. */
export const hashOf = (text: string): string => hash('sha256', text, 'base64url')

/** @param sealer of the data key. `key` has no REDIS_PREFIX; `open` returns undefined if unreadable. */
export const sealedJson = <T extends object>(sealer: Pick<Sealer, 'seal' | 'open'>) => ({
  seal: (value: T, key: string): string => sealer.seal(JSON.stringify(value), key),
  open(text: string | undefined, key: string): T | undefined {
    const plain = text === undefined ? undefined : sealer.open(text, key)
    return plain === undefined ? undefined : (JSON.parse(plain) as T)
  },
})
