// Why the store failed, as older versions of Redis say it too.
import { expect, it } from 'vitest'
import { storeTrouble } from '../../src/records/store-trouble.ts'

it.each(['OOM', 'READONLY', 'MISCONF', 'NOREPLICAS'])(
  '%s is a refusal, also within a script before Redis 7',
  (code) => {
    for (const message of [
      `${code} no writes now.`,
      `${code} no writes now. script: caeeee01, on @user_script:1.`,
      `ERR Error running script (call to f_caeeee01): @user_script:1: @user_script: 1: -${code} no writes now.`,
    ]) {
      const trouble = storeTrouble(new Error(message))
      expect(trouble).toMatchObject({ code, isRefusal: true })
      expect(trouble.words).toMatch(/takes no writes/)
    }
  },
)
