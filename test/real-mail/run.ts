// Checks of `onramp invite send` with a real mail server, one after the other. Argument: a folder.
import { openCompany, type Check } from './company.ts'
import { checkFailures, checkSigning } from './failures.ts'
import { checkLanguages } from './languages.ts'

const [, , folder = ''] = process.argv
// Its servers end with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

let passed = 0
let failed = 0
const check: Check = async (title, work) => {
  try {
    await work()
    passed++
    console.log(`ok    ${title}`)
  } catch (error) {
    failed++
    console.log(`FAILS ${title}\n${error instanceof Error ? error.stack : String(error)}`)
  }
}

const company = await openCompany(folder)
try {
  await checkLanguages(check, company, folder)
  await checkFailures(check, company)
  await checkSigning(check, company)
} finally {
  await company.close()
}
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
