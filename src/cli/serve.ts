// onramp serve: the same as npm start.
import { main } from '../server.ts'
import { readArguments } from './arguments.ts'
import type { Run } from './parts.ts'

export const run: Run = async (args) => {
  readArguments(args, {}, 0)
  await main()
  return 0
}
