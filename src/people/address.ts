// Email addresses: validation, comparison and masking. Pure.
import { hash } from 'node:crypto'
import { isActAsAddress } from '../client-api/credentials.ts'

/** Trims, and lowers A to Z only: full case folding would make U+212A (Kelvin sign), a look-alike, equal to `k`. */
export const normalizedAddress = (address: string): string =>
  address.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '').replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

const VACATED = '.left.invalid'

/** Names the record of someone whose address is another person's now (RFC 2606: no email can reach it). */
export const vacatedAddress = (address: string, id = ''): string =>
  `${address.slice(0, address.lastIndexOf('@'))}@${hash('sha256', id).slice(0, 8)}${VACATED}`

export const isVacated = (address: string): boolean => address.endsWith(VACATED)

/** Normalizes one plain address. Undefined for anything else, because it goes into headers (X-Service-ActAs, To). */
export function addressToInvite(text: string): string | undefined {
  const address = normalizedAddress(text.trim())
  const local = address.slice(0, address.lastIndexOf('@'))
  const isPlain = isActAsAddress(address) && !/^\.|\.\.|\.$/.test(local) && /@[^@]*[a-z0-9]$/.test(address)
  return isPlain ? address : undefined
}

/** `a••@acme.example` */
export function maskedAddress(address: string): string {
  const index = address.lastIndexOf('@')
  return index < 1 ? '•••' : `${address.slice(0, 1)}••${address.slice(index)}`
}
