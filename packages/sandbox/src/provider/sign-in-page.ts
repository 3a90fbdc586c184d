// The sign-in page of both authorization servers: a button for each person, no passwords.
// The person that the client hinted at comes first, but anyone can be chosen: people do pick the wrong account.
import type Provider from 'oidc-provider'
import { readForm, type Exchange } from '../http-server.ts'
import { html, redirect, sendPage, type Html } from '../pages.ts'
import { isGenerated, personWithId, type Person } from '../people.ts'

type SignInPage = {
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
export async function handleSignIn(exchange: Exchange, page: SignInPage): Promise<void> {
  const { req, res, entry } = exchange
  const { provider, site, people } = page
  const interaction = await provider.interactionDetails(req, res).catch(() => undefined)
  if (!interaction) {
    const body = html`<p>Go back and try again.</p>`
    return sendPage(res, { title: 'This sign-in has expired', site, body }, 410)
  }
  if (req.method !== 'POST')
    return sendPage(res, { title: 'Choose an account', site, body: list(page, interaction) })
  const person = personWithId(people, (await readForm(req)).get('person'))
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

function list({ people, describe }: SignInPage, { params, session }: Interaction): Html {
  const hint = String(params['login_hint']).toLowerCase()
  const hinted = people.filter(({ id, email }) => hint === id || hint === email.toLowerCase())
  const named = people.filter((person) => !isGenerated(person))
  const generated = people.filter((person) => isGenerated(person)).slice(0, MAX_GENERATED)
  const current = personWithId(people, session?.accountId)
  return html`<p class="note">Choose a test user. No password needed.</p>
    ${current && html`<p>Currently signed in as ${current.name}.</p>`}
    ${[...new Set([...hinted, ...named, ...generated])].map(
      (person) =>
        html`<form method="post">
          <button
            type="submit"
            class="person ${hinted.includes(person) && 'first'}"
            name="person"
            value="${person.id}"
          >
            ${person.name}<span>${person.email} · ${describe(person)}</span>
          </button>
        </form>`,
    )}
    <form method="post"><button type="submit" name="cancel" value="yes">Cancel</button></form>`
}
