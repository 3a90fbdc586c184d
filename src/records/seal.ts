// Seals a record with AES-256-GCM, under a key derived from a secret and the record's associated data. For a session,
// that is its ID, which only the browser has, so a dump of the store and the secret don't open it. For other records,
// it is the record's key, so no record can replace another. URLs and cookies get values in an encoding of their own.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  randomUUID,
  type KeyObject,
} from 'node:crypto'

const KEY_ID_BYTES = 4

/** 96 random bits: a UUID without bytes 6 to 9, of which some bits are fixed (RFC 9562 5.4). `randomBytes` is slow. */
function newIv(): Buffer {
  const [first, second, , , last] = randomUUID().split('-')
  return Buffer.from(`${first}${second}${last}`, 'hex')
}

/** Byte offsets of the 16-byte tag, and of the content. */
const [TAG_AT, CONTENT_AT] = [16, 32]

const keyEncryptionKey = (secret: string) => {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'onramp seal 1', 32)))
  return { key, id: createHmac('sha256', key).update('id').digest().subarray(0, KEY_ID_BYTES) }
}

/** A key object is several times faster than bytes, which Node would prepare in every call. */
const recordCipherKey = (master: KeyObject, associatedData: string) =>
  createSecretKey(createHmac('sha256', master).update(associatedData).digest())

/** @param secrets the first one seals, all of them open, so rotating a secret signs no one out */
export function createSealer(secrets: readonly string[]) {
  const keys = secrets.map(keyEncryptionKey)
  const [sealing] = keys
  if (sealing === undefined) throw new RangeError('createSealer needs a secret')
  return {
    seal(plain: string, associatedData: string): string {
      const iv = newIv()
      const cipher = createCipheriv('aes-256-gcm', recordCipherKey(sealing.key, associatedData), iv)
      const content = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([sealing.id, iv, cipher.getAuthTag(), content]).toString('base64url')
    },
    isCurrent: (sealed: string): boolean =>
      Buffer.from(sealed, 'base64url').subarray(0, KEY_ID_BYTES).equals(sealing.id),
    /** Never throws. @returns undefined for other associated data, a retired secret, or other text */
    open(sealed: string, associatedData: string): string | undefined {
      const bytes = Buffer.from(sealed, 'base64url')
      const sealingKey = keys.find(({ id }) => id.equals(bytes.subarray(0, KEY_ID_BYTES)))
      if (sealingKey === undefined) return undefined
      try {
        const key = recordCipherKey(sealingKey.key, associatedData)
        const iv = bytes.subarray(KEY_ID_BYTES, TAG_AT)
        // Rejects a shorter tag, which NIST SP 800-38D 5.2.1.2 allows.
        const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: CONTENT_AT - TAG_AT })
        decipher.setAuthTag(bytes.subarray(TAG_AT, CONTENT_AT))
        const plain = decipher.update(bytes.subarray(CONTENT_AT))
        // Checks the tag; GCM has no padding, so no bytes are left.
        decipher.final()
        return plain.toString()
      } catch {
        return undefined
      }
    },
  }
}

export type Sealer = ReturnType<typeof createSealer>

/** SHA-256 in base64url, for a record's key that reveals no secret. */
export const hashOf = (text: string): string => hash('sha256', text, 'base64url')

/** Keys have no REDIS_PREFIX. `open` returns undefined for an unreadable record. @param sealer of the data key */
export const sealedJson = <T extends object>(sealer: Pick<Sealer, 'seal' | 'open'>) => ({
  seal: (value: T, key: string): string => sealer.seal(JSON.stringify(value), key),
  open(text: string | undefined, key: string): T | undefined {
    const plain = text === undefined ? undefined : sealer.open(text, key)
    return plain === undefined ? undefined : (JSON.parse(plain) as T)
  },
})

/** True if the OWASP core rule set blocks the value: `--` (942440), `0x1f` (942450), `.env` and others (930120). */
export const triggersFirewall = (value: string): boolean => /--|\b0x|\.[a-z]{3}/i.test(value)

/** Base64url with letters, digits and _ only, which no rule matches. It is 3% longer. */
export const encodeFirewallSafe = (base64url: string): string =>
  base64url.replaceAll(/[-_]/g, (character) => (character === '-' ? '_d' : '_u'))

export const decodeFirewallSafe = (encoded: string): string =>
  encoded.replaceAll(/_[du]/g, (pair) => (pair === '_d' ? '-' : '_'))
