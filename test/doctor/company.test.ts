// COMPANY_FILE as the doctor sees it.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { companyFolder } from '../company/company-folder.ts'
import { examined, newFolder } from './set-up.ts'

const ACME = new URL('../../examples/acme/company.yaml', import.meta.url).pathname

let data: string
beforeAll(() => {
  data = newFolder()
})
afterAll(() => rmSync(data, { recursive: true, force: true }))

const found = async (file: string) => {
  const report = await examined({ DATA_DIR: data, COMPANY_FILE: file }, ['--offline'])
  return report.findings
    .filter(({ check }) => check === 'settings.company')
    .map(({ status, says, settings }) => [status, says, ...settings])
}

describe('the company file', () => {
  it('that is in order is told with its name, languages and datasources', async () => {
    expect(await found(ACME)).toEqual([['ok', 'The company file of Acme: en, de, ar; 3 datasources.']])
  })

  it('that is faulty has each fault told, contrast too', async () => {
    using folder = companyFolder()
    const file = folder.write('company.yaml', "nam: Acme\ncolor: { light: '#7fd0c0' }\n")
    expect(await found(file)).toEqual([
      ['fail', 'company.yaml:1:1 nam: is not a key of company files: did you mean name?', 'COMPANY_FILE'],
      ['fail', expect.stringMatching(/^company\.yaml:2:17 color\.light: .*4\.5:1.*\.$/), 'COMPANY_FILE'],
    ])
  })

  it('that is not there is told, and without one the pages are unbranded', async () => {
    expect(await found(join(data, 'nowhere.yaml'))).toEqual([
      ['fail', expect.stringContaining('cannot be read (ENOENT)'), 'COMPANY_FILE'],
    ])
    const env = { DATA_DIR: data, COMPANY_FILE: join(data, 'nowhere.yaml') }
    const { findings } = await examined(env, ['--offline'])
    expect(findings.find(({ check }) => check === 'settings.company')?.fix).toContain('to the path of')
    expect(await found('')).toEqual([['ok', expect.stringContaining('the pages are unbranded')]])
  })
})
