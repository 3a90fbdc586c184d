// onramp invite send.
import type { Run } from './parts.ts'
export const run: Run = () => Promise.resolve(1)
