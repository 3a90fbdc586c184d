// What owners answered on their page, in a record of its own for each app: pages never write the keep state.
import { changeRecord } from '../records/change.ts'
import type { KeyRing } from '../records/data-key.ts'
import type { Records } from '../records/records.ts'
import { sealedJson } from '../records/seal.ts'
import type { Approval } from './keep-state.ts'

/** `by`: an address. Milliseconds since 1970. */
export type OwnerAnswer = { at: number; by: string }

const LIFE_SECONDS = 400 * 86_400

/** The newest answer for each app counts. Both methods throw {StoreUnavailable}. */
export function createOwnerAnswers(records: Pick<Records, 'get' | 'compareAndSet'>, keyRing: KeyRing) {
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
      const text = answers.seal(answer, key)
      await changeRecord(records, { key, next: () => ({ text, seconds: LIFE_SECONDS }) })
    },
  }
}

export const newApproval = (instance: string, name: string): Approval => {
  const zeros = { stageAt: 0, waiting: 0, since: 0, requestedAt: 0, requestedFor: 0, approvedAt: 0 }
  return { instance, name, stage: 'waiting', owners: [], ...zeros }
}

/** With an answer to what is open: an earlier one was about another time. */
export const withAnswer = (one: Approval, answer: OwnerAnswer | undefined): Approval =>
  answer !== undefined && one.stage !== 'approved' && answer.at > one.stageAt && answer.at >= one.since
    ? { ...one, stage: 'approved', stageAt: answer.at, approvedAt: answer.at, by: answer.by }
    : one

export type OwnerAnswers = ReturnType<typeof createOwnerAnswers>
