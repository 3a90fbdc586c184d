// HOST: can this machine listen there? Tried on a port that the system chooses, so that a running server is no obstacle.
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Check } from '../check.ts'
import { fail, ok } from '../finding.ts'

const settings = ['HOST']

/** @returns the system's reason why not, like EADDRNOTAVAIL; undefined: it can */
async function whyNot(host: string): Promise<string | undefined> {
  const server = createServer()
  try {
    server.listen(0, host)
    await once(server, 'listening')
    return undefined
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  } finally {
    server.close()
  }
}

export const host: Check = {
  id: 'settings.host',
  about: 'Where it listens',
  group: 'Settings',
  async look({ settings: { HOST: name } }) {
    if (name === undefined) return [ok('It listens on every address of this machine (HOST is not set).')]
    const reason = await whyNot(name)
    if (reason === undefined) return [ok(`It can listen on ${name}.`)]
    return [
      fail(`HOST is no address of this machine, so the server could not listen there (${reason}).`, {
        settings,
        mend: 'name one of its own addresses, such as 127.0.0.1, or leave HOST out for all of them',
      }),
    ]
  },
}
