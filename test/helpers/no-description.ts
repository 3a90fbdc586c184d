// The empty description of an app without an entry in the company file.
import { createAppDescriptions } from '../../src/company/app-description.ts'
import { neutralCompany } from '../../src/company/company.ts'

export const noDescription = createAppDescriptions(neutralCompany)('en')('unknown')
