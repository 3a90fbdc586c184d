// The faults of settings, as the start of a process reports them.
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
