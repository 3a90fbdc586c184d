// Thrown where a sign-in is needed: people are led through it and back to where they were (see web/error-page.ts).
import type { Request } from 'express'
import { Problem } from '../problem.ts'
import { signInPath } from './state.ts'

/** What can be asked for again with GET; a form's target cannot. */
const comeBackTo = (req: Request) => (req.method === 'GET' ? req.originalUrl : '/onboarding')

export class SignInAgain extends Problem {
  constructor(req: Request, cause?: unknown) {
    super(401, 'signed_out', { tryAgain: signInPath(comeBackTo(req)), cause })
    this.name = 'SignInAgain'
  }
}
