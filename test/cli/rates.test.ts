// The rates of checks and emails, and the life of links and of checks, for whole commands.
import { expect, it, vi } from 'vitest'
import { Throttle } from '../../src/campaigns/throttle.ts'
import { Invitations } from '../../src/invites/token.ts'
import { useCompany } from '../campaigns/command.ts'
import { monday } from './installation.ts'

const { company, received, run, list } = useCompany()

/** The checks of people, without that of the token. */
const checks = () =>
  company().sandbox.requests.filter(
    ({ operation, headers }) => operation === 'checkdatasourceauth' && headers['x-service-actas'],
  )

it.each([
  ['invite send', { checks: 5, emails: 10, linkDays: 30 }],
  ['invite send --rate 7 --days 14', { checks: 7, emails: 10, linkDays: 14 }],
  ['keep', { checks: 80 / 60, emails: 10, linkDays: 30 }],
  ['keep --ask-rate 420', { checks: 7, emails: 10, linkDays: 30 }],
])('onramp %s has its rates and its life of links', async (command, expected) => {
  const rates: number[] = []
  const issue = vi.spyOn(Invitations.prototype, 'issue')
  vi.spyOn(Throttle.prototype, 'next').mockImplementation(function (this: Throttle) {
    rates.push(this.rate)
    return Promise.resolve()
  })

  await run([...command.split(' '), list('email\nada@acme.example\n')], { now: () => monday })

  expect([checks().length, received().length]).toEqual([1, 1])
  expect({ checks: rates[0], emails: rates[1], linkDays: issue.mock.lastCall?.[1] }).toEqual(expected)
})

it.each([
  ['holds for an hour', 3_599_999, 1],
  ['is repeated after an hour', 3_600_000, 2],
])('a check of onramp invite send that found nothing to connect %s', async (_title, age, count) => {
  const args = ['invite', 'send', list('email\ncarol@acme.example\n'), '--rate', '1000']
  for (const now of [monday, monday + age]) await run(args, { now: () => now })
  expect([checks().length, received()]).toEqual([count, []])
})
