// onramp serve: the same as npm start.
import { main } from '../server.ts'
import type { Run } from './parts.ts'

export const run: Run = async () => {
  await main()
  return 0
}
