// Settings one by one, as start-up reads them: those that are fine can be read although others are faulty.
import { loadSettings, settings, SettingsError, variablesOf, type Settings } from '../settings/settings.ts'
import { isPath } from './mask.ts'

/** An environment in which nothing is missing, so that only the setting in question can be faulty. Used nowhere else. */
const COMPLETE: NodeJS.ProcessEnv = {
  PUBLIC_URL: 'https://complete.example',
  SERVICE_BASE_URL: 'https://complete.example',
  OIDC_ISSUER: 'https://complete.example',
  OIDC_CLIENT_ID: 'complete',
  OIDC_CLIENT_SECRET: 'complete',
  OIDC_CLIENT_KEY: 'complete',
  REDIS_URL: 'redis://complete.example:6379',
  SESSION_SECRET: 'complete-complete-complete-complete',
  WEBHOOK_URL: 'https://complete.example',
  WEBHOOK_SECRET: `whsec_${'complete'.repeat(5)}`,
}

/** The name that a fault begins with. */
export const settingOfFault = (fault: string): string => /^[A-Z_]+/.exec(fault)?.[0] ?? ''

/** A secret that was put into NAME_FILE itself does not appear in a report. */
const withoutSecrets = (fault: string, env: NodeJS.ProcessEnv): string => {
  const file = env[`${settingOfFault(fault).replace(/_FILE$/, '')}_FILE`]?.trim() ?? ''
  return file === '' || isPath(file) ? fault : fault.replaceAll(file, 'something that is not a path')
}

type Loaded = { settings?: Settings; faults: readonly string[] }

function load(env: NodeJS.ProcessEnv): Loaded {
  try {
    return { settings: loadSettings(env), faults: [] }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return { faults: error.faults.map((fault) => withoutSecrets(fault, env)) }
  }
}

type Read<K extends keyof Settings> = { value?: Settings[K] | undefined; faults: readonly string[] }

/** Reads one setting, also from NAME_FILE. Absent without a default: no value and no fault. */
export function readOne<K extends keyof Settings>(name: K, env: NodeJS.ProcessEnv): Read<K> {
  const known = settings.find((setting) => setting.name === name)
  const variables = variablesOf({ ...known, name })
  if (known?.secret === true) variables.push(`${name}_FILE`)
  const isGiven = variables.some((variable) => env[variable]?.trim())
  if (!isGiven && known?.default === undefined) return { faults: [] }
  const loaded = load({
    ...COMPLETE,
    ...Object.fromEntries(variables.map((variable) => [variable, env[variable]])),
  })
  const own = loaded.faults.filter((fault) => fault.startsWith(name))
  if (loaded.settings === undefined) return { faults: own.length > 0 ? own : [`${name} cannot be read`] }
  return { value: loaded.settings[name], faults: [] }
}

/** Every setting that can be read, and every fault that start-up would name. */
export function readAll(env: NodeJS.ProcessEnv): { settings: Partial<Settings>; faults: readonly string[] } {
  const names = settings.map(({ name }) => name as keyof Settings)
  const read = names.map((name) => [name, readOne(name, env).value] as const)
  const { faults } = load(env)
  return { settings: Object.fromEntries(read.filter(([, value]) => value !== undefined)), faults }
}
