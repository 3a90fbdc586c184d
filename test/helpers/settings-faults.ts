// The required settings, and the faults of settings, as the start of a process reports them.
import { loadSettings, SettingsError } from '../../src/settings/settings.ts'

/** The required settings; their servers are never called. */
export const REQUIRED = {
  PUBLIC_URL: 'https://onramp.acme.example',
  SERVICE_BASE_URL: 'https://service.acme.example',
  OIDC_ISSUER: 'https://id.acme.example',
  SESSION_SECRET: 'a secret of thirty-two characters',
}

/** @param env besides the required settings */
export function faultsIn(env: Record<string, string | undefined>): readonly string[] {
  try {
    loadSettings({ ...REQUIRED, ...env })
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.faults
    throw error
  }
}
