// Thrown where a sign-in is needed: people are led through it and back to where they were (see web/error-page.ts).
import type { Request } from 'express'
import { Problem } from '../problem.ts'
import { signInPath } from './state.ts'

/** Longer addresses are not come back to, and written into another one they would exceed what a server reads. */
const MAX_CHARACTERS = 2048

/** What can be asked for again with GET; a form's target cannot. */
const comeBackTo = ({ method, originalUrl }: Request) =>
  method === 'GET' && originalUrl.length <= MAX_CHARACTERS ? originalUrl : '/onboarding'

export class SignInAgain extends Problem {
  constructor(req: Request, cause?: unknown) {
    super(401, 'signed_out', { tryAgain: signInPath(comeBackTo(req)), cause })
    this.name = 'SignInAgain'
  }
}
