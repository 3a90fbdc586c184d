// The contract's rules on headers, messages and shapes, asked over HTTP.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts'
import { call, check, jsonOf } from './client-calls.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.reset())
afterAll(() => sandbox.close())

const actAsMissing = 'Required header missing: X-Service-ActAs'

describe('who may call', () => {
  it('a call without a token is refused with 401', async () => {
    expect((await call(sandbox, 'checkdatasourceauth')).status).toBe(401)
  })

  it('a call with a made-up token is refused with 401', async () => {
    const response = await call(sandbox, 'search', { token: 'made-up', body: { query: 'x', pageSize: 1 } })
    expect(response.status).toBe(401)
  })

  it("a person's service token acts as that person", async () => {
    expect((await check(sandbox, 'bob')).map((entry) => entry.datasourceInstance)).toEqual([
      'slack_1',
      'gdrive_1',
    ])
  })

  it('the global token without X-Service-ActAs is rejected with the message of the contract', async () => {
    const response = await call(sandbox, 'checkdatasourceauth', { token: sandbox.serviceTokens.global })
    expect(response.ok).toBe(false)
    expect(await response.text()).toBe(actAsMissing)
  })

  it('the global token acts as the person that X-Service-ActAs names, however the address is capitalised', async () => {
    const headers = { 'X-Service-ActAs': 'Bob@Acme.example' }
    const response = await call(sandbox, 'checkdatasourceauth', {
      token: sandbox.serviceTokens.global,
      headers,
    })
    expect(response.status).toBe(200)
    expect(sandbox.requests.at(-1)?.person).toBe('bob')
  })

  it('the global token for an unknown person is refused', async () => {
    const headers = { 'X-Service-ActAs': 'unknown@acme.example' }
    const response = await call(sandbox, 'checkdatasourceauth', {
      token: sandbox.serviceTokens.global,
      headers,
    })
    expect(response.status).toBe(400)
  })

  it("X-Service-ActAs changes nothing for a person's own token", async () => {
    const headers = { 'X-Service-ActAs': 'bob@acme.example' }
    await call(sandbox, 'checkdatasourceauth', { token: sandbox.serviceTokens.user('ada'), headers })
    expect(sandbox.requests.at(-1)?.person).toBe('ada')
  })

  it('a token without the scope of the operation is refused with 403', async () => {
    const token = sandbox.serviceTokens.user('ada', ['search'])
    expect((await call(sandbox, 'checkdatasourceauth', { token })).status).toBe(403)
    expect((await call(sandbox, 'search', { token, body: { query: 'x', pageSize: 1 } })).status).toBe(200)
  })

  it.each(['text', 'html', 'message', 'error', 'errors'] as const)(
    'a refusal can be worded as %s',
    async (errorShape) => {
      sandbox.switches.set({ errorShape })
      const response = await call(sandbox, 'checkdatasourceauth', { token: sandbox.serviceTokens.global })
      expect(await response.text()).toContain(actAsMissing)
    },
  )
})

