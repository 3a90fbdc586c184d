// The service was asked, and before its answer is written down the person has gone on in their walk: that is newer.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type SourceState } from '../../src/people/person.ts'
import { withSources } from '../../src/people/sources.ts'
import { left, office } from './office.ts'

const ada = 'ada@acme.example'

it.each<[string, SourceState, typeof left]>([
  ['an email leaves', 'connected', left],
  ['nothing is left to connect', 'skipped', []],
])('keeps what the walk said since, where %s', async (_what, state, answer) => {
  const { run, everyone } = office()
  const { error } = await run({
    people: [ada],
    post: () => 'sent',
    async ask() {
      await sleep(3)
      const [slack] = left
      await everyone.change(ada, (before) =>
        withSources(before, [{ instance: slack?.instance ?? '', name: 'Slack', state, at: 1 }], Date.now()),
      )
      return { kind: 'left', left: answer }
    },
  })
  expect(error).toBeUndefined()
  expect((await everyone.get(ada))?.sources).toMatchObject([{ instance: 'slack_1', state }])
})

it('takes the answer where nothing was said since', async () => {
  const { run, everyone } = office()
  await run({ people: [ada], post: () => 'sent' })
  await everyone.change(ada, (before) => ({ ...before, campaigns: [] }))
  await sleep(3)
  await run({ people: [ada], post: () => 'sent', ask: () => Promise.resolve({ kind: 'left', left: [] }) })
  expect((await everyone.get(ada))?.sources).toMatchObject([{ instance: 'slack_1', state: 'connected' }])
})
