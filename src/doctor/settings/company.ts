// COMPANY_FILE: is it in order? Start-up's own code reads it, pictures and contrast included.
import { readCompany } from '../../company/read-company.ts'
import { offeredToCompanies } from '../../web/languages/catalogue.ts'
import type { Subject } from '../check.ts'
import { fail, ok, type Finding } from '../finding.ts'

const settings = ['COMPANY_FILE']

/** "company.yaml:12:5 color.light has …: make it darker" says what to do already. */
const faultFinding = (fault: string): Finding =>
  fail(/[.?]$/.test(fault) ? fault : `${fault}.`, {
    settings,
    fix: fault.startsWith('COMPANY_FILE names')
      ? 'set COMPANY_FILE to the path of a YAML file that onramp can read, or leave it out'
      : 'fix this in the company file',
  })

const counted = (count: number, one: string, several: string) => `${count} ${count === 1 ? one : several}`

export function company({ settings: { COMPANY_FILE: file } }: Subject): Finding | Finding[] {
  if (file === undefined) return ok('No company file (COMPANY_FILE): the pages are unbranded.')
  const { company: read, faults } = readCompany(file, offeredToCompanies())
  if (read === undefined) return faults.map(faultFinding)
  const languages = read.languages.length === 0 ? 'every language' : read.languages.join(', ')
  const apps = counted(read.datasources.size, 'datasource', 'datasources')
  return ok(`The company file of ${read.name ?? 'a company without a name'}: ${languages}; ${apps}.`)
}
