// `npm run icons` writes src/company/icons.json from the icon library; test/company/icon-library.journey.test.ts
// compares.
import { writeFileSync } from 'node:fs'
import * as library from 'simple-icons'
import type { SimpleIcon } from 'simple-icons'

export const ICONS_FILE = new URL('../../src/company/icons.json', import.meta.url).pathname

/** Datasources that onramp knows, by the library's names for their icons. */
const NAMES = `
  airtable asana basecamp bitbucket box clickup coda confluence contentful coursera databricks datadog
  discord discourse dropbox egnyte elasticsearch evernote figma framer gerrit gitbook github gitlab gmail
  googlecalendar googlechat googlecloud googledocs googledrive googleforms googlemeet googlesheets
  googleslides grafana greenhouse helpscout hubspot intercom jenkins jira kibana linear looker loom lucid
  mailchimp mattermost metabase miro mixpanel newrelic nextcloud notion obsidian okta opsgenie outline
  owncloud pagerduty personio phabricator postman qualtrics quickbooks readme sanity sap sentry shortcut
  showpad snowflake splunk stackoverflow statuspage stripe swagger todoist trello typeform udemy vimeo
  webex wistia wordpress workplace xero youtube zendesk zoom zulip
  googlebigquery googlecloudstorage rocketdotchat
`
  .trim()
  .split(/\s+/)

/** The content of the file. @throws for an icon that the library has lost: remove it, and its app gets a letter */
export function iconsDocument(): string {
  const all = Object.values(library) as SimpleIcon[]
  const icons = new Map(all.map((icon) => [icon.slug, icon]))
  const documents: Record<string, { title: string; color: string; drawing: string }> = {}
  for (const slug of NAMES.toSorted()) {
    const icon = icons.get(slug)
    if (icon === undefined) throw new Error(`the icon library has no ${slug}: remove it from the list`)
    documents[slug] = { title: icon.title, color: `#${icon.hex.toLowerCase()}`, drawing: icon.path }
  }
  return `${JSON.stringify(documents, undefined, 2)}\n`
}

if (import.meta.main) writeFileSync(ICONS_FILE, iconsDocument())
