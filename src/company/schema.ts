// The shape of a company file. company.schema.json is made of it (`npm run settings`), descriptions and all. Which files
// and texts there are is for read-company.ts to know.
import { z } from 'zod'
import {
  address,
  color,
  languageTag,
  localizedList,
  localizedText,
  message,
  picture,
  text,
} from './values.ts'

const link = (protocols: readonly string[], label: string) =>
  z.strictObject({
    url: address(...protocols).describe(`Where it leads: ${protocols.join(' or ')}`),
    label: localizedText.optional().describe(label),
  })

const logo = z
  .strictObject({
    light: picture.describe('For light pages: a path from the folder of this file (SVG, PNG, WebP or JPEG)'),
    dark: picture.optional().describe('For dark pages (default: the one for light pages)'),
    icon: picture.optional().describe("The mark in a browser's tab: square"),
  })
  .describe("The company's logo")

const colors = z
  .strictObject({
    light: color('light').describe(
      'For light pages, as #rrggbb: at least 4.5:1 on white. The text on it is worked out',
    ),
    dark: color('dark')
      .optional()
      .describe('For dark pages: at least 4.5:1 on #14161f (default: the light one, made lighter)'),
  })
  .describe('The brand color')

const links = z
  .strictObject({
    help: link(['https:', 'mailto:'], 'What the link is called').optional().describe('Who helps with search'),
    privacy: link(['https:'], 'What the link is called').optional().describe('What search does with data'),
    home: link(['https:'], 'What the link is called').optional().describe('The intranet'),
    search: link(['https:'], 'What the link is called').optional().describe('Where people search'),
  })
  .describe('Links on the pages')

const datasource = z.strictObject({
  name: localizedText.optional().describe('What people call the app; tells two instances of it apart'),
  logo: picture.optional().describe("The app's logo: a path from the folder of this file"),
  reads: localizedList.optional().describe('What search reads'),
  never: localizedList.optional().describe('What search never does'),
  why: localizedText.optional().describe('Why it is asked for; shown before people leave for the app'),
  account: localizedText.optional().describe('Which account to use'),
  help: localizedText.optional().describe('What people need to do first: "Connect to the VPN first"'),
  order: z
    .int({ error: 'must be a whole number, like 1' })
    .min(0, 'must be between 0 and 1000')
    .max(1000, 'must be between 0 and 1000')
    .optional()
    .describe('Its place on the list: 1 comes before 2; apps without it come last'),
  required: z.boolean().optional().describe('Whether everyone has to connect it'),
  hidden: z.boolean().optional().describe('Whether the pages leave it out'),
})

export const companySchema = z
  .strictObject({
    name: text.optional().describe("The company's name"),
    product: text.optional().describe('What search is called in the company'),
    logo: logo.optional(),
    color: colors.optional(),
    links: links.optional(),
    languages: z
      .array(languageTag)
      .min(1, 'is empty: name a language or remove the line')
      .optional()
      .describe('Languages that are offered; the first is the default'),
    texts: z
      .record(languageTag, z.record(z.string(), message.describe('The text, with the placeholders of ours')))
      .optional()
      .describe('Texts that replace ours: by language, then by key'),
    examples: localizedList.optional().describe('Searches that are suggested'),
    datasources: z
      .record(z.string(), datasource)
      .optional()
      .describe(
        'Apps: by instance (slack_1), by all instances of one datasource (slack), or all of them (all)',
      ),
  })
  .meta({ title: 'Company file of onramp (COMPANY_FILE)' })

export type CompanyFile = z.output<typeof companySchema>

/** company.schema.json. */
export const companyJsonSchema = () => z.toJSONSchema(companySchema, { io: 'input' })
