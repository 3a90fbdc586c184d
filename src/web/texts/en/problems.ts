// What a failure is called and what to do about it, in English: what happened, what it means for what was done, what
// comes next. The codes are problem.ts's.
import type { ProblemCode } from '../../../problem.ts'

type Cause = { datasource?: string | undefined; retryAfter?: number | undefined }
type ProblemText = {
  title: string
  advice: (cause: Cause) => string
  /** Nothing that the person does changes it, so "Try again" is not offered. */
  isFinal?: true
}

const inSeconds = (seconds: number | undefined) =>
  seconds === undefined || seconds < 2
    ? 'in a moment'
    : seconds < 90
      ? `in ${seconds} seconds`
      : `in ${Math.ceil(seconds / 60)} minutes`

export const problems: Record<ProblemCode, ProblemText> = {
  bad_request: {
    title: 'This request could not be read',
    advice: () =>
      'Something in the address or the form is not as it should be. Go back to your apps and start from there.',
  },
  cookies_blocked: {
    title: 'Your browser did not bring back our cookie',
    advice: () =>
      'Signing in needs one small cookie, and it was missing when you came back. Perhaps you came back in another browser, or cookies are blocked. Allow cookies for this site, or open it in your usual browser, then sign in again.',
  },
  cross_site: {
    title: 'This was not started from our pages',
    advice: () =>
      'Another site asked for this in your name, so nothing was done. If it was you, do it from your apps page.',
  },
  datasource_cannot_start: {
    title: 'This connection cannot be started safely',
    advice: ({ datasource }) =>
      `The search service gave no address for ${datasource ?? 'this app'} that we may send you to, so we stopped here. Your other apps are not affected: go on with them, and tell your administrator the reference below.`,
  },
  datasource_unknown: {
    title: 'There is nothing to connect under this name',
    advice: () =>
      'The app is not on your list. It may have been connected already, or the link is an old one. Your list shows what still waits.',
  },
  internal: {
    title: 'Something went wrong on our side',
    advice: () =>
      'Nothing you did caused it, and what you have connected stays connected. Try again; if it happens again, tell your administrator the reference below.',
  },
  not_found: {
    title: 'This page does not exist',
    advice: () => 'The address may be mistyped or out of date. Your apps page is the place to go on from.',
  },
  search_busy: {
    title: 'Search is very busy right now',
    advice: ({ retryAfter }) =>
      `The search service asks us to wait. Try your search again ${inSeconds(retryAfter)}.`,
  },
  search_forbidden: {
    title: 'You may not search yet',
    advice: () =>
      'The search service knows you, but does not let you search. Ask your administrator to give you access, and tell them the reference below.',
  },
  search_misconfigured: {
    title: 'Search is not set up correctly',
    advice: () =>
      'The search service does not accept how we call it, and trying again will not help: tell your administrator the reference below. What you have connected stays connected.',
    isFinal: true,
  },
  search_refused: {
    title: 'The search service did not accept this search',
    advice: () =>
      'Trying the same words again will not help. Try other words; if that does not help either, tell your administrator the reference below.',
    isFinal: true,
  },
  search_too_slow: {
    title: 'This search took too long',
    advice: ({ retryAfter }) =>
      `The search service did not answer in time. Try again ${inSeconds(retryAfter)}, perhaps with fewer words.`,
  },
  search_unavailable: {
    title: 'We could not search right now',
    advice: ({ retryAfter }) =>
      `The search service did not give a usable answer. Try your search again ${inSeconds(retryAfter)}.`,
  },
  service_busy: {
    title: 'Many people are connecting right now',
    advice: ({ retryAfter }) =>
      `The search service asks us to wait. Try again ${inSeconds(retryAfter)}; nothing you did is lost.`,
  },
  service_forbidden: {
    title: 'You do not have access yet',
    advice: () =>
      'The search service knows you, but does not let you connect apps yet. Ask your administrator to give you access, and tell them the reference below.',
  },
  service_misconfigured: {
    title: 'Connecting is not set up correctly',
    advice: () =>
      'The search service does not accept how we call it, and trying again will not help: tell your administrator the reference below. What you have connected stays connected.',
    isFinal: true,
  },
  service_refused_request: {
    title: 'The search service does not accept our question',
    advice: () =>
      'We asked which apps you have connected, and it refused. Trying again will not help: tell your administrator the reference below. What you have connected stays connected.',
    isFinal: true,
  },
  service_refused_return: {
    title: 'Connecting is not set up correctly',
    advice: () =>
      'The search service does not accept the address at which you would come back here, so we did not send you away. Trying again will not help: tell your administrator the reference below. What you have connected stays connected.',
    isFinal: true,
  },
  service_refused_sign_in: {
    title: 'The search service does not accept your sign-in',
    advice: () =>
      'You are signed in here, but the search service did not accept it. Sign out and in again; if that does not help, tell your administrator the reference below.',
  },
  service_unavailable: {
    title: 'We could not check your apps right now',
    advice: ({ retryAfter }) =>
      `The search service did not give a usable answer. What you have connected stays connected. Try again ${inSeconds(retryAfter)}.`,
  },
  sign_in_busy: {
    title: 'Very many people are signing in right now',
    advice: ({ retryAfter }) =>
      `More sign-ins have begun than we can keep at a time. Try again ${inSeconds(retryAfter)}; what you have connected stays connected.`,
  },
  sign_in_denied: {
    title: 'You were not signed in',
    advice: () =>
      'The sign-in was cancelled or refused. If you cancelled it, just sign in again; if not, ask your administrator whether your account may use this.',
  },
  sign_in_expired: {
    title: 'This sign-in is over',
    advice: () =>
      'It was finished already, took too long, or was started in another browser. Nothing is lost: sign in again to go on.',
  },
  sign_in_failed: {
    title: 'We could not verify your sign-in',
    advice: () =>
      'The answer of the sign-in service did not pass our checks, so we did not let it count. Sign in again; if it happens again, tell your administrator the reference below.',
  },
  sign_in_misconfigured: {
    title: 'Signing in is not set up correctly',
    advice: () =>
      'The sign-in service does not accept how we ask. You cannot mend this: tell your administrator the reference below.',
  },
  sign_in_unavailable: {
    title: 'Signing in is not possible right now',
    advice: ({ retryAfter }) =>
      `The sign-in service cannot be reached, or took too long. Try again ${inSeconds(retryAfter)}.`,
  },
  signed_out: {
    title: 'You are not signed in',
    advice: () => 'Sign in to go on.',
  },
  store_unavailable: {
    title: 'We will be right back',
    advice: ({ retryAfter }) =>
      `We cannot reach the place where your progress is kept. You stay signed in and nothing is lost. Try again ${inSeconds(retryAfter)}.`,
  },
  too_large: {
    title: 'This request is too large',
    advice: () => 'Go back to your apps and start from there.',
  },
  too_many_requests: {
    title: 'That was a little fast',
    advice: ({ retryAfter }) =>
      `This was asked for more often than we can answer. Try again ${inSeconds(retryAfter)}; nothing is lost.`,
  },
  too_many: {
    title: 'That was a little fast',
    advice: ({ retryAfter }) =>
      `There were very many sign-ins from where you are within a minute. Try again ${inSeconds(retryAfter)}; nothing is lost.`,
  },
}
