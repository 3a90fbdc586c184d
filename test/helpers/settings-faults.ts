// The faults of settings, as the start of a process reports them.
import { loadSettings, SettingsError } from '../../src/settings/settings.ts'

const REQUIRED = {
  PUBLIC_URL: 'https://onramp.example',
  SERVICE_BASE_URL: 'https://svc.example',
  OIDC_ISSUER: 'https://as.example',
  SESSION_SECRET: 'a'.repeat(32),
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
