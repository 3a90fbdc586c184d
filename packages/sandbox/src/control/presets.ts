// What can go wrong, one button each: several switches at once, named as people would tell it.
import type { Switches } from './switches.ts'

type Preset = { name: string; label: string; switches: Partial<Switches> }

/** Each puts the other switches back first, so that one press shows one thing. */
export const presets: readonly Preset[] = [
  { name: 'well', label: 'Everything works', switches: {} },
  { name: 'deny', label: 'Everyone denies', switches: { denyAll: true } },
  { name: 'slow', label: 'Consents take effect after 30 s', switches: { consentDelaySeconds: 30 } },
  { name: 'lag', label: 'The service takes 2 s', switches: { latencyMs: 2_000 } },
  { name: 'busy', label: 'The service is busy', switches: { rateLimit: { perSecond: 0.2, burst: 1 } } },
  { name: 'down', label: 'The service is down', switches: { serviceDown: true } },
  { name: 'sign-in-down', label: 'Sign-in is down', switches: { authorizationServerDown: true } },
]
