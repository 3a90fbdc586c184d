// Words that CONTRIBUTING.md forbids, in everything that people read, and the form of comments and titles.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => readFileSync(`${ROOT}/${file}`, 'utf8')
const files = (...patterns: string[]) =>
  globSync(patterns, { cwd: ROOT, exclude: ['**/node_modules/**'] }).toSorted()

/** This file lists the words. */
const TESTS = files('test/**/*.ts').filter((file) => file !== 'test/writing.test.ts')

const SOURCES = files('src/**/*.ts', 'packages/**/*.ts')

const BANNED =
  /\b(everybody|somebody|nobody|whoever|unless told|mend|mends|mended|mending|set-up|by itself)\b|\bany more(?=[.,:;])/gi

/** Quotations, which have to stay. */
const QUOTED: Record<string, RegExp> = { 'CONTRIBUTING.md': /^\|.*\|$/gm }

const bannedWordsIn = (file: string) =>
  [
    ...read(file)
      .replaceAll(QUOTED[file] ?? /$^/g, '')
      .matchAll(BANNED),
  ].map(([word]) => word)

const COMMENT = /\/\*[^]*?\*\/|(?<![:'"`\\])\/\/.*$/gm
const TITLE = /(?<=\b(?:it|test|describe)(?:\.\w+)*\(\s*|\)\(\s*)(['"`])(?:(?!\1)[^\\]|\\.)*\1/g

it.each(TESTS)('the titles and comments of %s have none of the words to avoid', (file) => {
  const source = read(file)
  const prose = [...source.matchAll(COMMENT), ...source.matchAll(TITLE)].map(([text]) => text)
  expect(prose.filter((text) => text.match(BANNED))).toEqual([])
})

const MAX_TITLE_WORDS = 15
/** Characters of a cell in a table of the docs. */
const MAX_CELL = 120
/** Relative clauses and phrases of a translation. */
const CLUMSY =
  /\bthat (?:is|are) none\b|\bthat has no\b|\bcomes of\b|, for the\b|\bwho\b.*\bwho\b|\banother thing\b/

it.each(TESTS)('the titles of %s are short, and each is one claim', (file) => {
  const titles = [...read(file).matchAll(TITLE)].map(([title]) => title)
  const unclear = titles.filter((title) => title.split(/\s+/).length > MAX_TITLE_WORDS || CLUMSY.test(title))
  expect(unclear).toEqual([])
})

it.each(TESTS)('an unused first cell in the tables of %s is called _title', (file) => {
  const unused = read(file).matchAll(/\)\(\s*'(?:[^'\\\n]|\\.)*',\s*(?:\{.*\},\s*)?(?:async )?\((_\w+)/g)
  expect([...unused].map(([, name]) => name).filter((name) => name !== '_title')).toEqual([])
})

describe('what people read', () => {
  it.each(
    files(
      'languages/en/*.json',
      'views/**/*.eta',
      'views/assets/*.js',
      'src/**/*.ts',
      'packages/*/src/**/*.ts',
      '*.md',
      'docs/**/*.md',
      'packages/*/*.md',
      '.env.example',
    ),
  )('%s has none of the words to avoid', (file) => {
    expect(bannedWordsIn(file)).toEqual([])
  })

  it('pages call a datasource an app', () => {
    for (const file of files('languages/en/*.json').filter((one) => !one.endsWith('deprecations.json'))) {
      const texts = Object.values(JSON.parse(read(file)) as Record<string, string>).join('\n')
      expect(texts.replaceAll(/\{\w+/g, ''), file).not.toMatch(/datasource|administrator|e-mail/i)
    }
  })

  it('an email is called an email', () => {
    for (const file of files('languages/en/*.json', 'views/**/*.eta', '*.md', 'docs/**/*.md').filter(
      (one) => one !== 'CONTRIBUTING.md',
    ))
      expect(read(file).match(/\bmails\b/gi), file).toBeNull()
  })

  it.each(files('*.md', 'docs/**/*.md', 'packages/*/*.md'))(
    '%s has short cells, and “Who” only asks',
    (file) => {
      const cells = [...read(file).matchAll(/^\|.*$/gm)].flatMap(([row]) => row.split(/(?<!\\)\|/))
      expect(cells.filter((cell) => /[^\s-]/.test(cell) && cell.trim().length > MAX_CELL)).toEqual([])
      expect(read(file).match(/(?<=^|\. |^- )Who(?:m|se)? [a-z][^?.]*\./gm)).toBeNull()
    },
  )

  it('a percent sign has no space before it', () => {
    for (const file of files('languages/en/*.json', 'README.md', 'docs/*.md'))
      expect(read(file), file).not.toMatch(/\d [%]/)
  })
})

/** Words that no identifier may contain, and forbidden identifiers: CONTRIBUTING.md, "Names". */
const FORBIDDEN_WORDS =
  'room rooms arrows wish news wave united tell tells told said says asked hear heard hears walked scene mood'.split(
    ' ',
  )
const FORBIDDEN_NAMES =
  `Waiting Known departure departureUrl handOver HandOver silence Silence unheard inquiry Inquiry Vault vault nameOf
  Proofs judgeAnswer isPatient mustAsk calledAs isOut Pace createPace eachOf Everyone Explained tidied worded titled
  labelled inWords Mailing mailings mailPace Needs Parts Options Keeping Given Checking Asking Surroundings Upkeep
  Upkeeping upkeep standing Standing standingOf figureOf Figure isToTell OwnerAnswer OwnerAnswers createOwnerAnswers
  withAnswer withAnswers answersOf comingBack stoppingReminders lookingAtSignIns refusedLogout SHUT FINAL sharedCause
  Together checkNow checkAndDecide hasNoAddress goneApps goneFrom watchAddresses
  Invitee invitee invitees Waiter Neighbors neighbors DueEmail MailServer Receiver whoIsSignedIn signedInOf
  stepIn visitOf offersOf isReturned isSafe timed presentable arrange unattendedPath isUnattended stillPath TooSlow
  textOf keyOf atOnce freshMs isPostponing lookAgain isAtRest isShut astray emlOf runHere alike mailed turnOf departures
  WaitingPerson withHold heldApp isOnHold isFollowedFromOwnPage findReplaced findReplacedApps replacedBy createMatcher
  Matcher answerSpeculation servedOverHttps CampaignRun createTurns takeTurn remindedAt actedAt senderOf connectionOf
  createDelistedApps HttpReply`.split(/\s+/)

/** Names that are printed, logged or sent, and so have to stay. */
const PRINTED: Record<string, string[]> = {
  'src/cli/doctor.ts': ['says'],
  'src/sign-in/registration/register.ts': ['asked'],
  'test/sign-in/registration.test.ts': ['asked'],
  // Findings in the doctor's JSON.
  'test/campaigns/mail-oauth.journey.test.ts': ['says'],
  'test/doctor/certificates.journey.test.ts': ['says'],
  'test/doctor/deliveries.journey.test.ts': ['says'],
  'test/doctor/doctor.test.ts': ['says'],
  'test/doctor/setup.ts': ['says'],
  'test/doctor/store.journey.test.ts': ['says'],
  'test/real-servers/installation.ts': ['says'],
  'test/records/redis-access.journey.test.ts': ['says'],
  'test/records/sqlite-folder.journey.test.ts': ['says'],
  'test/sign-in/clients.journey.test.ts': ['says'],
}

const CODE =
  /\/\*[^]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|(?<=(?:[(,[=:?&|!{;>]|return)\s*)\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*|[A-Za-z_$][\w$]*|[`{}]/y
const TEMPLATE_TEXT = /(?:[^`\\$]|\\.|\$(?!\{))*(?:`|\$\{)/sy

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/** Reads token by token, because only the braces tell the text of a template from the code in it. */
function identifiersIn(file: string): string[] {
  const source = read(file)
  const identifiers: string[] = []
  const open: string[] = []
  for (let at = 0; at < source.length;) {
    const token = matchAt(open.at(-1) === '`' ? TEMPLATE_TEXT : CODE, source, at)
    at += token?.length ?? 1
    if (token === undefined) continue
    if (open.at(-1) === '`' && token.endsWith('`')) open.pop()
    else if (token === '`' || token === '{') open.push(token)
    else if (token === '}') open.pop()
    else if (token.endsWith('${')) open.push('{')
    else if (/^[A-Za-z_$]/.test(token)) identifiers.push(token)
  }
  return identifiers
}

const wordsOf = (identifier: string) =>
  identifier
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _]/)

it.each([...SOURCES, ...TESTS])('%s has no name of the former vocabulary', (file) => {
  const former = identifiersIn(file).filter(
    (name) => FORBIDDEN_NAMES.includes(name) || wordsOf(name).some((word) => FORBIDDEN_WORDS.includes(word)),
  )
  expect([...new Set(former)].filter((name) => !PRINTED[file]?.includes(name))).toEqual([])
})

/** The first word begins no relative clause. */
const FIRST_COMMENT =
  /^(?:#!.*\n)?(?:\/\/|\/\*\*?) (?!(?:What|When|Which|Whether|Who|Whom|Whose|How|Where|Why|Of|As)\b)/

it.each([...SOURCES, ...TESTS])('%s begins with its subject', (file) => {
  expect(read(file).slice(0, 200)).toMatch(FIRST_COMMENT)
})

it('a line of a comment has at most 120 characters', () => {
  const found = [...SOURCES, ...files('views/assets/*.js'), ...TESTS].flatMap((file) =>
    [...read(file).matchAll(/^(?=.{121}) *(?:\/\/|\/?\*).*/gm)].map(([text]) => `${file}: ${text}`),
  )
  expect(found).toEqual([])
})

const DOCUMENTED = /\/\*\*((?:(?!\*\/)[^])*@param(?:(?!\*\/)[^])*)\*\/\s*([^]{0,2000})/g
/** A declaration up to its body. */
const SIGNATURE = /^(?:.*= .*=>|[^]*?(?:=>$|\).*\{$|^ *\).*=>))/m

it.each([...SOURCES, ...TESTS])('%s documents only parameters that exist', (file) => {
  const stale = [...read(file).matchAll(DOCUMENTED)].flatMap(([, comment = '', code = '']) => {
    const identifiers = SIGNATURE.exec(code)?.[0].match(/\w+/g) ?? []
    // A parameter that is destructured at once is called by its type, or its members are.
    const isMissing = ([first = '', ...others]: string) => {
      const name = new RegExp(`^(?:${first}|(?:[A-Z]\\w*)?${first.toUpperCase()})${others.join('')}$`)
      return !identifiers.some((identifier) => name.test(identifier))
    }
    const names = [...comment.matchAll(/@param ([\w.]*\w)/g)].map(([, name = '']) => name)
    return names.filter((name) => name.split('.').every(isMissing))
  })
  expect(stale).toEqual([])
})

it('comments begin with their subject: no “Also”, “Not” or “Those”, and “Who” only asks', () => {
  const clumsy =
    /what surprises|(?:^|\/\/ |\* |\. )Whom |(?:^\s*(?:\/\/|\*|\/\*\*) )Who [a-z][^?]*$|^\s*\/\*\*\s[\s*]*(?:Also|Not|Those|Their|Of|Whose|Whether|Apart from) /gim
  const found = [...SOURCES, ...TESTS].flatMap((file) =>
    [...read(file).matchAll(clumsy)].map(([text]) => `${file}: ${text}`),
  )
  expect(found).toEqual([])
})
