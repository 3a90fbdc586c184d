// What the company says about an app that it doesn't describe.
import { createAppDescriptions } from '../../src/company/app-description.ts'
import { neutralCompany } from '../../src/company/company.ts'

export const noDescription = createAppDescriptions(neutralCompany)('en')('unknown')
