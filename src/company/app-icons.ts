// What an app is recognized by where the company gives no logo: its mark, else a letter. icons.json has the drawings of
// simple-icons (`npm run icons`). Some companies don't allow theirs in such libraries (Slack, Microsoft, Salesforce).
import { readFileSync } from 'node:fs'
import { createStaticAsset, type StaticAsset } from './static-asset.ts'
import { contrast, GROUND } from './contrast.ts'
import { datasourceType } from './app-names.ts'

/** A drawing of 24 by 24, and the brand colour as #rrggbb. */
export type AppIcon = { title: string; color: string; drawing: string }

const readIcons = (): Record<string, AppIcon> =>
  JSON.parse(readFileSync(new URL('icons.json', import.meta.url), 'utf8')) as Record<string, AppIcon>

/** Other names that datasources have for the icons of the library. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
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

/** Against white, on which marks stand also on dark pages: below it a mark is hardly seen. */
const MIN_VISIBLE = 2

function svgOf({ color, drawing }: AppIcon): string {
  const fill = contrast(color, GROUND.light) < MIN_VISIBLE ? GROUND.dark : color
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="${fill}" d="${drawing}"/></svg>`
}

type ServedIcon = StaticAsset & { title: string }

const bySlug: ReadonlyMap<string, ServedIcon> = new Map(
  Object.entries(readIcons()).map(([slug, mark]) => [
    slug,
    { ...createStaticAsset(`/assets/apps/${slug}`, 'svg', Buffer.from(svgOf(mark))), title: mark.title },
  ]),
)

/** Every mark, to be served. */
export const appIcons: readonly StaticAsset[] = [...bySlug.values()]

/** The mark of a datasource's instance (`gdrive_1`) and what its maker calls it, where the library has one. */
export function libraryIconOf(instance: string): ServedIcon | undefined {
  const name = datasourceType(instance)
    .toLowerCase()
    .replaceAll(/[^a-z\d]/g, '')
  return bySlug.get(OTHER_NAMES[name] ?? name)
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** What a reader sees as the first character of a name; a sign that says nothing is passed over. */
export function initialOf(name: string): string {
  const text = name.trimStart()
  if (/^[a-z0-9][\x20-\x7e]/i.test(text)) return text.charAt(0).toUpperCase()
  for (const { segment } of characters.segment(text.slice(0, 40)))
    if (/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(segment)) return segment.toUpperCase()
  return '·'
}
