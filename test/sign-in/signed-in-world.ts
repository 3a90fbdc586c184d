// Someone who is signed in at a server that ends sessions and takes tokens back.
import { inProcess, ISSUER, type Options } from './in-process.ts'

export const metadata = { end_session_endpoint: `${ISSUER}/end`, revocation_endpoint: `${ISSUER}/revoke` }

export async function signedIn(options: Options = { metadata }) {
  const world = inProcess(options)
  world.answers['/revoke'] = () => ({})
  const ada = world.browser()
  await ada.signIn()
  world.asked.length = 0
  world.noted.length = 0
  const page = async (path: string) => {
    const { status, headers, body } = await ada.agent.get(path)
    return status === 303 ? (headers['location'] as string) : (body as Record<string, unknown>)
  }
  const signOut = () => ada.agent.post('/sign-out').expect(303)
  return { ...world, ada, page, signOut }
}
