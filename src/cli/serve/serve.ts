// onramp serve: the same as npm start.
import { main } from '../../server.ts'
import { readArguments } from '@onramp/deprecations/command-line/arguments'
import type { Run } from '@onramp/deprecations/command-line/parts'

export const run: Run = async (args) => {
  readArguments(args, {}, 0)
  await main()
  return 0
}
