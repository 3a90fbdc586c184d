// The settings of what operators read, the log and the metrics: a part of definitions.ts.
import type { Definitions } from './setting.ts'
import { oneOf, text, wholeNumber } from './values.ts'

export const observabilityDefinitions = {
  LOG_LEVEL: {
    default: 'info',
    meaning: '`trace`, `debug`, `info`, `warn`, `error` or `silent`; JSON lines on standard output',
    schema: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent']),
  },
  REQUEST_LOG: {
    default: 'no',
    meaning: '`yes`: a log line for every request, with its route, status, duration and id',
    schema: oneOf(['yes', 'no']),
  },
  METRICS_PORT: {
    meaning: 'Port that serves `/metrics` and nothing else. If unset: on `PORT`, with `METRICS_TOKEN` only',
    schema: wholeNumber(0, 65_535),
  },
  METRICS_TOKEN: {
    secret: true,
    meaning: 'Bearer token that reading `/metrics` takes',
    schema: text.regex(
      /^[\x21-\x7e]{16,}$/,
      'needs 16 characters or more, without spaces: make one with `openssl rand -hex 32`',
    ),
  },
} as const satisfies Definitions
