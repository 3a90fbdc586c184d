// What is wrong with settings, as the start of a process would say it.
import { loadSettings, SettingsError } from '../../src/settings/settings.ts'

/** @param env all of them */
export function faultsIn(env: Record<string, string | undefined>): readonly string[] {
  try {
    loadSettings(env)
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.faults
    throw error
  }
}
