// The sign-in page of both authorization servers: a button for each person, no passwords.
// The person that the client hinted at comes first, but anyone can be chosen: people do pick the wrong account.
import type Provider from 'oidc-provider'
import { readForm, type Exchange } from '../http-server.ts'
import { html, redirect, sendPage, type Html } from '../pages.ts'
import { isGenerated, personWithId, type Person } from '../people.ts'

type SignInOptions = {
  provider: Provider
  site: string
  people: Person[]
  /** A few words about a person, shown below the name. */
  describe: (person: Person) => string
}

/** A company has thousands of generated people, so the page shows a few. */
const MAX_GENERATED = 3

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** Answers GET and POST of `/sign-in/<uid>`. */
export async function handleSignIn(exchange: Exchange, options: SignInOptions): Promise<void> {
  const { req, res } = exchange
  const interaction = await options.provider.interactionDetails(req, res).catch(() => undefined)
  if (!interaction) {
    const body = html`<p>Go back and try again.</p>`
    sendPage(res, { title: 'This sign-in has expired', site: options.site, body }, 410)
  } else if (req.method === 'POST') await choose(exchange, options, interaction)
  else sendPage(res, { title: 'Choose an account', site: options.site, body: list(options, interaction) })
}

async function choose(exchange: Exchange, { provider, people }: SignInOptions, interaction: Interaction) {
  const { req, res, entry } = exchange
  const person = personWithId(people, (await readForm(req)).get('person') ?? '')
  const result = person
    ? { login: { accountId: person.id }, select_account: {}, consent: {} }
    : { error: 'access_denied', error_description: 'The person cancelled the sign-in' }
  const returnTo = await provider.interactionResult(req, res, result)
  if (person) {
    entry.person = person.id
    await leaveOtherAccount(provider, interaction.session?.uid, person)
  }
  redirect(res, returnTo, 303)
}

/** Without this, oidc-provider would show a page that posts itself to sign the other account out first. */
async function leaveOtherAccount(provider: Provider, uid: string | undefined, { id }: Person): Promise<void> {
  const session = uid ? await provider.Session.findByUid(uid) : undefined
  if (!session?.accountId || session.accountId === id) return
  Object.assign(session, { accountId: undefined, loginTs: undefined, authorizations: undefined })
  await session.persist()
}

function list({ people, describe }: SignInOptions, { params, session }: Interaction): Html {
  const given = params['login_hint']
  const hint = typeof given === 'string' ? given.toLowerCase() : ''
  const isHinted = ({ id, email }: Person) => hint === id || hint === email.toLowerCase()
  const named = people.filter((person) => !isGenerated(person))
  const generated = people
    .filter((person) => isGenerated(person) && !isHinted(person))
    .slice(0, MAX_GENERATED)
  const ordered = new Set([...people.filter(isHinted), ...named, ...generated])
  const current = personWithId(people, session?.accountId)
  return html`<p class="note">Choose a test user. No password needed.</p>
    ${current && html`<p>Currently signed in as ${current.name}.</p>`}
    ${[...ordered].map(
      (person) =>
        html`<form method="post">
          <button
            type="submit"
            class="person ${isHinted(person) && 'first'}"
            name="person"
            value="${person.id}"
          >
            ${person.name}<span>${person.email} · ${describe(person)}</span>
          </button>
        </form>`,
    )}
    <form method="post"><button type="submit" name="cancel" value="yes">Cancel</button></form>`
}
