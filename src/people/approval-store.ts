// The store of owners' approvals: one record for each app, because pages never write the keep state.
import { changeRecord } from '../records/change.ts'
import type { KeyRing } from '../records/data-key.ts'
import type { Records } from '../records/records.ts'
import { sealedJson } from '../records/seal.ts'
import type { Approval } from './keep-state.ts'

/** `by`: an address. Milliseconds since 1970. */
export type ApprovalDecision = { at: number; by: string }

const LIFE_SECONDS = 400 * 86_400

/** Only the newest decision for each app is kept. Both methods throw {StoreUnavailable}. */
export class ApprovalStore {
  readonly #records: Pick<Records, 'get' | 'compareAndSet'>
  readonly #keyRing: KeyRing

  constructor(records: Pick<Records, 'get' | 'compareAndSet'>, keyRing: KeyRing) {
    this.#records = records
    this.#keyRing = keyRing
  }

  async get(instance: string): Promise<ApprovalDecision | undefined> {
    const { key, json } = await this.#recordOf(instance)
    return json.open(await this.#records.get(key), key)
  }

  async put(instance: string, decision: ApprovalDecision): Promise<void> {
    const { key, json } = await this.#recordOf(instance)
    const text = json.seal(decision, key)
    await changeRecord(this.#records, { key, next: () => ({ text, seconds: LIFE_SECONDS }) })
  }

  async #recordOf(instance: string) {
    const { sealer, keyFor } = await this.#keyRing.dataKey()
    return { key: `approval:${keyFor('approval', instance)}`, json: sealedJson<ApprovalDecision>(sealer) }
  }
}

export const newApproval = (instance: string, name: string): Approval => {
  const zeros = { stageAt: 0, waiting: 0, since: 0, requestedAt: 0, requestedFor: 0, approvedAt: 0 }
  return { instance, name, stage: 'waiting', owners: [], ...zeros }
}

/** Applies the owner's decision. Ignored if it is older than the current request. */
export const applyDecision = (one: Approval, decision: ApprovalDecision | undefined): Approval =>
  decision !== undefined && one.stage !== 'approved' && decision.at > one.stageAt && decision.at >= one.since
    ? { ...one, stage: 'approved', stageAt: decision.at, approvedAt: decision.at, by: decision.by }
    : one
