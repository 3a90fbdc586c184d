// Restores mocks and the clock after each file, because the files of a worker share its modules (`isolate: false`).
import { afterAll, vi } from 'vitest'

afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})
