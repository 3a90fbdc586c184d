// Reads small files in JSON that people write by hand: a schedule, waivers. Every fault names the file and the line.
import { readFile, stat } from 'node:fs/promises'
import type { ZodError, ZodType } from 'zod'
import { InputFault } from '../command-line/input-fault.ts'
import { brokenLineOf, linesOf, pointerOf } from './json-scan.ts'

const largest = 8 * 1024 * 1024

const reasons: Record<string, string> = {
  ENOENT: 'no such file; check the name',
  EISDIR: 'a folder, not a file; name the file',
  EACCES: 'may not be read; check its permissions',
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
    throw new InputFault(file, brokenLineOf(text) ?? 1, 'not valid JSON from this line on; correct it')
  }
}

/** Reads a file as text, up to `most` bytes; throws InputFault. */
export const readText = async (file: string, most = largest): Promise<string> => {
  try {
    const { size } = await stat(file)
    if (size > most) throw new InputFault(file, undefined, `larger than ${most / 1024 / 1024} MiB; split it`)
    return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    throw error instanceof InputFault ? error : fileFault(file, error)
  }
}

/** Says at which line a member stands, for faults found after parsing. */
export const lineFinder = (text: string) => (path: readonly PropertyKey[]) => {
  const pointer = pointerOf(path.map((step) => (typeof step === 'number' ? step : String(step))))
  return linesOf(text, new Set([pointer])).get(pointer)
}

const firstFault = (error: ZodError, text: string, file: string) => {
  const [issue, ...others] = error.issues
  if (issue === undefined) return new InputFault(file, undefined, 'not as the schema asks')
  const lineOf = lineFinder(text)
  const line = lineOf(issue.path) ?? lineOf(issue.path.slice(0, -1))
  const place = issue.path.length === 0 ? '' : `${issue.path.join('.')}: `
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  return new InputFault(file, line, `${place}${issue.message}${more}`)
}

/** Reads a JSON file and checks it against a schema; throws InputFault naming the first thing that is wrong. */
export const readJsonFile = async <T>(
  file: string,
  schema: ZodType<T>,
): Promise<{ data: T; text: string }> => {
  const text = await readText(file)
  const result = schema.safeParse(parseJson(text, file))
  if (!result.success) throw firstFault(result.error, text, file)
  return { data: result.data, text }
}
