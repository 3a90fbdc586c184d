// onramp serve: the same as npm start.
import { main } from '../../server.ts'

export async function serve(): Promise<number> {
  await main()
  return 0
}