describe('the check', () => {
  it('answers POST only', async () => {
    const response = await call(sandbox, 'checkdatasourceauth', { method: 'GET' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
  })

  it('lists what is not authorized, in the fields of the contract', async () => {
    const [entry] = await check(sandbox, 'ada')
    expect(entry).toMatchObject({
      datasourceInstance: 'slack_1',
      displayName: 'Slack',
      authStatus: 'AWAITING_AUTH',
    })
    expect(entry?.authUrlRelativePath).toMatch(/^\/auth\/datasource\/slack_1\?token=[\w-]+$/)
  })

  it('returns a path that already carries the redirect', async () => {
    const [plain] = await check(sandbox, 'ada')
    const [carrying] = await check(sandbox, 'ada', 'https://client.example/back?step=1')
    expect(carrying?.authUrlRelativePath?.length).toBeGreaterThan(plain?.authUrlRelativePath?.length ?? 0)
  })

  it.each([
    '/back',
    '//client.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'client.example',
    'https://',
    'https:x',
    'my app:x',
    '',
  ])('refuses %s as a destination', async (url) => {
    const query = `?final_redirect_url=${encodeURIComponent(url)}`
    const token = sandbox.serviceTokens.user('ada')
    expect((await call(sandbox, `checkdatasourceauth${query}`, { token })).status).toBe(400)
  })

  it.each([
    'myapp://done',
    'com.acme.search:/done?step=1',
    'HTTPS://client.example/back',
    'https://bücher.example/ü',
  ])('takes %s as a destination, an absolute URL', async (url) => {
    const [entry] = await check(sandbox, 'ada', url)
    expect(entry?.authUrlRelativePath).toContain('&redirect=')
  })

  it.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonx'])(
    'wants the Content-Type that the contract lists for a body, and for a body alone: %s',
    async (type) => {
      const authorization = `Bearer ${sandbox.serviceTokens.user('ada')}`
      const headers = { authorization, ...(type !== undefined && { 'content-type': type }) }
      const address = `${sandbox.urls.service}/rest/api/v1/`
      const empty = await fetch(`${address}checkdatasourceauth`, { method: 'POST', headers })
      expect(empty.status).toBe(200)
      const body = Buffer.from('{"query":"x","pageSize":1}')
      expect((await fetch(`${address}search`, { method: 'POST', headers, body })).status).toBe(415)
    },
  )

  it('calls its headers as it is told', async () => {
    const other = await startSandbox({ headerPrefix: 'X-Acme' })
    try {
      const token = other.serviceTokens.global
      expect(await (await call(other, 'checkdatasourceauth', { token })).text()).toBe(
        'Required header missing: X-Acme-ActAs',
      )
      const headers = { 'X-Acme-ActAs': 'bob@acme.example' }
      expect((await call(other, 'checkdatasourceauth', { token, headers })).status).toBe(200)
    } finally {
      await other.close()
    }
  })

  it('takes the Content-Type with a charset, in any letters', async () => {
    const token = sandbox.serviceTokens.user('ada')
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' }
    expect((await call(sandbox, 'checkdatasourceauth', { token, headers })).status).toBe(200)
  })

  it.each(['checkdatasourceauth', 'search', 'chat'])(
    'refuses a body that is not JSON: %s',
    async (operation) => {
      const headers = {
        authorization: `Bearer ${sandbox.serviceTokens.user('ada')}`,
        'content-type': 'application/json',
      }
      for (const body of ['{', '{"query":"x",}', "{'query':'x'}"]) {
        const response = await fetch(`${sandbox.urls.service}/rest/api/v1/${operation}`, {
          method: 'POST',
          headers,
          body,
        })
        expect(response.status).toBe(400)
        expect(await response.text()).toContain('not valid JSON')
      }
    },
  )

  it('keeps odd statuses, missing names and missing paths as they are', async () => {
    const entries = await check(sandbox, 'frank')
    const statuses = entries.map(({ authStatus }) => authStatus)
    expect(statuses).toEqual(
      expect.arrayContaining(['STALE_OAUTH', 'DISABLED', 'AUTHORIZED', 'SEG_MIGRATION']),
    )
    expect(entries.some((entry) => !('displayName' in entry))).toBe(true)
    expect(entries.some((entry) => !('authUrlRelativePath' in entry))).toBe(true)
  })

  it('is empty for a person who has nothing to authorize', async () => {
    expect(await check(sandbox, 'carol')).toEqual([])
  })

  it('lists forty datasources of one person', async () => {
    expect(await check(sandbox, 'grace')).toHaveLength(40)
  })
})

describe('search', () => {
  const search = async (personId: string, body: unknown) => {
    const response = await call(sandbox, 'search', { token: sandbox.serviceTokens.user(personId), body })
    return {
      status: response.status,
      answer: response.ok ? await jsonOf(response) : {},
    }
  }

  it('finds documents of authorized datasources, at most as many as asked for', async () => {
    const { status, answer } = await search('carol', { query: 'onboarding roadmap', pageSize: 3 })
    expect(status).toBe(200)
    expect(answer).toMatchObject({ trackingToken: expect.any(String), requestId: expect.any(String) })
    expect(answer['results']).toHaveLength(3)
  })

  it('finds nothing for a person who has authorized nothing', async () => {
    expect((await search('bob', { query: 'onboarding', pageSize: 5 })).answer['results']).toEqual([])
  })

  it.each([{}, { query: 1 }, { query: 'x', pageSize: 'ten' }, { query: 'x', pageSize: 0 }, []])(
    'refuses %j',
    async (body) => {
      expect((await search('carol', body)).status).toBe(400)
    },
  )
})

describe('what the contract does not name', () => {
  it('is answered with 404', async () => {
    const token = sandbox.serviceTokens.user('ada')
    expect((await call(sandbox, 'unheardof', { token })).status).toBe(404)
  })
})
