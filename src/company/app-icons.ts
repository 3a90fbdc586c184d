// Icons of apps without a company logo: from simple-icons (icons.json, written by `npm run icons`), else a letter.
// Slack, Microsoft and Salesforce don't allow theirs in such libraries.
import icons from './icons.json' with { type: 'json' }
import images from './icon-images.json' with { type: 'json' }
import { createStaticAsset, type StaticAsset } from './static-asset.ts'
import { contrast, GROUND } from './contrast.ts'
import { datasourceType } from './app-names.ts'

/** `drawing`: an SVG path of 24 by 24. `color`: #rrggbb. */
type Icon = { title: string; color: string; drawing: string }
/** Icons on white, for mail programs, which show no SVG. */
const imageOf: Record<string, { png: string }> = images

/** Library names of datasources that are called otherwise there. */
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

/** Contrast with white, the background of icons on dark pages, too. */
const MIN_VISIBLE = 2

function svgOf({ color, drawing }: Icon): string {
  const fill = contrast(color, GROUND.light) < MIN_VISIBLE ? GROUND.dark : color
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="${fill}" d="${drawing}"/></svg>`
}

const bySlug = new Map(
  Object.entries(icons).map(([slug, icon]) => [
    slug,
    {
      ...createStaticAsset(`/assets/apps/${slug}`, 'svg', Buffer.from(svgOf(icon))),
      title: icon.title,
      image: createStaticAsset(slug, 'png', Buffer.from(imageOf[slug]?.png ?? '', 'base64')),
    },
  ]),
)

export const appIcons: readonly StaticAsset[] = [...bySlug.values()]

/** The library's icon of an instance (`gdrive_1`), with the maker's name for the app. */
export function libraryIconOf(instance: string) {
  const name = datasourceType(instance)
    .toLowerCase()
    .replaceAll(/[^a-z\d]/g, '')
  return bySlug.get(OTHER_NAMES[name] ?? name)
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The first letter, digit or emoji of a name. */
export function initialOf(name: string): string {
  // Intl.Segmenter is slow.
  if (/^[a-z\d](?![^ -~])/i.test(name)) return name.charAt(0).toUpperCase()
  for (const { segment } of characters.segment(name.trimStart().slice(0, 40)))
    if (/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(segment)) return segment.toUpperCase()
  return '·'
}
