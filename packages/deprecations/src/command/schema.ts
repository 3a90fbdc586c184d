// `onramp deprecations schema [waivers]`: the JSON Schema of the files that people write.
import { scheduleJsonSchema } from '../schedule/schedule-file.ts'
import { waiversJsonSchema } from '../check/waivers.ts'
import { readArguments, wordOf } from '../command-line/arguments.ts'
import type { Run } from '../command-line/parts.ts'

/** Writes a JSON Schema. Resolves to the exit code, 0. @throws {UsageError} */
export const run: Run = async (args, { stdout }) => {
  const [name = 'schedule'] = readArguments(args, {}, 1).words
  const which = wordOf('it', name, ['schedule', 'waivers'])
  const schema = which === 'schedule' ? scheduleJsonSchema() : waiversJsonSchema()
  stdout.write(`${JSON.stringify(schema, null, 2)}\n`)
  return Promise.resolve(0)
}
