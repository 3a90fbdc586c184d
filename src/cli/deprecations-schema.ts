// `onramp deprecations schema [waivers]`: the JSON Schema of the files that people write.
import { scheduleJsonSchema } from '../deprecations/schedule-file.ts'
import { waiversJsonSchema } from '../deprecations/waivers.ts'
import { parseOptions } from './command.ts'
import type { CliParts } from './parts.ts'
import { wordFrom } from './deprecations-options.ts'

/** Writes a JSON Schema. Resolves to the exit code, 0. @throws {UsageError} */
export async function runSchema(args: string[], { stdout }: CliParts): Promise<number> {
  const { positionals } = parseOptions(args, {})
  const which = wordFrom('schema', positionals[0] ?? 'schedule', ['schedule', 'waivers'])
  const schema = which === 'schedule' ? scheduleJsonSchema() : waiversJsonSchema()
  stdout.write(`${JSON.stringify(schema, null, 2)}\n`)
  return Promise.resolve(0)
}
