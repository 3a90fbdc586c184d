// The people of the sandbox and their datasources. Eve has names that break careless pages,
// and Frank has statuses that the contract leaves open.

/** A person's datasource instance. `authorized`: from the start; `withoutPath`: without `authUrlRelativePath`. */
export type Datasource = {
  instance: string
  displayName?: string
  authStatus?: string
  authorized?: boolean
  withoutPath?: boolean
}

/** `id` is the `sub` of the person's tokens at both identity providers. */
export type Person = { id: string; name: string; email: string; datasources: Datasource[] }

const slack: Datasource = { instance: 'slack_1', displayName: 'Slack' }
const github: Datasource = { instance: 'github_1', displayName: 'GitHub' }
const drive: Datasource = { instance: 'gdrive_1', displayName: 'Google Drive' }
const jira: Datasource = { instance: 'jira_1', displayName: 'Jira' }
const confluence: Datasource = { instance: 'confluence_1', displayName: 'Confluence' }

const awkwardNames: Datasource[] = [
  { instance: 'sharepoint', displayName: '<img src=x onerror="alert(1)"><b>SharePoint</b> & "friends"' },
  { instance: 'notion_1', displayName: 'נושן \u202Etxt.exe\u202C' },
  { instance: 'asana_1', displayName: '🗂️ Asana 👩‍👩‍👧‍👦' },
  { instance: 'zendesk_1', displayName: `Zendesk ${'very long name '.repeat(66)}end` },
  { instance: 'custom space/%2F?#&_1', displayName: '{{ 7 * 7 }} <%= 1 %> ${1}' },
]

const oddStatuses: Datasource[] = [
  { ...slack, authStatus: 'STALE_OAUTH' },
  { ...github, authStatus: 'DISABLED' },
  { ...drive, authStatus: 'AUTHORIZED' },
  { ...jira, authStatus: 'SEG_MIGRATION' },
  { instance: 'salesforce_1' },
  { instance: 'box_1', displayName: 'Box', withoutPath: true },
]

const numbers = Array.from({ length: 40 }, (_, index) => index + 1)
const wikis = numbers.map((number): Datasource => ({
  instance: `wiki_${number}`,
  displayName: `Wiki ${number}`,
}))

const asConnected = (datasource: Datasource): Datasource => ({ ...datasource, authorized: true })

export const demoPeople: Person[] = [
  person('ada', 'Ada Lovelace', [slack, github, drive, jira, confluence]),
  person('bob', 'Bob Kahn', [slack, drive]),
  person('carol', 'Carol Shaw', [slack, github].map(asConnected)),
  person('dan', 'Dan Bricklin', [slack, { instance: 'slack_2', displayName: 'Slack' }, github]),
]

export const defaultPeople: Person[] = [
  ...demoPeople,
  person('eve', 'Eve "<Script>" Ōnuki', awkwardNames),
  person('frank', 'Frank Lloyd', oddStatuses),
  person('grace', 'Grace Hopper', wikis),
]

function person(id: string, name: string, datasources: Datasource[]): Person {
  return { id, name, email: `${id}@acme.example`, datasources }
}

/** True for a person with a numbered ID, one of a large company. Pages and lists show only a few of them. */
export const isGenerated = ({ id }: Person): boolean => /-\d+$/.test(id)

/** @throws Error for an unknown person */
export function findPerson(people: Person[], id: string): Person {
  const match = people.find((candidate) => candidate.id === id)
  if (!match) throw new Error(`The sandbox has no person ${id}`)
  return match
}

const FIRST = ['Amara', 'Björn', 'Chen', 'Dilek', 'Elena', 'Farid', 'Grażyna', 'Hiro', 'Ines', 'José']
const LAST = ['Adeyemi', 'Berg', 'Costa', 'Dvořák', 'Ek', 'Farouk', 'Giordano', 'Huang', 'Ivanova', 'Jensen']
const SHARED = [slack, github, drive, jira, confluence]

/** Always generates the same people: two in five connected everything; every hundredth has a disabled datasource. */
export function generatePeople(size = 0): Person[] {
  return Array.from({ length: size }, (_, index) => {
    const name = `${FIRST[index % 10]} ${LAST[Math.floor(index / 10) % 10]}`
    const unconnectedCount = index % 5 < 2 ? 0 : ((index % 7) % 5) + 1
    const datasources = SHARED.map((datasource, datasourceIndex) => {
      if (index % 100 === 99 && datasourceIndex === 0) return { ...datasource, authStatus: 'DISABLED' }
      return datasourceIndex < unconnectedCount ? datasource : asConnected(datasource)
    })
    return person(`person-${index + 1}`, name, datasources)
  })
}
