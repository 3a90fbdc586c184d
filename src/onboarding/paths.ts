// The addresses of the walk's routes, as pages link to them. The address to come back to is also what the service is given
// as final_redirect_url, and what the doctor checks. Pure.

export const CALLBACK_PATH = '/onboarding/callback'

/** Where a return is looked at, or looked at again. */
export const callbackPath = (step: string) => `${CALLBACK_PATH}?step=${encodeURIComponent(step)}`

const pathFor = (action: string) => (instance: string) =>
  `/onboarding/${action}/${encodeURIComponent(instance)}`

export const connectPath = pathFor('connect')
export const skipPath = pathFor('skip')
export const unskipPath = pathFor('unskip')
export const blockPath = pathFor('blocked')
export const unblockPath = pathFor('unblock')
