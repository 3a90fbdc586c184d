// A browser that has begun to sign in, and what comes of an answer to it.
import { inProcess, type Form, type Options } from './in-process.ts'

export type Refused = { code: string; detail: string; tryAgain?: string; retryAfter?: number }

/** A browser that has begun to sign in, and what comes of an answer. */
export async function begun(options: Options = {}, query: Form = { return_to: '/x' }) {
  const world = inProcess(options)
  const ada = world.browser()
  const sent = await ada.begin(query)
  const outcomeOf = async (address: string) => {
    const { status, headers, body } = await ada.agent.get(address)
    return status === 303 ? (headers['location'] as string) : { status, ...(body as Refused) }
  }
  const answered = (answer: Form) =>
    outcomeOf(
      `/sign-in/callback?${new URLSearchParams({ state: sent['state'] ?? '', ...answer }).toString()}`,
    )
  return { ...world, ada, sent, outcomeOf, answered, redeemed: () => outcomeOf(ada.answerTo(sent)) }
}
