// The sign-in page: a button for each person, without passwords. The login_hint only sorts, so another account can be
// chosen.
import type Provider from 'oidc-provider'
import type { Exchange } from '../http-server.ts'
import { html, redirect, sendPage, type Html } from '../pages.ts'
import { isGenerated } from '../people.ts'
import type { IssuerConfig } from './store.ts'

/** The number of generated people that the page offers. */
const MAX_GENERATED = 3

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** GET and POST `/sign-in/<uid>` */
export async function handleSignIn(exchange: Exchange, issuer: IssuerConfig, provider: Provider) {
  const { req, res, entry } = exchange
  const { site, people } = issuer
  const interaction = await provider.interactionDetails(req, res).catch(() => undefined)
  if (!interaction) {
    const body = html`<p>Go back and try again.</p>`
    return sendPage(res, { title: 'This sign-in has expired', site, body }, 410)
  }
  if (req.method !== 'POST')
    return sendPage(res, { title: 'Choose an account', site, body: list(issuer, interaction) })
  const chosenId = (await exchange.form()).get('person')
  const person = people.find(({ id }) => id === chosenId)
  const result = person
    ? { login: { accountId: person.id }, select_account: {}, consent: {} }
    : { error: 'access_denied', error_description: 'The person cancelled the sign-in' }
  const returnTo = await provider.interactionResult(req, res, result)
  if (person) {
    entry.person = person.id
    await clearOtherAccount(provider, interaction.session?.uid, person.id)
  }
  redirect(res, returnTo, 303)
}

/** Prevents oidc-provider's self-posting page, which would sign the other account out first. */
async function clearOtherAccount(provider: Provider, uid: string | undefined, id: string): Promise<void> {
  const session = uid ? await provider.Session.findByUid(uid) : undefined
  if (!session?.accountId || session.accountId === id) return
  Object.assign(session, { accountId: undefined, loginTs: undefined, authorizations: undefined })
  await session.persist()
}

function list({ people, describe }: IssuerConfig, { params, session }: Interaction): Html {
  const hint = String(params['login_hint']).toLowerCase()
  const hintedPeople = people.filter(({ id, email }) => hint === id || hint === email.toLowerCase())
  const listedPeople = [
    ...people.filter((person) => !isGenerated(person)),
    ...people.filter(isGenerated).slice(0, MAX_GENERATED),
  ]
  const current = people.find(({ id }) => id === session?.accountId)
  return html`<p class="note">Choose a test user. No password needed.</p>
    ${current && html`<p>Currently signed in as ${current.name}.</p>`}
    ${[...new Set([...hintedPeople, ...listedPeople])].map(
      (person) =>
        html`<form method="post">
          <button
            type="submit"
            class="person ${hintedPeople.includes(person) && 'first'}"
            name="person"
            value="${person.id}"
          >
            ${person.name}<span>${person.email} · ${describe(person)}</span>
          </button>
        </form>`,
    )}
    <form method="post"><button type="submit" name="cancel" value="yes">Cancel</button></form>`
}
