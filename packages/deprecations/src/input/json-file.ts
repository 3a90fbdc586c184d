// Reads small files in JSON that people write by hand: a schedule, waivers. Every fault names the file and the line.
import { readFile, stat } from 'node:fs/promises'
import type { ZodType } from 'zod'
import { InputFault } from '../command-line/input-fault.ts'
import { brokenLineOf, linesOf, pointerOf } from './json-scan.ts'

const MAX_BYTES = 8 * 1024 * 1024

const reasons: Record<string, string> = {
  ENOENT: 'no such file; check the name',
  EISDIR: 'a folder, not a file; specify a file',
  EACCES: 'not readable; check its permissions',
}

/** What the system says about a file that cannot be read, as a fault. */
export const fileFault = (file: string, error: unknown): InputFault => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return new InputFault(file, undefined, reasons[code] ?? `cannot be read (${code})`, error)
}

/** Parses JSON; throws InputFault with the line on which it breaks. The message never quotes the text. */
export const parseJson = (text: string, file: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new InputFault(file, brokenLineOf(text) ?? 1, 'not valid JSON from this line on; fix it')
  }
}

/** Reads a file as text, up to 8 MiB; throws InputFault. */
export const readText = async (file: string): Promise<string> => {
  try {
    const { size } = await stat(file)
    if (size > MAX_BYTES) throw new InputFault(file, undefined, 'larger than 8 MiB; split it')
    return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    throw error instanceof InputFault ? error : fileFault(file, error)
  }
}

/** The line of a member, for faults found after parsing. */
const lineOf = (text: string, path: readonly PropertyKey[]) => {
  const pointer = pointerOf(path)
  return linesOf(text, new Set([pointer])).get(pointer)
}

/** What is wrong in a file that was parsed, and where: the first of these faults. */
export type FaultAt = { path: readonly PropertyKey[]; message: string }

/**
 * Reads a JSON file and checks it against a schema, and against what a schema cannot express.
 * @throws {InputFault} naming the first thing that is wrong
 */
export const readJsonFile = async <T>(
  file: string,
  schema: ZodType<T>,
  faultsIn: (data: T) => FaultAt[],
): Promise<T> => {
  const text = await readText(file)
  const { success, data, error } = schema.safeParse(parseJson(text, file))
  const faults = success
    ? faultsIn(data)
    : error.issues.map(({ path, message }) => {
        const place = path.length === 0 ? '' : `${path.join('.')}: `
        return { path, message: `${place}${message}` }
      })
  const [first] = faults
  if (first === undefined && success) return data
  const { path = [], message = 'does not match the schema' } = first ?? {}
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : ''
  throw new InputFault(file, lineOf(text, path) ?? lineOf(text, path.slice(0, -1)), `${message}${more}`)
}
