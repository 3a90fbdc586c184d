// An app that a company hides after people have seen it: it is on no page, and above all never counted as connected.
import { expect, it } from 'vitest'
import { companyOf } from '../../src/company/company.ts'
import { observe } from '../../src/onboarding/walk.ts'
import { createWalks } from '../../src/onboarding/walks.ts'
import { createSealer } from '../../src/records/seal.ts'

const ada = { issuer: 'https://as.example', subject: 'ada' }
const waits = (instance: string) => ({ instance, name: instance, status: 'awaiting' as const })

const company = companyOf({ datasources: { slack: { hidden: true }, jira: { order: 1 } } }, new Map())

it('leaves the walks that know it, which take the order of the company', async () => {
  const kept = new Map<string, string>()
  const records = {
    get: (key: string) => Promise.resolve(kept.get(key)),
    compareAndSet: (key: string, _expected: string | undefined, value: string) =>
      Promise.resolve(Boolean(kept.set(key, value))),
  }
  const common = {
    records,
    sealer: createSealer(['a secret of thirty-two characters']),
    checkReturnTo: () => undefined,
    log: { warn: () => {} },
    now: () => 1,
  }
  const seen = ['slack_1', 'github_1', 'jira_1'].map(waits)
  await createWalks(common).update(ada, (walk) => observe(walk, seen, 1, 90))

  const walks = createWalks({ ...common, arrange: (known) => company.arrange(known) })
  const loaded = await walks.load(ada)
  const listed = company.arrange(seen)
  const after = await walks.update(ada, (walk) => observe(walk, listed, 2, 90))

  for (const { known } of [loaded, after])
    expect(known.map(({ instance, status }) => [instance, status])).toEqual([
      ['jira_1', 'awaiting'],
      ['github_1', 'awaiting'],
    ])
})
