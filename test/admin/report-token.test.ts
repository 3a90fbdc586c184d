// REPORT_TOKEN opens the report and the list of people to programs, and nothing else.
import { beforeAll, expect, it } from 'vitest'
import { run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'

const TOKEN = 'dashboards-3f1c5be2a97d4e60'

const running = shared(() => run({ settings: { REPORT_TOKEN: TOKEN } }))
beforeAll(async () => {
  await signIn(running, 'ada')
})

const get = (path: string, authorization?: string) =>
  fetch(running.url + path, {
    redirect: 'manual',
    headers: authorization === undefined ? {} : { authorization },
  })

const audited = () =>
  running.log.filter((line) => line.includes('"audit"')).map((line) => JSON.parse(line) as { audit: string })

it('a program reads the report and the people with REPORT_TOKEN', async () => {
  const report = await get('/admin/report.json', `Bearer ${TOKEN}`)
  expect(report.status).toBe(200)
  expect(report.headers.get('cache-control')).toContain('no-store')
  expect(await report.json()).toMatchObject({ people: 1, signedIn: 1 })
  const people = await get('/admin/people.csv?show=inProgress', `bearer ${TOKEN}`)
  expect(people.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(await people.text()).toContain('\n"ada@acme.example",')
  expect(audited().slice(-2)).toMatchObject([
    { audit: 'admin_viewed', by: 'report_token', what: 'report.json' },
    { audit: 'admin_viewed', by: 'report_token', what: 'people.csv' },
  ])
  expect(running.log.join('')).not.toContain(TOKEN)
})

it.each(['/admin', '/admin/people', '/onboarding', '/api/status', '/sessions'])(
  'REPORT_TOKEN doesn’t open %s',
  async (path) => {
    expect((await get(path, `Bearer ${TOKEN}`)).status).toBe(401)
  },
)

it.each([`Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(0, -1)}`, 'Bearer', `Bearer ${TOKEN} ${TOKEN}`])(
  'a wrong token is refused and logged: %s',
  async (authorization) => {
    for (const path of ['/admin/report.json', '/Admin/People.csv/']) {
      const response = await get(path, authorization)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/)
      expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/)
      expect(await response.json()).toMatchObject({ status: 401, code: 'token_refused' })
      expect(audited().at(-1)).toMatchObject({ audit: 'report_refused' })
    }
  },
)

it('a foreign bearer token, added by a proxy, doesn’t keep out a browser', async () => {
  const headers = { authorization: 'Bearer of-the-proxy', accept: 'text/html,*/*;q=0.8' }
  for (const path of ['/admin/report.json', '/admin/people.csv', '/onboarding', '/']) {
    const response = await fetch(running.url + path, { redirect: 'manual', headers })
    expect([path, response.status]).toEqual([path, 303])
  }
})

it('REPORT_TOKEN still opens the report after its address has made too many guesses', async () => {
  await running.restart({ SIGN_INS_PER_MINUTE: '10' })
  const guesses = []
  for (let count = 0; count < 11; count++) guesses.push((await get('/admin/report.json', 'Bearer x')).status)
  expect(guesses.at(-1)).toBe(429)

  expect((await get('/admin/report.json', `Bearer ${TOKEN}`)).status).toBe(200)
})

it('without REPORT_TOKEN no token opens the report', async () => {
  await running.restart({ REPORT_TOKEN: '', SIGN_INS_PER_MINUTE: '300' })
  for (const authorization of [`Bearer ${TOKEN}`, 'Bearer ', 'Bearer undefined'])
    expect((await get('/admin/report.json', authorization)).status).toBe(401)
})
