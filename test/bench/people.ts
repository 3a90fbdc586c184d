// People as little of a browser as there can be: they sign in and keep their cookies.
import { Agent, request, type IncomingMessage } from 'node:http'

const agent = new Agent({ keepAlive: true })
const MAX_STEPS = 8

type Answer = { status: number; location: string | undefined; cookies: string[] }

function ask(url: string, cookie: string): Promise<Answer> {
  const headers = {
    accept: 'text/html',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
    ...(cookie === '' ? {} : { cookie }),
  }
  return new Promise((resolve, reject) => {
    const answered = (response: IncomingMessage) => {
      const { statusCode: status = 0, headers: said } = response
      response.resume().once('error', reject)
      response.once('end', () =>
        resolve({ status, location: said.location, cookies: said['set-cookie'] ?? [] }),
      )
    }
    request(url, { agent, headers }, answered).once('error', reject).end()
  })
}

type Until = 'signed in' | 'first page'

/** One person, from the first link until signed in, or on to the first page. @returns their cookies @throws where that is no page */
export async function follow(name: string, from: string, until: Until = 'first page'): Promise<string> {
  const jar = new Map<string, string>()
  const cookies = () => [...jar].map(([key, value]) => `${key}=${value}`).join('; ')
  const { host } = new URL(from)
  let url = from
  for (let step = 0; step < MAX_STEPS; step++) {
    const isThere = new URL(url).host === host
    const { status, location, cookies: set } = await ask(url, isThere ? cookies() : '')
    for (const line of set) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(key)
      else jar.set(key, value)
    }
    if (status === 200 && isThere && jar.size > 0) return cookies()
    if (until === 'signed in' && isThere && /callback\?/.test(url) && location !== undefined) return cookies()
    if (location === undefined) throw new Error(`${name} answered ${status} while a person signed in`)
    url = new URL(location, url).href
  }
  throw new Error(`${name} sent a person who signs in around in circles`)
}

const AT_A_TIME = 32

/** @returns the cookies of so many people, each let in once */
export async function enter(people: number, letIn: () => Promise<string>): Promise<string[]> {
  const cookies: string[] = []
  let begun = 0
  const run = async () => {
    while (begun++ < people) cookies.push(await letIn())
  }
  await Promise.all(Array.from({ length: Math.min(AT_A_TIME, people) }, run))
  return cookies
}
