// Matches rows of a list with people on record. A row may have a new address (recognized by the id), or a former one.
// Different ids are different people: a person whose address is reassigned moves to a vacated one, with all their data.
import type { Person } from '../people/person.ts'
import { isVacated, vacatedAddress } from '../people/address.ts'
import { isOnlySignedIn } from '../people/rename.ts'
import { COMMAND } from '../version.ts'
import { quoteCell } from './people-columns.ts'
import type { ListEntry } from './people-file.ts'

/** A person's former and new address. */
export type AddressChange = { from: string; to: string }

/** Many new addresses or ids at once may mean the wrong list, or the wrong column. */
export const isSuspiciouslyMany = (changes: readonly unknown[], people: number): boolean =>
  changes.length > Math.max(3, people * 0.1)

/** A larger share leaves the list only with --confirm. */
const MAX_LEAVING = 0.1
const IF_WRONG =
  'Nothing was done. If the list is wrong, put the right one back: the next run needs nothing else.'

type KnownPerson = Pick<Person, 'email'> & Partial<Person>

const isSamePerson = (row: ListEntry, { id }: KnownPerson): boolean =>
  row.id === undefined || id === undefined || row.id === id

/** Compares a person with the row at their address, and with the row of their id. `newRow`: they moved there. */
function identityOf(person: KnownPerson, rowAtAddress: ListEntry | undefined, byId: ListEntry | undefined) {
  const { email, name, formerEmails = [], listedAt, hasUnlistedAddress } = person
  const rowWithNewId = rowAtAddress && !isSamePerson(rowAtAddress, person) ? rowAtAddress : undefined
  // An address that lists had with the same name is the same person's, who may have left and come back.
  // If another row has the former id and this name, there are two people of that name. The id tells them apart.
  const hasSameName = name !== undefined && rowAtAddress?.name === name && byId?.name !== name
  // The list has the address that an operator gave them, and the former id is gone.
  const hasGivenAddress = hasUnlistedAddress === true && byId === undefined
  const isCorrected = listedAt !== undefined && (hasGivenAddress || hasSameName)
  const isReassigned = rowWithNewId !== undefined && !isCorrected
  const isSameName = isCorrected && !hasGivenAddress && byId === undefined
  const mustMove = isReassigned || isVacated(email)
  const isElsewhere = byId !== undefined && byId !== rowAtAddress && !isCorrected
  const newRow = isElsewhere && (mustMove || !formerEmails.includes(byId.email)) ? byId : undefined
  return { rowWithNewId, isReassigned, isSameName, newRow }
}

export class ListedPeople {
  /** Renames to apply: new addresses of known ids, vacated addresses of reassigned ones, and interrupted renames. */
  readonly changes: AddressChange[] = []
  /** Rows skipped because their person is ambiguous, as sentences for the operator. */
  faults: string[] = []
  readonly #list: readonly ListEntry[]
  /** If the list names someone twice, the last row counts. */
  readonly #rows: ReadonlyMap<string, ListEntry>
  readonly #byId: ReadonlyMap<string | undefined, ListEntry>
  readonly #bySharedId: ReadonlyMap<string | undefined, ListEntry[]>
  readonly #addressesOnRecord = new Set<string>()
  /** Addresses with data that only sign-ins recorded. */
  readonly #onlySignedInAddresses = new Set<string>()
  /** Addresses of different people on the list and on record. */
  readonly #reassignedAddresses = new Set<string>()
  readonly #newIds: ListEntry[] = []
  /** Rows with a new id, but the name on record, where the former id is gone. */
  readonly #sameNames: ListEntry[] = []
  readonly #idsOnRecord = new Set<string | undefined>()
  /** Rows that share the id of a person with another address. */
  readonly #sharedIds: AddressChange[] = []
  /** Addresses without data of their own whose row has another person's id. */
  readonly #ambiguousAddresses = new Set<string>()
  /** Current addresses by the former address on the list. */
  readonly #currentByFormer = new Map<string, string>()
  /** People who were on the list, and those of them who no longer are. */
  #listedBefore = 0
  #leavingCount = 0

  constructor(list: readonly ListEntry[]) {
    this.#list = list
    this.#rows = new Map(list.map((row) => [row.email, row]))
    this.#byId = new Map(list.map((row) => [row.id, row]))
    this.#bySharedId = Map.groupBy(list, (row) => row.sharedId)
  }

