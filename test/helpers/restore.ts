// The files of a worker share its modules (`isolate: false`): what a file mocks, or sets the clock to, ends with it.
import { afterAll, vi } from 'vitest'

afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})
