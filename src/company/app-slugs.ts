// Which mark of the icon library (simple-icons) is a datasource's. marks.json has their drawings: `npm run icons`. Some
// companies don't allow their marks in such libraries (Slack, Microsoft, Salesforce): their apps get a letter.

/** Datasources that are called as their mark is. */
const SAME = `
  airtable asana basecamp bitbucket box clickup coda confluence contentful coursera databricks datadog
  discord discourse dropbox egnyte elasticsearch evernote figma framer gerrit gitbook github gitlab gmail
  googlecalendar googlechat googlecloud googledocs googledrive googleforms googlemeet googlesheets
  googleslides grafana greenhouse helpscout hubspot intercom jenkins jira kibana linear looker loom lucid
  mailchimp mattermost metabase miro mixpanel newrelic nextcloud notion obsidian okta opsgenie outline
  owncloud pagerduty personio phabricator postman qualtrics quickbooks readme sanity sap sentry shortcut
  showpad snowflake splunk stackoverflow statuspage stripe swagger todoist trello typeform udemy vimeo
  webex wistia wordpress workplace xero youtube zendesk zoom zulip
`
  .trim()
  .split(/\s+/)

/** Other names that datasources have. */
const OTHERS: Record<string, string> = {
  bigquery: 'googlebigquery',
  gcal: 'googlecalendar',
  gcalendar: 'googlecalendar',
  gcs: 'googlecloudstorage',
  gdocs: 'googledocs',
  gdrive: 'googledrive',
  gmailnative: 'gmail',
  jiracloud: 'jira',
  jirasoftware: 'jira',
  lucidchart: 'lucid',
  rocketchat: 'rocketdotchat',
  webexteams: 'webex',
}

/** By the datasource's name in small letters, without what is no letter or digit. */
export const appSlugs: ReadonlyMap<string, string> = new Map([
  ...SAME.map((name) => [name, name] as const),
  ...Object.entries(OTHERS),
])
