// A page or state of the browser tests, and the steps that lead to it.
import { defaultPeople, type Datasource, type Person } from '../../packages/sandbox/src/people.ts'
import type { Switches } from '../../packages/sandbox/src/switches.ts'
import type { Visitor } from './visitor.ts'

export type State = {
  name: string
  /** The title of the tab, which begins with the result. */
  title: string
  /** The person's datasources: those of a person of the sandbox, or listed here. */
  like: string | Datasource[]
  switches?: Partial<Switches>
  /** The required `CONFIRM_SECONDS`. */
  confirmSeconds?: 0 | 90
  /** The steps of the person. */
  reach: Act[]
}

type Act = (visitor: Visitor) => Promise<unknown>

/** A new person for each test, with Ada's five datasources. */
export const newcomers = (count: number): Person[] =>
  Array.from({ length: count }, (_, index) => {
    const datasources = defaultPeople.find(({ id }) => id === 'ada')?.datasources ?? []
    return { id: `ada${index}`, name: 'Ada Lovelace', email: `ada${index}@acme.example`, datasources }
  })

/** RETURN_TO_ORIGINS of the tests. */
export const INTRANET = 'https://intranet.acme.example'

export const slack: Datasource = { instance: 'slack_1', displayName: 'Slack' }
export const github: Datasource = { instance: 'github_1', displayName: 'GitHub' }

export const open =
  (path = '/onboarding'): Act =>
  (visitor) =>
    visitor.open(path)
export const skip =
  (instance: string): Act =>
  (visitor) =>
    visitor.skip(instance)
export const choose =
  (...what: Parameters<Visitor['choose']>): Act =>
  (visitor) =>
    visitor.choose(...what)
export const answer =
  (what: 'Allow' | 'Deny'): Act =>
  (visitor) =>
    visitor.answer(what)
/** Waits for the address. */
export const comeTo =
  (url: RegExp): Act =>
  ({ page }) =>
    page.waitForURL(url)
export const goOn: Act = (visitor) => visitor.goOn()

export async function connectAll(visitor: Visitor): Promise<void> {
  while ((await visitor.page.locator('.step .button').count()) > 0) await connectNext(visitor)
}

export async function connectNext(visitor: Visitor): Promise<void> {
  await visitor.goOn()
  await visitor.answer('Allow')
  await visitor.page.waitForURL(/\/onboarding/)
}

/** Stays on the page that leads on to the authorization server's sign-out. */
export async function hold(visitor: Visitor): Promise<void> {
  await visitor.page.route(/\/sign-out\/continue/, (route) => route.fulfill({ status: 204 }))
}
