// Which of ADMIN_GROUPS a person is in, as the sign-in's claims say. The rest of a person's groups is kept nowhere.
import type { Settings } from '../settings/settings.ts'

type Claims = Readonly<Record<string, unknown>>

export type GroupRule = {
  /** OIDC_GROUPS_CLAIM. */
  claim: string
  /** ADMIN_GROUPS. */
  wanted: readonly string[]
}

export const groupRuleOf = ({
  OIDC_GROUPS_CLAIM: claim,
  ADMIN_GROUPS: wanted = [],
}: Settings): GroupRule => ({
  claim,
  wanted,
})

/** Pure: those that are wanted, of every source that has the claim; undefined: none has it, or none is wanted. */
export function groupsIn(sources: readonly Claims[], { claim, wanted }: GroupRule): string[] | undefined {
  if (wanted.length === 0) return undefined
  const said = sources.map((claims) => claims[claim]).filter((value) => value !== undefined)
  if (said.length === 0) return undefined
  const own = new Set(said.flat())
  return wanted.filter((group) => own.has(group))
}

/** Microsoft Entra names the claim and leaves the groups out where a person is in more than 200. */
const isLeftOut = (claims: Claims, claim: string) => {
  const names = claims['_claim_names']
  return claims['hasgroups'] === true || (typeof names === 'object' && names !== null && claim in names)
}

/** @returns says once a process why the claim did not arrive, because every sign-in would say the same */
export function createGroupsNote(
  { claim, wanted }: GroupRule,
  log: { warn(fields: object, message: string): void },
) {
  const told = new Set<string>()
  const tell = (words: string) => {
    if (!told.has(words)) log.warn({ claim }, words)
    told.add(words)
  }
  return (sources: readonly Claims[]): void => {
    if (wanted.length === 0 || sources.some((claims) => claims[claim] !== undefined)) return
    if (sources.some((claims) => isLeftOut(claims, claim)))
      tell(
        "a person is in more groups than Microsoft Entra puts into a token, so ADMIN_GROUPS can't tell whether they are an admin: limit the claim to groups assigned to the application there, or use app roles with OIDC_GROUPS_CLAIM=roles",
      )
    else
      tell(
        `a sign-in came without the claim ${claim}, so ADMIN_GROUPS didn't count for it: if this happens to admins too, have the authorization server add the claim for this client (some need a scope in OIDC_SCOPE), or set OIDC_GROUPS_CLAIM`,
      )
  }
}
