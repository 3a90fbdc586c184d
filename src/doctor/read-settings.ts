// Settings one by one, as start-up reads them: what is fine is there although something else is faulty.
import { isPath } from './mask.ts'
import { loadSettings, settings, SettingsError, type Settings } from '../settings/settings.ts'

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
}

export type Read<K extends keyof Settings> = { value?: Settings[K]; faults: readonly string[] }

/** A secret that was put into NAME_FILE itself does not appear in a report. */
const withoutSecrets = (fault: string, env: NodeJS.ProcessEnv): string => {
  const file = env[`${settingOfFault(fault).replace(/_FILE$/, '')}_FILE`]?.trim() ?? ''
  return file === '' || isPath(file) ? fault : fault.replaceAll(file, 'something that is no path')
}

const faultsOf = (load: () => unknown, env: NodeJS.ProcessEnv): readonly string[] => {
  try {
    load()
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.faults.map((fault) => withoutSecrets(fault, env))
    throw error
  }
}

/** Reads one setting, also from NAME_FILE. Absent without a default: no value and no fault. */
export function readOne<K extends keyof Settings>(name: K, env: NodeJS.ProcessEnv): Read<K> {
  const known = settings.find((setting) => setting.name === name)
  const file = `${name}_FILE`
  const given = Boolean(env[name]?.trim()) || (known?.secret === true && Boolean(env[file]?.trim()))
  if (!given && known?.default === undefined) return { faults: [] }
  const only = { ...COMPLETE, [name]: env[name], [file]: env[file] }
  const faults = faultsOf(() => loadSettings(only), env).filter((fault) => fault.startsWith(name))
  if (faults.length > 0) return { faults }
  try {
    return { value: loadSettings(only)[name], faults: [] }
  } catch (error) {
    if (error instanceof SettingsError) return { faults: [`${name} cannot be read`] }
    throw error
  }
}

export type ReadAll = { settings: Partial<Settings>; faults: readonly string[] }

/** Every setting that can be read, and every fault that start-up would name. */
export function readAll(env: NodeJS.ProcessEnv): ReadAll {
  const faults = faultsOf(() => loadSettings(env), env)
  const names = settings.map(({ name }) => name as keyof Settings)
  const read = names.map((name) => [name, readOne(name, env).value] as const)
  return { settings: Object.fromEntries(read.filter(([, value]) => value !== undefined)), faults }
}

/** The name that a fault begins with. */
export const settingOfFault = (fault: string): string => /^[A-Z_]+/.exec(fault)?.[0] ?? ''