  /** The person's row, with their new address. Call it once for each person on record. */
  matchRow(person: KnownPerson): ListEntry | undefined {
    const { email, id, formerEmails = [], renamingFrom } = person
    if (isOnlySignedIn(person)) this.#onlySignedInAddresses.add(email)
    if (renamingFrom !== undefined) this.changes.push({ from: renamingFrom, to: email })
    const rowsAt = (address: string) => this.#rows.get(address) ?? []
    const byId = id === undefined ? undefined : this.#byId.get(id)
    const rowAtAddress = byId?.email === email ? byId : this.#rows.get(email)
    const { rowWithNewId, isReassigned, isSameName, newRow } = identityOf(person, rowAtAddress, byId)
    if (rowWithNewId !== undefined) this.#newIds.push(rowWithNewId)
    if (rowWithNewId !== undefined && isSameName) this.#sameNames.push(rowWithNewId)
    if (isReassigned) this.#reassignedAddresses.add(email)
    else this.#addressesOnRecord.add(email)
    this.#idsOnRecord.add(id)
    const current = newRow?.email ?? (isReassigned ? vacatedAddress(email, id) : email)
    if (current !== email) this.changes.push({ from: email, to: current })
    this.#addressesOnRecord.add(current)
    const former = newRow ? [...formerEmails, email] : formerEmails
    // Without an id, the row at an address that is another person's is theirs.
    const isOwn = (row: ListEntry) => (isVacated(email) ? row.id === id : isSamePerson(row, person))
    const formerRows = former.flatMap(rowsAt).filter((row) => isOwn(row) && row.email !== current)
    for (const row of formerRows) this.#currentByFormer.set(row.email, current)
    const sharing = id === undefined ? [] : (this.#bySharedId.get(id) ?? [])
    for (const { email: to } of sharing) this.#sharedIds.push({ from: email, to })
    // One of these rows is the person's.
    const sharedRow = sharing.length > 0 ? { email } : undefined
    const row = newRow ?? (isReassigned ? undefined : (rowAtAddress ?? formerRows[0] ?? sharedRow))
    const wasListed = person.listedAt !== undefined && person.leftAt === undefined
    this.#listedBefore += Number(wasListed)
    this.#leavingCount += Number(wasListed && row === undefined)
    return row && { ...row, email: current }
  }

  /** The list with current addresses. Leaves out refused rows, whose emails might reach another person. */
  rowsByCurrentAddress(refusedChanges: readonly (AddressChange & { fault: string })[]): ListEntry[] {
    const refusedAddresses = new Set(
      refusedChanges.flatMap(({ from, to }) => (this.#reassignedAddresses.has(from) ? [from, to] : to)),
    )
    // The former address is free now, and may belong to another person.
    for (const { from, to } of this.changes)
      if (!refusedAddresses.has(to)) this.#addressesOnRecord.delete(from)
    this.faults = refusedChanges.map(({ to, fault }) => `${fault}. Until then ${to} gets no email.`)
    for (const { from, to } of this.#sharedIds)
      if (!this.#addressesOnRecord.has(to) || this.#onlySignedInAddresses.has(to)) {
        this.#ambiguousAddresses.add(to)
        this.faults.push(
          `${to} gets no email: it has the id of ${from}. If that is their former address, remove its row. Otherwise, correct one of these ids`,
        )
      }
    return this.#list.flatMap((row) => {
      if (refusedAddresses.has(row.email) || this.#ambiguousAddresses.has(row.email)) return []
      const email = this.#addressesOnRecord.has(row.email) ? undefined : this.#currentByFormer.get(row.email)
      if (email === undefined) return row
      if (!this.#rows.has(email)) return { ...row, email }
      this.faults.push(
        `${row.email} gets no email: it is a former address of ${email}, who is on the list too. If it is another person's now, give both rows an id`,
      )
      return []
    })
  }

  /** Rows whose address has another id on the list. Empty unless there are many: their ids probably changed. */
  get rowsWithNewIds(): ListEntry[] {
    return isSuspiciouslyMany(this.#newIds, this.#listedBefore) ? this.#newIds : []
  }

  /** Addresses with an id that no one had, but the same name. Empty if many have another id. */
  get sameNames(): AddressChange[] {
    if (this.rowsWithNewIds.length > 0) return []
    return this.#sameNames.flatMap(({ id, email: to }) => (this.#idsOnRecord.has(id) ? [] : { from: to, to }))
  }

  /** Why this may be the wrong list, for the operator. @param isComplete false: no one leaves the list */
  doubt(isComplete: boolean): string | undefined {
    const ids = this.rowsWithNewIds.length
    const people = `of the ${this.#listedBefore} people who were on the list`
    if (ids > 0)
      return `${ids} ${people} have another id there, so it may be the wrong column. Nothing was done. If they are the same people with new ids, add --confirm.`
    if (isComplete && this.#leavingCount > this.#listedBefore * MAX_LEAVING)
      return `${this.#leavingCount} ${people} are no longer on it, so it may be the wrong one. ${IF_WRONG} If their addresses changed, run "${COMMAND} person rename --file FILE" before the next run, so that opt-outs and history follow. Otherwise, add --confirm: what is stored about them goes after INVITE_RETENTION_DAYS.`
    if (isSuspiciouslyMany(this.changes, this.#listedBefore))
      return `${this.changes.length} ${people} have another address there, by their id, so it may be the wrong list or the wrong column. ${IF_WRONG} Otherwise, add --confirm.`
  }

  /** Sentences for the operator. @param changes may have `sameNames` @param isDone false before a run */
  static describe(changes: readonly AddressChange[], isDone: boolean): string[] {
    /** The first address in the chain of moves that ends at this one. */
    const originOf = (address: string): string => {
      const move = changes.find((change) => change.to === address && change.from !== address)
      return move === undefined ? address : originOf(move.from)
    }
    return changes.map(({ from, to }) => {
      if (from === to)
        return `${from} has another id, and counts as the same person, because the name is the same. If it is someone else, delete the former one's data: "${COMMAND} invite forget ${from}"`
      if (!isVacated(to)) return `${from} is ${to} now`
      const origin = originOf(from)
      const move = isDone ? `is at ${to} now` : `moves to ${to}`
      if (isVacated(origin)) return `${from} has its former id again: what was recorded since ${move}`
      const ifSame = !isDone
        ? 'If it is the same person, put the former id on the list'
        : origin === from
          ? `If only the id was corrected, run "${COMMAND} person rename ${to} ${from}"`
          : 'If it is the same person, put the former ids back on the list: the next run returns all data'
      return `${from} has another id, so it is another person's: the data of the former one ${move}. ${ifSame}`
    })
  }

  /** Rows that have a former address. */
  get outdated(): AddressChange[] {
    return [...this.#currentByFormer].flatMap(([from, to]) => (this.#rows.has(to) ? [] : { from, to }))
  }

  /** Rows of people without a record. Call it after `rowsByCurrentAddress`. */
  rowsWithoutRecord(): ListEntry[] {
    const otherAddresses = [this.#addressesOnRecord, this.#currentByFormer, this.#ambiguousAddresses]
    return [...this.#rows.values()].filter(({ email }) => !otherAddresses.some((one) => one.has(email)))
  }
}

/** A person may have a former address, a new one, and that of an admin account. */
const MAX_SHARING = 3

/**
 * Removes what would mix people up:
 * - ids shared by several rows, and row numbers (1, 2, 3 …); an id of two or three addresses becomes their `sharedId`
 * - rows that share an address, but neither id nor name, because two people never become one
 * @returns `unused`: the number of removed ids; `faults`: sentences about removed rows
 */
export function withUsableIds(list: readonly ListEntry[]) {
  const owners = new Map<string, string>()
  for (const { id = '', email } of list) owners.set(id, (owners.get(id) ?? email) === email ? email : '')
  const numbers = list.map(({ id }) => (/^\d{1,9}$/.test(id ?? '') ? Number(id) : NaN))
  const areRows = numbers.every((one, index) => one > (numbers[index - 1] ?? -1) && one <= 2 * list.length)
  const isUsable = (id = '') => !areRows && owners.get(id) !== ''
  const addresses = new Map<string, Set<string>>()
  for (const { id, email } of areRows ? [] : list)
    if (id !== undefined) addresses.set(id, (addresses.get(id) ?? new Set()).add(email))
  // A person whose address changes may be listed with both for some days. An id of more rows is a placeholder.
  const withoutId = ({ id: sharedId, ...row }: ListEntry): ListEntry =>
    sharedId !== undefined && (addresses.get(sharedId)?.size ?? Infinity) <= MAX_SHARING
      ? { ...row, sharedId }
      : row
  const rows = list.map((row) => (row.id === undefined || isUsable(row.id) ? row : withoutId(row)))
  const firstRows = new Map<string, { id: string; name: string | undefined }>()
  const faults = new Map<string, string>()
  for (const { id, email, name } of rows) {
    if (id === undefined) continue
    const other = firstRows.get(email) ?? { id, name }
    firstRows.set(email, other)
    if (other.id === id || (name !== undefined && name === other.name)) continue
    const ids = `${quoteCell(other.id)} and ${quoteCell(id)}`
    faults.set(email, `${email} is the address of ${ids}, so it gets no email. Correct one of these rows`)
  }
  return {
    list: rows.filter(({ email }) => !faults.has(email)),
    unused: list.filter(({ id }) => id !== undefined && !isUsable(id)).length,
    faults: [...faults.values()],
  }
}
