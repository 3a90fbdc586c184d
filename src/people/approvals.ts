// What owners answered on their page, in a record of its own for each app: pages never write the keep state.
import type { KeyRing } from '../records/data-key.ts'
import type { Records } from '../records/records.ts'
import { sealedJson } from '../records/seal.ts'

/** `by`: an address. Milliseconds since 1970. */
export type OwnerAnswer = { at: number; by: string }

const LIFE_SECONDS = 400 * 86_400

/** The newest answer for each app counts. Both methods throw {StoreUnavailable}. */
export function createOwnerAnswers(records: Pick<Records, 'get' | 'put'>, keyRing: KeyRing) {
  const recordOf = async (instance: string) => {
    const { sealer, keyFor } = await keyRing.dataKey()
    return { key: `approval:${keyFor('approval', instance)}`, answers: sealedJson<OwnerAnswer>(sealer) }
  }
  return {
    async get(instance: string): Promise<OwnerAnswer | undefined> {
      const { key, answers } = await recordOf(instance)
      return answers.open(await records.get(key), key)
    },
    async put(instance: string, answer: OwnerAnswer): Promise<void> {
      const { key, answers } = await recordOf(instance)
      await records.put(key, answers.seal(answer, key), LIFE_SECONDS)
    },
  }
}

export type OwnerAnswers = ReturnType<typeof createOwnerAnswers>
