// Seals what a record keeps: AES-256-GCM under a key made of a secret and of what the record is for. For a session that is
// its id, which only the browser has: neither a dump of the store nor the server's secret alone opens it. For all else it
// is the record's own key, so that no record can take another's place.
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
  /** @param holder what opens it again: the session id, and what the record is for */
  seal(plain: string, holder: string): string
  /** What was sealed, or undefined: another holder, a secret that was retired, or not ours. Never throws. */
  open(sealed: string, holder: string): string | undefined
  /** Was it sealed under the first secret? */
  isCurrent(sealed: string): boolean
}

type KeyEncryptionKey = { id: Buffer; key: KeyObject }

const keyEncryptionKey = (secret: string): KeyEncryptionKey => {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'onramp seal 1', 32)))
  return { key, id: createHmac('sha256', key).update('id').digest().subarray(0, KEY_ID_BYTES) }
}

/** @param secrets the first one seals, every one opens: so a secret rotates without signing anyone out */
export function createSealer(secrets: readonly string[]): Sealer {
  const keys = secrets.map(keyEncryptionKey)
  const [sealing] = keys
  if (sealing === undefined) throw new RangeError('createSealer needs a secret')
  return {
    seal(plain, holder) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', recordCipherKey(sealing, holder), iv)
      const content = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([sealing.id, iv, cipher.getAuthTag(), content]).toString('base64url')
    },
    isCurrent: (sealed) => Buffer.from(sealed, 'base64url').subarray(0, KEY_ID_BYTES).equals(sealing.id),
    open(sealed, holder) {
      const bytes = Buffer.from(sealed, 'base64url')
      const id = bytes.subarray(0, KEY_ID_BYTES)
      const key = keys.find((candidate) => candidate.id.equals(id))
      return key === undefined ? undefined : openWith(key, bytes.subarray(KEY_ID_BYTES), holder)
    },
  }
}

/** A key object: with bare bytes Node prepares the key anew in every call, at several times the cost. */
const recordCipherKey = (master: KeyEncryptionKey, holder: string) =>
  createSecretKey(createHmac('sha256', master.key).update(holder).digest())

function openWith(master: KeyEncryptionKey, bytes: Buffer, holder: string): string | undefined {
  try {
    // Too short a tag is refused here, not compared (NIST SP 800-38D 5.2.1.2 allows shorter ones).
    const decipher = createDecipheriv(
      'aes-256-gcm',
      recordCipherKey(master, holder),
      bytes.subarray(0, IV_BYTES),
      {
        authTagLength: TAG_BYTES,
      },
    )
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    const content = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES))
    return Buffer.concat([content, decipher.final()]).toString()
  } catch {
    return undefined
  }
}

/** The name under which a secret's record is kept: reading the store's names reveals no session id. */
export const hashOf = (secret: string): string => hash('sha256', secret, 'base64url')
